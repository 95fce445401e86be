package dev.granary.keyed;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Keys on the heap, in the order of their bytes: the model against which others are compared. */
public final class HeapKeyspace implements Keyspace {

    private final TreeMap<byte[], KeyEntry> entries = new TreeMap<>(Comparator.nullsFirst(Arrays::compareUnsigned));
    private long nowMillis = 1_000_000;

    /** Without keys. */
    public HeapKeyspace() {}

    /** Sets the time. */
    public void nowMillis(long millis) {
        nowMillis = millis;
    }

    @Override
    public long nowMillis() {
        return nowMillis;
    }

    @Override
    public @Nullable KeyEntry find(byte[] key) {
        KeyEntry entry = entries.get(key);
        return entry == null || entry.expiresAtMillis() <= nowMillis ? null : entry;
    }

    @Override
    public void put(byte[] key, ValueType type, byte[] content, long expiresAtMillis) {
        if (expiresAtMillis <= nowMillis) {
            entries.remove(key);
        } else {
            entries.put(key, new KeyEntry(type, content, expiresAtMillis));
        }
    }

    @Override
    public boolean remove(byte[] key) {
        KeyEntry gone = entries.remove(key);
        return gone != null && gone.expiresAtMillis() > nowMillis;
    }

    @Override
    public long size() {
        return entries.size();
    }

    @Override
    public long scan(long cursor, int count, KeyVisitor visitor) {
        List<byte[]> keys = new ArrayList<>(entries.keySet());
        int end = (int) Math.min(keys.size(), cursor + count);
        for (byte[] key : keys.subList((int) Math.min(cursor, end), end)) {
            KeyEntry entry = find(key);
            if (entry != null) {
                visitor.visit(key, entry);
            }
        }
        return end == keys.size() ? 0 : end;
    }

    @Override
    public byte @Nullable [] anyKey() {
        return entries.keySet().stream()
                .filter(key -> find(key) != null)
                .findFirst()
                .orElse(null);
    }

    @Override
    public void clear() {
        entries.clear();
    }
}
