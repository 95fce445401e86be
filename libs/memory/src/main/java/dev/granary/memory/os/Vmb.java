package dev.granary.memory.os;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.memory.MemoryFromSystem;
import dev.granary.memory.ReservationException;
import dev.granary.memory.SystemMemoryConfig;
import dev.granary.serialization.SegmentExporter;
import dev.granary.serialization.SegmentImporter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The virtual memory block: one reservation of address space in which everything of a chunk memory lies. Addresses are
 * offsets from its start, 43 bits. Numbers are little-endian.
 *
 * <p>All of the reservation stays readable, whatever has been given back: who follows an address that is no longer true
 * reads zeros or other bytes, and finds out.
 *
 * <p>All accesses go through one static segment over the whole address space, because the compiler then sees a constant
 * (measured: 22 ns instead of 33 for a random read); so the bounds are checked here.
 */
public final class Vmb implements AutoCloseable {

    private static final MemorySegment ALL = MemorySegment.ofAddress(0).reinterpret(Long.MAX_VALUE);
    private static final ValueLayout.OfLong LONG_LAYOUT = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = LONG_LAYOUT.varHandle();
    private static final ValueLayout.OfLong ANY_LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt ANY_INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfShort ANY_SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** Of a huge page: the start is aligned to it. */
    private static final long ALIGNMENT_BYTES = 2L << 20;

    /** Behind the end, so that an 8-byte access that begins inside never leaves the reservation. */
    private static final long SLACK_BYTES = 64L << 10;

    /** Inaccessible, at both ends: nothing else becomes a part of our mapping, and its figures are ours alone. */
    private static final long GUARD_BYTES = 64L << 10;

    /** What the operating system gives and takes back is rounded to the largest page that is common. */
    private static final long PAGE_BYTES = 64L << 10;

    /** Up to here a copy by words beats {@link MemorySegment#copy}. */
    private static final int SMALL_COPY_BYTES = 64;

    private static final AtomicInteger OPEN = new AtomicInteger();

    private final SystemMemoryConfig config;
    private final long reservation;
    private final long reservedBytes;
    private final long base;
    private final long maxCapacityBytes;
    private volatile long capacityBytes;

    /** What is locked into RAM if that was asked for. */
    @GuardedBy("this")
    private long lockedBytes;

    /** A memory that cannot grow, with nothing special but huge pages. */
    public Vmb(long capacityBytes, boolean hugePages) {
        this(capacityBytes, SystemMemoryConfig.defaults().withHugePages(hugePages));
    }

    /**
     * Reserves the address space and takes as much memory at once as the configuration says.
     *
     * @throws IllegalArgumentException if the configuration does not suit the capacity or the machine
     * @throws ReservationException if the operating system refuses
     */
    public Vmb(long capacityBytes, SystemMemoryConfig config) {
        config.check(capacityBytes);
        NumaNodes.check(config.numaNode());
        this.config = config;
        this.capacityBytes = capacityBytes;
        this.maxCapacityBytes = Math.max(capacityBytes, config.maxCapacityBytes());
        this.reservedBytes = maxCapacityBytes + SLACK_BYTES + ALIGNMENT_BYTES + 2 * GUARD_BYTES;
        this.reservation = PosixMemory.reserve(reservedBytes);
        this.base = (reservation + GUARD_BYTES + ALIGNMENT_BYTES - 1) & -ALIGNMENT_BYTES;
        boolean done = false;
        try {
            PosixMemory.makeAccessible(base, maxCapacityBytes + SLACK_BYTES);
            if (config.hugePages()) {
                // Where the kernel has none the answer is no, and ordinary pages do: fromSystem() tells.
                PosixMemory.adviseHugePages(base, maxCapacityBytes);
            }
            if (config.numaNode() != SystemMemoryConfig.ANY_NODE) {
                PosixMemory.preferNode(base, maxCapacityBytes + SLACK_BYTES, config.numaNode());
            }
            take(capacityBytes);
            done = true;
        } finally {
            if (!done) {
                PosixMemory.release(reservation, reservedBytes);
            }
        }
        OPEN.incrementAndGet();
    }

    /** How many reservations this process holds. */
    public static int openCount() {
        return OPEN.get();
    }

    /** How much may be used at present. */
    public long capacityBytes() {
        return capacityBytes;
    }

    /** The native address of the first byte. */
    public long base() {
        return base;
    }

    /** How much address space is reserved. */
    public long maxCapacityBytes() {
        return maxCapacityBytes;
    }

    /** Whether memory is taken once and kept, instead of when it is used. */
    public boolean keepsMemory() {
        return config.preTouch();
    }

    /**
     * Takes the memory of a capacity now: locks it, and touches it, if that was asked for.
     *
     * @throws ReservationException if the operating system refuses
     */
    public void take(long capacityBytes) {
        lock(capacityBytes);
        if (config.preTouch()) {
            new PreTouch(base, capacityBytes, config.progress()).run();
        }
    }

    /** Sets what {@link #capacityBytes} says. */
    public void setCapacity(long capacityBytes) {
        this.capacityBytes = capacityBytes;
    }

    /** Makes sure that all up to here may be used. Returns false if it would have to be locked and cannot be. */
    public boolean prepare(long endBytes) {
        try {
            lock(Math.min(endBytes, maxCapacityBytes));
            return true;
        } catch (ReservationException e) {
            return false;
        }
    }

    /** Gives memory back to the operating system; it is zero when it is used again. Whole pages only. */
    public void giveBack(long start, long end) {
        long from = (start + PAGE_BYTES - 1) & -PAGE_BYTES;
        long to = end & -PAGE_BYTES;
        if (from < to) {
            PosixMemory.giveBack(base + from, to - from, config.lockInMemory());
        }
    }

    /** What the operating system says that this takes. */
    public MemoryFromSystem fromSystem() {
        return MemoryFromSystem.read(base, maxCapacityBytes, SLACK_BYTES, config);
    }

    private synchronized void lock(long endBytes) {
        if (config.lockInMemory() && endBytes > lockedBytes) {
            PosixMemory.lock(base + lockedBytes, endBytes - lockedBytes);
            lockedBytes = endBytes;
        }
    }

    @Override
    public void close() {
        PosixMemory.release(reservation, reservedBytes);
        OPEN.decrementAndGet();
    }

    /** An aligned word; what its writer wrote before by a release is visible. */
    public long getAcquire(long address) {
        return (long) LONG.getAcquire(ALL, at(address, 8));
    }

    /** Writes an aligned word after everything written before. */
    public void setRelease(long address, long value) {
        LONG.setRelease(ALL, at(address, 8), value);
    }

    public boolean compareAndSet(long address, long expected, long value) {
        return LONG.compareAndSet(ALL, at(address, 8), expected, value);
    }

    /** Returns the word as it was before. */
    public long add(long address, long delta) {
        return (long) LONG.getAndAdd(ALL, at(address, 8), delta);
    }

    /** Returns the word as it was before. */
    long or(long address, long bits) {
        return (long) LONG.getAndBitwiseOr(ALL, at(address, 8), bits);
    }

    /** Returns the word as it was before. */
    long andNot(long address, long bits) {
        return (long) LONG.getAndBitwiseAnd(ALL, at(address, 8), ~bits);
    }

    /** A word at any address, with no order to other accesses. */
    public long getLong(long address) {
        return ALL.get(ANY_LONG, at(address, 8));
    }

    /** Writes a word to any address, with no order to other accesses. */
    public void setLong(long address, long value) {
        ALL.set(ANY_LONG, at(address, 8), value);
    }

    public int getShort(long address) {
        return ALL.get(ANY_SHORT, at(address, 2)) & 0xffff;
    }

    public void setShort(long address, int value) {
        ALL.set(ANY_SHORT, at(address, 2), (short) value);
    }

    public int getByte(long address) {
        return ALL.get(JAVA_BYTE, at(address, 1)) & 0xff;
    }

    public void setByte(long address, int value) {
        ALL.set(JAVA_BYTE, at(address, 1), (byte) value);
    }

    /** The lowest bytes of a number of up to 6 bytes at any address. */
    public long getBytes(long address, int count) {
        return ALL.get(ANY_LONG, at(address, count)) & ((1L << (8 * count)) - 1);
    }

    /** Writes the lowest 1 to 6 bytes of a number to any address. */
    public void setBytes(long address, int count, long value) {
        long to = at(address, count);
        switch (count) {
            case 1 -> ALL.set(JAVA_BYTE, to, (byte) value);
            case 2 -> ALL.set(ANY_SHORT, to, (short) value);
            case 3 -> {
                ALL.set(ANY_SHORT, to, (short) value);
                ALL.set(JAVA_BYTE, to + 2, (byte) (value >>> 16));
            }
            case 4 -> ALL.set(ANY_INT, to, (int) value);
            case 5 -> {
                ALL.set(ANY_INT, to, (int) value);
                ALL.set(JAVA_BYTE, to + 4, (byte) (value >>> 32));
            }
            case 6 -> {
                ALL.set(ANY_INT, to, (int) value);
                ALL.set(ANY_SHORT, to + 4, (short) (value >>> 32));
            }
            default -> throw new IllegalArgumentException("1 to 6 bytes, not " + count);
        }
    }

    public void zero(long address, long sizeBytes) {
        ALL.asSlice(at(address, sizeBytes), sizeBytes).fill((byte) 0);
    }

    /** Copies bytes to another place here; the places may overlap. */
    public void move(long from, long to, long sizeBytes) {
        MemorySegment.copy(ALL, at(from, sizeBytes), ALL, at(to, sizeBytes), sizeBytes);
    }

    /** Returns whether {@code sizeBytes} at an address lie inside the VMB. */
    public boolean contains(long address, long sizeBytes) {
        return Long.compareUnsigned(address, maxCapacityBytes - sizeBytes) <= 0;
    }

    /** A part of this as a buffer, for reading it from a channel or writing it to one. */
    public ByteBuffer buffer(long address, int sizeBytes) {
        return ALL.asSlice(at(address, sizeBytes), sizeBytes).asByteBuffer();
    }

    /** The address in this process of an address here. */
    public long nativeAddress(long address) {
        return base + address;
    }

    /** Copies from one place to another. They must not overlap. */
    public void copy(long from, long to, int sizeBytes) {
        copyIn(ALL, at(from, sizeBytes), to, sizeBytes);
    }

    /** Copies from here to a segment whose bounds the caller has checked. */
    public void copyOut(long address, MemorySegment target, long offset, int sizeBytes) {
        long from = at(address, sizeBytes);
        if (sizeBytes > SMALL_COPY_BYTES) {
            MemorySegment.copy(ALL, from, target, offset, sizeBytes);
        } else if (sizeBytes >= 8) {
            copyWordsOut(from, target, offset, sizeBytes - 8);
        } else {
            for (int i = 0; i < sizeBytes; i++) {
                target.set(JAVA_BYTE, offset + i, ALL.get(JAVA_BYTE, from + i));
            }
        }
    }

    /** Copies from a segment whose bounds the caller has checked. */
    public void copyIn(MemorySegment source, long offset, long address, int sizeBytes) {
        long to = at(address, sizeBytes);
        if (sizeBytes > SMALL_COPY_BYTES) {
            MemorySegment.copy(source, offset, ALL, to, sizeBytes);
        } else if (sizeBytes >= 8) {
            copyWordsIn(source, offset, to, sizeBytes - 8);
        } else {
            for (int i = 0; i < sizeBytes; i++) {
                ALL.set(JAVA_BYTE, to + i, source.get(JAVA_BYTE, offset + i));
            }
        }
    }

    /** An exporter into a part of the VMB. */
    public SegmentExporter exporter(long address, int sizeBytes) {
        return new SegmentExporter(ALL, at(address, sizeBytes), sizeBytes);
    }

    /** An importer from a part of the VMB. */
    public SegmentImporter importer(long address, int sizeBytes) {
        return new SegmentImporter(ALL, at(address, sizeBytes), sizeBytes);
    }

    /**
     * Copies 8 to 64 bytes as words: as many from the front as fit in half of them, rounded up, and as many up to the
     * end. They may overlap in the middle. No loop: the compiler makes so much of one that it stops inlining.
     *
     * @param last offset of the last word
     */
    private static void copyWordsOut(long from, MemorySegment target, long to, int last) {
        target.set(ANY_LONG, to, ALL.get(ANY_LONG, from));
        if (last > 8) {
            target.set(ANY_LONG, to + 8, ALL.get(ANY_LONG, from + 8));
            target.set(ANY_LONG, to + last - 8, ALL.get(ANY_LONG, from + last - 8));
            if (last > 24) {
                target.set(ANY_LONG, to + 16, ALL.get(ANY_LONG, from + 16));
                target.set(ANY_LONG, to + 24, ALL.get(ANY_LONG, from + 24));
                target.set(ANY_LONG, to + last - 24, ALL.get(ANY_LONG, from + last - 24));
                target.set(ANY_LONG, to + last - 16, ALL.get(ANY_LONG, from + last - 16));
            }
        }
        target.set(ANY_LONG, to + last, ALL.get(ANY_LONG, from + last));
    }

    /** The same in the other direction. */
    private static void copyWordsIn(MemorySegment source, long from, long to, int last) {
        ALL.set(ANY_LONG, to, source.get(ANY_LONG, from));
        if (last > 8) {
            ALL.set(ANY_LONG, to + 8, source.get(ANY_LONG, from + 8));
            ALL.set(ANY_LONG, to + last - 8, source.get(ANY_LONG, from + last - 8));
            if (last > 24) {
                ALL.set(ANY_LONG, to + 16, source.get(ANY_LONG, from + 16));
                ALL.set(ANY_LONG, to + 24, source.get(ANY_LONG, from + 24));
                ALL.set(ANY_LONG, to + last - 24, source.get(ANY_LONG, from + last - 24));
                ALL.set(ANY_LONG, to + last - 16, source.get(ANY_LONG, from + last - 16));
            }
        }
        ALL.set(ANY_LONG, to + last, source.get(ANY_LONG, from + last));
    }

    private long at(long address, long sizeBytes) {
        if (Long.compareUnsigned(address, maxCapacityBytes - sizeBytes) > 0) {
            throw outside(address, sizeBytes);
        }
        return base + address;
    }

    private IndexOutOfBoundsException outside(long address, long sizeBytes) {
        return new IndexOutOfBoundsException(
                sizeBytes + " B at 0x" + Long.toHexString(address) + " leave the VMB of " + maxCapacityBytes + " B");
    }
}
