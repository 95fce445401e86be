package dev.granary.bench.compare;

import dev.granary.bench.memory.BenchStore;
import dev.granary.bench.memory.Scratch;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A store of byte arrays. The key of an object is its number. */
abstract class ByteArrayStore implements BenchStore {

    /** The value of a key, or null. */
    abstract byte @Nullable [] find(Long key);

    /** Sets a value. The store may keep the array. */
    abstract void store(Long key, byte[] value);

    @Override
    public final void insert(long index, Scratch payload, int sizeBytes) {
        store(index, Arrays.copyOf(payload.bytes(), sizeBytes));
    }

    @Override
    public final long keyOf(long index) {
        return index;
    }

    @Override
    public final int get(long key, Scratch target) {
        byte[] value = find(key);
        if (value == null) {
            return -1;
        }
        System.arraycopy(value, 0, target.bytes(), 0, value.length);
        return value.length;
    }

    @Override
    public final boolean put(long key, Scratch payload, int sizeBytes) {
        store(key, Arrays.copyOf(payload.bytes(), sizeBytes));
        return true;
    }

    /** Returns a negative number: these stores do not report it, so growth of process and heap is measured. */
    @Override
    public final long overheadBytes() {
        return -1;
    }

    @Override
    public final long measuringBytes() {
        return 0;
    }
}
