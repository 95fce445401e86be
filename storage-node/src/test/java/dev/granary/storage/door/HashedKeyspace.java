package dev.granary.storage.door;

import dev.granary.keyed.KeyEntry;
import dev.granary.keyed.Keyspace;
import dev.granary.keyed.ValueType;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Keys of one slot group on the heap. A scan goes by the hashes of keys, so that changes beside it harm none. */
final class HashedKeyspace implements Keyspace {

    private final Map<ByteBuffer, KeyEntry> entries = new HashMap<>();

    @Override
    public long nowMillis() {
        return System.currentTimeMillis();
    }

    @Override
    public @Nullable KeyEntry find(byte[] key) {
        KeyEntry entry = entries.get(ByteBuffer.wrap(key));
        return entry == null || entry.expiresAtMillis() <= nowMillis() ? null : entry;
    }

    @Override
    public void put(byte[] key, ValueType type, byte[] content, long expiresAtMillis) {
        if (expiresAtMillis <= nowMillis()) {
            remove(key);
        } else {
            entries.put(ByteBuffer.wrap(key), new KeyEntry(type, content, expiresAtMillis));
        }
    }

    @Override
    public boolean remove(byte[] key) {
        KeyEntry gone = entries.remove(ByteBuffer.wrap(key));
        return gone != null && gone.expiresAtMillis() > nowMillis();
    }

    @Override
    public long size() {
        // Nobody else removes what has expired.
        entries.values().removeIf(entry -> entry.expiresAtMillis() <= nowMillis());
        return entries.size();
    }

    private static byte[] bytes(ByteBuffer key) {
        byte[] bytes = new byte[key.remaining()];
        key.duplicate().get(bytes);
        return bytes;
    }

    private static long hash(ByteBuffer key) {
        return Integer.toUnsignedLong(key.hashCode() * 0x9e3779b1);
    }

    @Override
    public long scan(long cursor, int count, KeyVisitor visitor) {
        List<ByteBuffer> rest = entries.keySet().stream()
                .filter(key -> hash(key) >= cursor)
                .sorted(Comparator.comparingLong(HashedKeyspace::hash))
                .toList();
        long last = -1;
        int visited = 0;
        for (ByteBuffer key : rest) {
            // Keys with the same hash are not parted: the next scan begins behind them.
            if (visited >= count && hash(key) != last) {
                return last + 1;
            }
            KeyEntry entry = entries.get(key);
            if (entry != null && entry.expiresAtMillis() > nowMillis()) {
                visitor.visit(bytes(key), entry);
            }
            last = hash(key);
            visited++;
        }
        return 0;
    }

    @Override
    public byte @Nullable [] anyKey() {
        return size() == 0 ? null : bytes(entries.keySet().iterator().next());
    }

    @Override
    public void clear() {
        entries.clear();
    }
}
