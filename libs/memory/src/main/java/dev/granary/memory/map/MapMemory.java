package dev.granary.memory.map;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.granary.memory.os.Vmb;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The VMB of an {@link OffHeapMap}, with the accesses that groups need: unaligned words, moves within, comparisons.
 * Addresses are offsets from the VMB's start and are checked against its bounds. Numbers are little-endian.
 */
final class MapMemory implements AutoCloseable {

    private static final MemorySegment ALL = MemorySegment.ofAddress(0).reinterpret(Long.MAX_VALUE);
    private static final ValueLayout.OfLong ALIGNED = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = ALIGNED.varHandle();
    private static final ValueLayout.OfLong ANY_LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt ANY_INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfShort ANY_SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** Up to here a move by words beats {@link MemorySegment#copy}. */
    private static final int SMALL_MOVE_BYTES = 32;

    private final Vmb vmb;
    private final long base;
    private final long capacityBytes;

    MapMemory(long capacityBytes, boolean hugePages) {
        this.vmb = new Vmb(capacityBytes, hugePages);
        this.base = vmb.base();
        this.capacityBytes = capacityBytes;
    }

    long capacityBytes() {
        return capacityBytes;
    }

    /** Gives memory back to the operating system; it is zero when it is used again. Whole pages only. */
    void giveBack(long start, long end) {
        vmb.giveBack(start, end);
    }

    @Override
    public void close() {
        vmb.close();
    }

    /** An aligned word; what its writer wrote before by a release is visible. */
    long getAcquire(long address) {
        return (long) LONG.getAcquire(ALL, at(address, 8));
    }

    /** Writes an aligned word after everything written before. */
    void setRelease(long address, long value) {
        LONG.setRelease(ALL, at(address, 8), value);
    }

    boolean compareAndSet(long address, long expected, long value) {
        return LONG.compareAndSet(ALL, at(address, 8), expected, value);
    }

    /** Eight bytes at any address; whole if the address is aligned. */
    long word(long address) {
        return ALL.get(ANY_LONG, at(address, 8));
    }

    void setWord(long address, long value) {
        ALL.set(ANY_LONG, at(address, 8), value);
    }

    /** A number of 0 to 8 bytes at any address, unsigned below 8. May read more bytes than it has. */
    long number(long address, int widthBytes) {
        return switch (widthBytes) {
            case 0 -> 0;
            case 1 -> ALL.get(JAVA_BYTE, at(address, 1)) & 0xffL;
            case 2 -> ALL.get(ANY_SHORT, at(address, 2)) & 0xffffL;
            case 3 -> ALL.get(ANY_INT, at(address, 4)) & 0xff_ffffL;
            case 4 -> ALL.get(ANY_INT, at(address, 4)) & 0xffff_ffffL;
            default -> word(address) & (-1L >>> (64 - 8 * widthBytes));
        };
    }

    /** Writes the lowest 0 to 6 or 8 bytes of a number to any address. */
    void setNumber(long address, int widthBytes, long value) {
        switch (widthBytes) {
            case 0 -> {}
            case 1 -> ALL.set(JAVA_BYTE, at(address, 1), (byte) value);
            case 2 -> ALL.set(ANY_SHORT, at(address, 2), (short) value);
            case 3 -> {
                ALL.set(ANY_SHORT, at(address, 3), (short) value);
                ALL.set(JAVA_BYTE, at(address, 3) + 2, (byte) (value >>> 16));
            }
            case 4, 5, 6 -> {
                ALL.set(ANY_INT, at(address, widthBytes), (int) value);
                setNumber(address + 4, widthBytes - 4, value >>> 32);
            }
            default -> setWord(address, value);
        }
    }

    /** Moves bytes; the places may overlap. */
    void move(long from, long to, int sizeBytes) {
        long source = at(from, sizeBytes);
        long target = at(to, sizeBytes);
        if (sizeBytes > SMALL_MOVE_BYTES) {
            MemorySegment.copy(ALL, source, ALL, target, sizeBytes);
        } else if (sizeBytes >= 8) {
            moveWords(source, target, sizeBytes);
        } else if (from < to) {
            for (int i = sizeBytes - 1; i >= 0; i--) {
                ALL.set(JAVA_BYTE, target + i, ALL.get(JAVA_BYTE, source + i));
            }
        } else {
            for (int i = 0; i < sizeBytes; i++) {
                ALL.set(JAVA_BYTE, target + i, ALL.get(JAVA_BYTE, source + i));
            }
        }
    }

    /** Copies to a segment whose bounds the caller has checked. */
    void copyOut(long address, MemorySegment target, long offset, int sizeBytes) {
        vmb.copyOut(address, target, offset, sizeBytes);
    }

    /** Copies from a segment whose bounds the caller has checked. */
    void copyIn(MemorySegment source, long offset, long address, int sizeBytes) {
        vmb.copyIn(source, offset, address, sizeBytes);
    }

    /** Whether the bytes here are those of a segment whose bounds the caller has checked. */
    boolean matches(long address, MemorySegment other, long offset, int sizeBytes) {
        long here = at(address, sizeBytes);
        if (sizeBytes > 64) {
            return MemorySegment.mismatch(ALL, here, here + sizeBytes, other, offset, offset + sizeBytes) < 0;
        }
        int last = sizeBytes - 8;
        for (int i = 0; i < last; i += 8) {
            if (ALL.get(ANY_LONG, here + i) != other.get(ANY_LONG, offset + i)) {
                return false;
            }
        }
        if (last >= 0) {
            return ALL.get(ANY_LONG, here + last) == other.get(ANY_LONG, offset + last);
        }
        for (int i = 0; i < sizeBytes; i++) {
            if (ALL.get(JAVA_BYTE, here + i) != other.get(JAVA_BYTE, offset + i)) {
                return false;
            }
        }
        return true;
    }

    /** The hash of a key that lies here. */
    long hash(long address, int sizeBytes, long seed) {
        return MapHash.of(ALL, at(address, sizeBytes), sizeBytes, seed);
    }

    /** The sum of at most 255 unsigned bytes. May read up to 7 bytes more. */
    int sumOfBytes(long address, int count) {
        long from = at(address, count + 7L);
        long sums = 0;
        int i = 0;
        for (; i + 8 <= count; i += 8) {
            sums += pairs(ALL.get(ANY_LONG, from + i));
        }
        if (i < count) {
            sums += pairs(ALL.get(ANY_LONG, from + i) & ((1L << (8 * (count - i))) - 1));
        }
        return (int) ((sums * 0x0001_0001_0001_0001L) >>> 48);
    }

    /** The sum of unsigned numbers of 2 bytes. */
    int sumOfShorts(long address, int count) {
        long from = at(address, 2L * count);
        int sum = 0;
        for (int i = 0; i < count; i++) {
            sum += ALL.get(ANY_SHORT, from + 2L * i) & 0xffff;
        }
        return sum;
    }

    /** Sums of neighbouring bytes in lanes of 16 bits; 255 bytes of 255 fit into one lane. */
    private static long pairs(long word) {
        return (word & 0x00ff_00ff_00ff_00ffL) + ((word >>> 8) & 0x00ff_00ff_00ff_00ffL);
    }

    /** Reads all, then writes: 8 to 32 bytes, which may overlap. */
    private static void moveWords(long source, long target, int sizeBytes) {
        int last = sizeBytes - 8;
        long first = ALL.get(ANY_LONG, source);
        long end = ALL.get(ANY_LONG, source + last);
        if (last > 8) {
            long second = ALL.get(ANY_LONG, source + 8);
            long third = ALL.get(ANY_LONG, source + last - 8);
            ALL.set(ANY_LONG, target + 8, second);
            ALL.set(ANY_LONG, target + last - 8, third);
        }
        ALL.set(ANY_LONG, target, first);
        ALL.set(ANY_LONG, target + last, end);
    }

    private long at(long address, long sizeBytes) {
        if (Long.compareUnsigned(address, capacityBytes - sizeBytes) > 0) {
            throw outside(address, sizeBytes);
        }
        return base + address;
    }

    private IndexOutOfBoundsException outside(long address, long sizeBytes) {
        return new IndexOutOfBoundsException(
                sizeBytes + " B at 0x" + Long.toHexString(address) + " leave the map's " + capacityBytes + " B");
    }
}
