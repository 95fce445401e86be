package dev.granary.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the keys of one hash tag hold, for {@link KeyHistory}. Immutable.
 *
 * @param entries by key
 * @param watches keys that nothing has changed since they were watched
 * @param before what was there before the last changes, as far back as they may be undone, the latest last
 */
record KeyState(SortedMap<String, Entry> entries, Set<Watch> watches, List<SortedMap<String, Entry>> before) {

    static final KeyState EMPTY = new KeyState(new TreeMap<>(), Set.of(), List.of());

    /**
     * The value of a key.
     *
     * @param text null for a hash
     * @param fields of a hash
     * @param expiry null if it stays
     */
    record Entry(
            @Nullable String text,
            SortedMap<String, String> fields,
            @Nullable Expiry expiry) {

        static Entry of(String text, @Nullable Expiry expiry) {
            return new Entry(text, new TreeMap<>(), expiry);
        }

        Entry withExpiry(@Nullable Expiry other) {
            return new Entry(text, fields, other);
        }
    }

    /**
     * When a key expires: some time after a moment between two others.
     *
     * @param untilNanos {@link Long#MAX_VALUE} as long as nobody knows
     */
    record Expiry(long fromNanos, long untilNanos, long ttlNanos) {

        /** Returns this expiry, set by a given time at the latest. */
        Expiry setBy(long nanos) {
            return nanos < untilNanos ? new Expiry(fromNanos, nanos, ttlNanos) : this;
        }
    }

    /** @param transaction the number of the transaction whose client watches the key */
    record Watch(int transaction, String key) {}

    /** Returns what a loss of the last changes may leave: none of them is undone, some, or all that may be. */
    List<KeyState> rolledBack() {
        List<KeyState> possible = new ArrayList<>(List.of(this));
        for (int i = before.size() - 1; i >= 0; i--) {
            possible.add(new KeyState(before.get(i), Set.of(), List.copyOf(before.subList(0, i))));
        }
        return possible;
    }
}
