package dev.granary.storage.keyed;

import dev.granary.keyed.KeyEntry;
import dev.granary.keyed.Keyspace;
import dev.granary.keyed.ValueType;
import org.jspecify.annotations.Nullable;

/** The keyspace of a slot group that nobody has: there is no key in it, and none can be set. */
record EmptyKeyspace(long nowMillis) implements Keyspace {

    @Override
    public @Nullable KeyEntry find(byte[] key) {
        return null;
    }

    @Override
    public void put(byte[] key, ValueType type, byte[] content, long expiresAtMillis) {
        throw new IllegalStateException("a key is set in a slot group that nobody has");
    }

    @Override
    public boolean remove(byte[] key) {
        return false;
    }

    @Override
    public long size() {
        return 0;
    }

    @Override
    public long scan(long cursor, int count, KeyVisitor visitor) {
        return 0;
    }

    @Override
    public byte @Nullable [] anyKey() {
        return null;
    }

    @Override
    public void clear() {}
}
