package dev.granary.cli.keys;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.granary.resp.Reply;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The types of values of Redis that can be copied: how they are read, and by which commands they are made again. */
enum RedisType {
    STRING("string", "GET", "SET", ""),
    HASH("hash", "HGETALL", "HSET", ""),
    LIST("list", "LRANGE", "RPUSH", "0 -1"),
    SET("set", "SMEMBERS", "SADD", ""),
    SORTED_SET("zset", "ZRANGE", "ZADD", "0 -1 WITHSCORES");

    private static final byte[] DEL = ascii("DEL");
    private static final byte[] PEXPIRE = ascii("PEXPIRE");

    private final String label;
    private final String reading;
    private final String writing;

    /** What stands behind the key in the request that reads the value, with spaces between words. */
    private final String behindKey;

    RedisType(String label, String reading, String writing, String behindKey) {
        this.label = label;
        this.reading = reading;
        this.writing = writing;
        this.behindKey = behindKey;
    }

    /** Returns the type that Redis calls so; null when it cannot be copied. */
    static @Nullable RedisType of(String label) {
        for (RedisType type : values()) {
            if (type.label.equals(label)) {
                return type;
            }
        }
        return null;
    }

    /** Returns what Redis calls it. */
    String label() {
        return label;
    }

    /** Returns whether every version of Granary has the type. */
    boolean isEverywhere() {
        return this == STRING || this == HASH;
    }

    /** Returns the request that reads the value of a key. */
    byte[][] reading(byte[] key) {
        List<byte[]> words = new ArrayList<>(List.of(ascii(reading), key));
        if (!behindKey.isEmpty()) {
            words.addAll(List.of(RedisSource.words(behindKey.split(" ", -1))));
        }
        return words.toArray(byte[][]::new);
    }

    /**
     * Returns the commands that make the value again, in place of what there may be.
     *
     * @param value as read
     * @param lifetimeMillis how long the key still lives; below zero for ever
     * @return none when the key is gone meanwhile
     */
    List<byte[][]> writing(byte[] key, Reply value, long lifetimeMillis) {
        List<byte[]> parts = new ArrayList<>(List.of(ascii(writing), key));
        if (value instanceof Reply.Bulk bulk) {
            parts.add(bulk.bytes());
        } else if (value instanceof Reply.Elements array) {
            array.elements().forEach(element -> parts.add(RedisCopy.bytes(element)));
        }
        if (parts.size() == 2 || lifetimeMillis == 0) {
            return List.of();
        }
        if (this == SORTED_SET) {
            swapPairs(parts);
        }
        List<byte[][]> commands = new ArrayList<>();
        if (this != STRING) {
            commands.add(new byte[][] {DEL, key});
        }
        commands.add(parts.toArray(byte[][]::new));
        if (lifetimeMillis > 0) {
            commands.add(new byte[][] {PEXPIRE, key, ascii(Long.toString(lifetimeMillis))});
        }
        return commands;
    }

    /** ZRANGE tells members before scores, ZADD takes them the other way round. */
    private static void swapPairs(List<byte[]> parts) {
        for (int i = 2; i + 1 < parts.size(); i += 2) {
            byte[] member = parts.get(i);
            parts.set(i, parts.get(i + 1));
            parts.set(i + 1, member);
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(US_ASCII);
    }
}
