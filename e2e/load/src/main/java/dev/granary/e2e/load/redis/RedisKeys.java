package dev.granary.e2e.load.redis;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one client, which nobody else writes, and the values that they must have. A key whose last write has an
 * unknown outcome is written no more, as that write may still be carried out: another key takes its place. Belongs to
 * one thread at a time.
 */
final class RedisKeys {

    private final String prefix;
    private final String[] keys;
    private final @Nullable String[] values;
    private final Map<String, Set<String>> unsure = new HashMap<>();
    private long writes;

    /** The value of a key that nobody has set, among the possible ones. */
    private static final String NOTHING = "";

    RedisKeys(String prefix, int count) {
        this.prefix = prefix;
        this.keys = new String[count];
        this.values = new String[count];
        for (int i = 0; i < count; i++) {
            keys[i] = prefix + ":" + i;
        }
    }

    int count() {
        return keys.length;
    }

    /** Returns the present key of a place. */
    String key(int place) {
        return keys[place];
    }

    /** Returns a value that no key has had. */
    String nextValue(int place) {
        return keys[place] + "=" + ++writes;
    }

    void acknowledged(int place, String value) {
        values[place] = value;
    }

    /** Notes that a write may have been carried out, or may be yet. The place has another key from now on. */
    void unknown(int place, String value) {
        String before = values[place];
        unsure.put(keys[place], Set.of(before == null ? NOTHING : before, value));
        keys[place] = prefix + ":" + place + ":" + ++writes;
        values[place] = null;
    }

    /** Says what is wrong with a value that was read; null when it is right. */
    @Nullable
    String complaint(int place, @Nullable String read) {
        String expected = values[place];
        return (read == null ? expected == null : read.equals(expected))
                ? null
                : "%s is %s, but %s was acknowledged".formatted(keys[place], read, expected);
    }

    /** Returns the keys whose last write has an unknown outcome. */
    Set<String> unsureKeys() {
        return new TreeSet<>(unsure.keySet());
    }

    /** Says what is wrong with the value of a key whose last write has an unknown outcome; null when it is right. */
    @Nullable
    String complaint(String key, @Nullable String read) {
        Set<String> possible = unsure.getOrDefault(key, Set.of());
        return possible.contains(read == null ? NOTHING : read)
                ? null
                : "%s is %s, but must be one of %s".formatted(key, read, possible);
    }
}
