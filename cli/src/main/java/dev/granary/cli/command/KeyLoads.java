package dev.granary.cli.command;

import dev.granary.cli.base.Json;
import dev.granary.cli.base.Sizes;
import dev.granary.cli.base.UserException;
import dev.granary.cli.keys.KeyLines;
import dev.granary.cli.keys.KeyLoader;
import dev.granary.cli.keys.RedisCopy;
import dev.granary.cli.keys.RedisSource;
import dev.granary.client.GranaryClient;
import dev.granary.overlay.HostAddress;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import me.tongfei.progressbar.ProgressBar;
import org.jspecify.annotations.Nullable;

/** Loads of keys, with a progress bar and figures at the end. For one thread. */
final class KeyLoads {

    private final GranaryClient client;
    private final Interruption interruption;
    private final boolean json;
    private final long startNanos = System.nanoTime();

    /** @param json whether the figures are one JSON object on standard output */
    KeyLoads(GranaryClient client, Interruption interruption, boolean json) {
        this.client = client;
        this.interruption = interruption;
        this.json = json;
    }

    /**
     * Sets the keys of a file.
     *
     * @param file its name; - for standard input
     * @param csv whether it is CSV whatever its name
     * @param header whether its first line is skipped
     * @param lifetime of the keys, null for ever
     */
    void fromFile(String file, boolean csv, boolean header, @Nullable Duration lifetime) throws IOException {
        boolean standardInput = file.equals("-");
        KeyLines.Format format =
                csv || file.toLowerCase(Locale.ROOT).endsWith(".csv") ? KeyLines.Format.CSV : KeyLines.Format.TSV;
        if (!standardInput && !Files.isReadable(Path.of(file))) {
            throw new UserException("there is no file " + file);
        }
        KeyLoader loader = new KeyLoader(client, lifetime);
        try (InputStream in = standardInput ? System.in : Files.newInputStream(Path.of(file));
                ProgressBar bar = Progress.bytes("load", standardInput ? -1 : Files.size(Path.of(file)))) {
            KeyLines lines = new KeyLines(in, format, standardInput ? "the standard input" : file);
            if (header) {
                lines.skipHeader();
            }
            loader.load(lines, read -> {
                interruption.check();
                bar.stepTo(read);
            });
        } finally {
            // Also when a line makes no sense: what was set by then stays.
            report("set", loader.loaded(), loader.loadedBytes(), Map.of());
        }
    }

    /**
     * Copies the keys of a server of the Redis protocol.
     *
     * @param pattern of the keys to copy, null for all
     */
    void fromRedis(String address, @Nullable String pattern) {
        try (RedisSource source = new RedisSource(parse(address), System.getenv("REDISCLI_AUTH"))) {
            RedisCopy copy = new RedisCopy(source, client, pattern);
            try (ProgressBar bar = Progress.bar("copy", copy.size())) {
                copy.run(keys -> {
                    interruption.check();
                    bar.stepBy(keys);
                });
            }
            report("copied", copy.copied(), copy.copiedBytes(), copy.skipped());
        }
    }

    private static HostAddress parse(String address) {
        try {
            return HostAddress.parse(address);
        } catch (IllegalArgumentException e) {
            throw new UserException(e.getMessage() + " (of a Redis, usually port 6379)", e);
        }
    }

    private void report(String done, long keys, long bytes, Map<String, Long> skipped) {
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        System.err.printf(
                Locale.ROOT, "%s %s keys with %s in %.1f s%n", done, Sizes.count(keys), Sizes.bytes(bytes), seconds);
        skipped.forEach((type, count) -> System.err.println(
                "granary: " + Sizes.count(count) + " keys were not copied, as the cluster has no place for: " + type));
        if (json) {
            Map<String, Object> figures = new LinkedHashMap<>();
            figures.put("keys", keys);
            figures.put("bytes", bytes);
            figures.put("seconds", seconds);
            if (!skipped.isEmpty()) {
                figures.put("skipped", skipped);
            }
            System.out.println(Json.compact(figures));
        }
    }
}
