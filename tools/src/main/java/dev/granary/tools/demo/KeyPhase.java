package dev.granary.tools.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.granary.cli.keys.RedisSource;
import dev.granary.cli.keys.Repeated;
import dev.granary.client.GranaryClient;
import dev.granary.client.Keys;
import dev.granary.overlay.HostAddress;
import dev.granary.resp.Reply;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Shows keys: the Java client sets one for each package, and a client of the Redis protocol reads all of them at the
 * door of one storage peer. The keys are deleted again. For one use in one thread.
 */
final class KeyPhase {

    private static final String PREFIX = "package:";
    private static final int MGET_KEYS = 1_000;

    private final Keys<String> keys;
    private final HostAddress door;
    private final Screen screen;

    /** By key, the version of a package. */
    private final Map<String, byte[]> versions = new LinkedHashMap<>();

    /** @param door a port for clients of the Redis protocol, of any storage peer */
    KeyPhase(GranaryClient client, HostAddress door, Map<String, String> versionsByName, Screen screen) {
        this.keys = client.keys();
        this.door = door;
        this.screen = screen;
        versionsByName.forEach((name, version) -> versions.put(PREFIX + name, version.getBytes(UTF_8)));
    }

    /**
     * The figures.
     *
     * @param keys how many keys there were
     * @param setsPerSecond keys set by the Java client in one batch
     * @param redisGetsPerSecond keys read by the Redis protocol, 1,000 in each request
     */
    record Figures(int keys, double setsPerSecond, double redisGetsPerSecond) {}

    /** Runs the phase. */
    Figures run(String shown) {
        screen.heading("Keys: the version of each package, set by the Java client and read by the Redis protocol");
        long start = System.nanoTime();
        // On a busy machine the backups of 256 new slot groups may take longer than a change waits for them.
        Repeated.until(() -> {
            keys.setAll(versions);
            return true;
        });
        double setSeconds = (System.nanoTime() - start) / 1e9;
        screen.text(String.format(Locale.ROOT, "%,d keys set in one batch, in %.1f s", versions.size(), setSeconds));
        try (RedisSource redis = new RedisSource(door, null)) {
            screen.text(String.format(
                    Locale.ROOT, "redis-cli -p %d GET %s%s   %s", door.port(), PREFIX, shown, get(redis, shown)));
            start = System.nanoTime();
            compare(redis);
            double getSeconds = (System.nanoTime() - start) / 1e9;
            screen.text(String.format(
                    Locale.ROOT,
                    "all of them read at this one door and compared, %,d in each MGET, in %.1f s",
                    MGET_KEYS,
                    getSeconds));
            return new Figures(versions.size(), versions.size() / setSeconds, versions.size() / getSeconds);
        } finally {
            Repeated.until(() -> keys.deleteAll(versions.keySet()) >= 0);
        }
    }

    private static List<Reply> get(RedisSource redis, List<String> names) {
        List<byte[]> words = new ArrayList<>(List.of("MGET".getBytes(UTF_8)));
        names.forEach(name -> words.add(name.getBytes(UTF_8)));
        Reply reply =
                redis.askAll(List.<byte[][]>of(words.toArray(byte[][]::new))).getFirst();
        if (reply instanceof Reply.Elements array) {
            return array.elements();
        }
        throw new IllegalStateException("the door answered MGET with " + reply);
    }

    private static String get(RedisSource redis, String name) {
        Reply reply = get(redis, List.of(PREFIX + name)).getFirst();
        return reply instanceof Reply.Bulk bulk ? new String(bulk.bytes(), UTF_8) : reply.toString();
    }

    private void compare(RedisSource redis) {
        List<String> all = new ArrayList<>(versions.keySet());
        for (int from = 0; from < all.size(); from += MGET_KEYS) {
            List<String> some = all.subList(from, Math.min(all.size(), from + MGET_KEYS));
            List<Reply> replies = get(redis, some);
            for (int i = 0; i < some.size(); i++) {
                requireVersion(some.get(i), replies.get(i));
            }
        }
    }

    private void requireVersion(String key, Reply reply) {
        byte[] expected = versions.getOrDefault(key, new byte[0]);
        if (!(reply instanceof Reply.Bulk bulk) || !Arrays.equals(bulk.bytes(), expected)) {
            throw new IllegalStateException(
                    "the key " + key + " is " + reply + " where " + new String(expected, UTF_8) + " was set");
        }
    }
}
