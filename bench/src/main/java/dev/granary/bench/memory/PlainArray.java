package dev.granary.bench.memory;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;

/**
 * The bound: objects side by side in huge pages, without bookkeeping and without concurrency control. The key contains
 * the place and the size, so that no lookup is needed.
 *
 * <pre>
 *  63                        24 23            0
 * +----------------------------+---------------+
 * | place, bytes from the base | size in bytes |
 * +----------------------------+---------------+
 * </pre>
 */
final class PlainArray implements BenchStore {

    private static final MemorySegment ALL = NativeMemory.ALL;
    private static final int SIZE_BITS = 24;

    /** The most words that this class copies itself. It leaves longer copies to the library. */
    private static final int WORDS_UP_TO = 128;

    private final NativeMemory memory;
    private final long base;
    private final SizePattern sizes;

    private PlainArray(long objects, SizePattern sizes) {
        this.sizes = sizes;
        memory = new NativeMemory(sizes.bytesBefore(objects) + Long.BYTES);
        base = memory.address();
    }

    static Factory factory() {
        return new Factory() {
            @Override
            public String store() {
                return "plain-array";
            }

            @Override
            public String layout() {
                return "";
            }

            @Override
            public BenchStore open(long chunks, SizePattern sizes) {
                return new PlainArray(chunks, sizes);
            }
        };
    }

    @Override
    public void insert(long index, Scratch payload, int sizeBytes) {
        put(keyOf(index), payload, sizeBytes);
    }

    @Override
    public long keyOf(long index) {
        return (sizes.bytesBefore(index) << SIZE_BITS) | sizes.sizeOf(index);
    }

    @Override
    public int get(long key, Scratch target) {
        int sizeBytes = (int) key & ((1 << SIZE_BITS) - 1);
        copy(ALL, base + (key >>> SIZE_BITS), target.segment(), 0, sizeBytes);
        return sizeBytes;
    }

    @Override
    public boolean put(long key, Scratch payload, int sizeBytes) {
        copy(payload.segment(), 0, ALL, base + (key >>> SIZE_BITS), sizeBytes);
        return true;
    }

    /** The first 8 bytes of an object, for pointer chasing. */
    long firstWord(long key) {
        return ALL.get(JAVA_LONG_UNALIGNED, base + (key >>> SIZE_BITS));
    }

    private static void copy(MemorySegment source, long from, MemorySegment target, long to, int sizeBytes) {
        if (sizeBytes > WORDS_UP_TO) {
            MemorySegment.copy(source, from, target, to, sizeBytes);
            return;
        }
        int i = 0;
        for (; i <= sizeBytes - Long.BYTES; i += Long.BYTES) {
            target.set(JAVA_LONG_UNALIGNED, to + i, source.get(JAVA_LONG_UNALIGNED, from + i));
        }
        for (; i < sizeBytes; i++) {
            target.set(JAVA_BYTE, to + i, source.get(JAVA_BYTE, from + i));
        }
    }

    @Override
    public long overheadBytes() {
        return 0;
    }

    @Override
    public long measuringBytes() {
        return 0;
    }

    @Override
    public void close() {
        memory.close();
    }
}
