package dev.granary.cli.keys;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.granary.cli.base.UserException;
import dev.granary.client.AsyncKeys;
import dev.granary.client.GranaryClient;
import dev.granary.client.InvalidRequestException;
import dev.granary.client.admin.ClusterAdmin;
import dev.granary.client.admin.KeyCommands;
import dev.granary.client.admin.KeyCommands.OnKey;
import dev.granary.resp.Reply;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Copies the keys of a server of the Redis protocol, by SCAN, with their types and lifetimes. A key that the cluster
 * has is replaced. What changes in the source meanwhile may be copied or not. For one thread.
 */
public final class RedisCopy {

    /** Keys of a page: their values are in memory together. */
    private static final String PAGE_KEYS = "256";

    private static final String TOO_LARGE = "larger than 8 MiB";

    private final RedisSource source;
    private final KeyCommands target;
    private final @Nullable String pattern;
    private long copied;
    private long copiedBytes;

    /** By type, how many keys were not copied because the cluster has no such type or no place for as much. */
    private final Map<String, Long> skipped = new TreeMap<>();

    /** @param pattern of the keys to copy, as SCAN has it; null for all */
    public RedisCopy(RedisSource source, GranaryClient client, @Nullable String pattern) {
        this.source = source;
        this.target = ClusterAdmin.of(client).keyCommands();
        this.pattern = pattern;
    }

    /** Returns how many keys the source has, or may have: those that do not match are among them. */
    public long size() {
        return source.ask(RedisSource.words("DBSIZE")) instanceof Reply.WholeNumber number ? number.value() : 0;
    }

    /**
     * Copies.
     *
     * @param progress told the number of keys of each page
     */
    public void run(LongConsumer progress) {
        byte[] cursor = {'0'};
        do {
            List<byte[]> scan = new ArrayList<>(List.of("SCAN".getBytes(UTF_8), cursor));
            scan.addAll(List.of(RedisSource.words("COUNT", PAGE_KEYS)));
            if (pattern != null) {
                scan.addAll(List.of(RedisSource.words("MATCH", pattern)));
            }
            List<Reply> page = elements(source.ask(scan.toArray(byte[][]::new)));
            cursor = bytes(page.get(0));
            List<Reply> keys = elements(page.get(1));
            copy(keys.stream().map(RedisCopy::bytes).toList());
            progress.accept(keys.size());
        } while (cursor.length != 1 || cursor[0] != '0');
    }

    private void copy(List<byte[]> keys) {
        List<byte[][]> questions = new ArrayList<>();
        for (byte[] key : keys) {
            questions.add(new byte[][] {"TYPE".getBytes(UTF_8), key});
            questions.add(new byte[][] {"PTTL".getBytes(UTF_8), key});
        }
        List<Reply> answers = source.askAll(questions);
        Map<RedisType, List<Entry>> byType = new LinkedHashMap<>();
        for (int i = 0; i < keys.size(); i++) {
            String type = answers.get(2 * i) instanceof Reply.Text text ? text.text() : "none";
            long lifetime = answers.get(2 * i + 1) instanceof Reply.WholeNumber number ? number.value() : -1;
            RedisType known = RedisType.of(type);
            if (known != null) {
                byType.computeIfAbsent(known, _ -> new ArrayList<>()).add(new Entry(keys.get(i), lifetime));
            } else if (!type.equals("none")) {
                skipped.merge(type, 1L, Long::sum);
            }
        }
        byType.forEach(this::copy);
    }

    /** A key of the source, and how many milliseconds it still lives; -1 for ever. */
    @SuppressWarnings("ArrayRecordComponent") // It is read, never compared.
    private record Entry(byte[] key, long lifetimeMillis) {}

    private void copy(RedisType type, List<Entry> entries) {
        if (skipped.containsKey(type.label())) {
            skipped.merge(type.label(), (long) entries.size(), Long::sum);
            return;
        }
        List<Reply> values = source.askAll(
                entries.stream().map(entry -> type.reading(entry.key)).toList());
        List<OnKey> changes = new ArrayList<>();
        long bytes = 0;
        for (int i = 0; i < entries.size(); i++) {
            Entry entry = entries.get(i);
            List<byte[][]> commands = type.writing(entry.key, values.get(i), entry.lifetimeMillis);
            long size = commands.stream().mapToLong(RedisCopy::sizeBytes).sum();
            if (size > AsyncKeys.MAX_BYTES) {
                skipped.merge(TOO_LARGE, 1L, Long::sum);
            } else if (size > 0) {
                changes.add(new OnKey(entry.key, commands));
                bytes += size;
            }
        }
        try {
            List<Reply> replies = Repeated.until(() -> GranaryClient.await(target.carryOut(changes)));
            for (int i = 0; i < replies.size(); i++) {
                check(changes.get(i), replies.get(i));
            }
            copied += changes.size();
            copiedBytes += bytes;
        } catch (InvalidRequestException e) {
            if (type.isEverywhere()) {
                throw e;
            }
            skipped.merge(type.label(), (long) entries.size(), Long::sum);
        }
    }

    private static long sizeBytes(byte[][] command) {
        long bytes = 0;
        for (byte[] word : command) {
            bytes += word.length;
        }
        return bytes;
    }

    private static void check(OnKey change, Reply reply) {
        switch (reply) {
            case Reply.Failure failure ->
                throw new UserException(
                        "the key '" + new String(change.key(), UTF_8) + "' was not copied: " + failure.text());
            case Reply.Elements all -> all.elements().forEach(each -> check(change, each));
            default -> {
                // It was carried out.
            }
        }
    }

    static List<Reply> elements(Reply reply) {
        if (reply instanceof Reply.Elements array) {
            return array.elements();
        }
        throw new UserException("the source answered " + reply + " where an array was expected");
    }

    static byte[] bytes(Reply reply) {
        if (reply instanceof Reply.Bulk bulk) {
            return bulk.bytes();
        }
        throw new UserException("the source answered " + reply + " where a string was expected");
    }

    /** Returns how many keys were copied. */
    public long copied() {
        return copied;
    }

    /** Returns how many bytes their commands had. */
    public long copiedBytes() {
        return copiedBytes;
    }

    /** Returns by type how many keys were not copied, because the cluster has no such type or no place for as much. */
    public Map<String, Long> skipped() {
        return skipped;
    }
}
