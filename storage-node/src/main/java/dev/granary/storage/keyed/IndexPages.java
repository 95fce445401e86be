package dev.granary.storage.keyed;

import dev.granary.keyed.KeyspaceFullException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The pages of a {@link KeyIndex} outside the heap. A page has up to {@value #MAX_SLOTS} slots in the order of their
 * buckets, of which it has {@value #BUCKETS}. It consists of units of {@value #UNIT_BYTES} bytes that lie anywhere: one
 * says how many slots each bucket has, the others have the slots, without gaps. A slot has as many bits as its page
 * says.
 *
 * <pre>
 *   first unit    for each bucket as many bits 1 as it has slots, then a bit 0; all other bits are 0
 *   other units   0       1       2 ...                        of 768 bits, those that are left are not used
 *                 +-------+-------+-------+--------+---+
 *                 | slot  | slot  | slot  | ...    |   |      all but the last unit are full
 *                 +-------+-------+-------+--------+---+
 * </pre>
 *
 * <p>Invariants: (5) each unit is in one page or free; (6) the first unit of a page has as many bits 1 as the page has
 * slots, and the page has a unit for each of them. Used by one thread at a time.
 */
final class IndexPages implements AutoCloseable {

    static final int MAX_SLOTS = 512;
    static final int BUCKETS = 256;
    static final int MIN_BITS = 11;
    static final int MAX_BITS = 29;

    static final int UNIT_BYTES = 96;
    private static final int UNIT_BITS = UNIT_BYTES * Byte.SIZE;
    private static final int UNIT_WORDS = UNIT_BYTES / Long.BYTES;
    private static final int BLOCK_UNITS = 16;

    /** Units are taken from the system so many bytes at a time. */
    static final int BLOCK_BYTES = BLOCK_UNITS * UNIT_BYTES;

    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** The slots of a unit, by the bits of a slot. */
    private static final int[] PER_UNIT = new int[MAX_BITS + 1];

    /** To divide the number of a slot by the slots of a unit: a multiplication and a shift by 16. */
    private static final int[] RECIPROCAL = new int[MAX_BITS + 1];

    static {
        for (int bits = MIN_BITS; bits <= MAX_BITS; bits++) {
            PER_UNIT[bits] = UNIT_BITS / bits;
            RECIPROCAL[bits] = ((1 << Short.SIZE) + PER_UNIT[bits] - 1) / PER_UNIT[bits];
        }
    }

    private final KeyedMemory memory;
    private final KeyedMemory.Lender lender;
    private final Arena arena = Arena.ofShared();
    private MemorySegment[] blocks = {};
    private int blockCount;
    private int[] freeUnits = {};
    private int freeCount;

    /** The numbers of the units of each page, {@link #stride} places for one. */
    private int[] units = {};

    private int stride = 4;
    private byte[] unitCounts = {};
    private byte[] slotBits = {};
    private short[] sizes = {};
    private int count;

    /** @param lender gives the memory that the plan does not have */
    IndexPages(KeyedMemory memory, KeyedMemory.Lender lender) {
        this.memory = memory;
        this.lender = lender;
    }

    /** Returns how many pages there are. */
    int count() {
        return count;
    }

    /** Returns how many bytes the units take, those that are free included. */
    long bytes() {
        return (long) blockCount * BLOCK_BYTES;
    }

    /** Returns the number of units of a page that has {@code slots} slots of {@code bits} bits. */
    static int unitsFor(int slots, int bits) {
        return 1 + (slots + PER_UNIT[bits] - 1) / PER_UNIT[bits];
    }

    /** Returns how many slots are taken. */
    int size(int page) {
        return sizes[page];
    }

    /** Returns how many slots the units of a page have room for. */
    int capacity(int page) {
        return Math.min(MAX_SLOTS, (unitCounts[page] - 1) * PER_UNIT[slotBits[page]]);
    }

    int unitCount(int page) {
        return unitCounts[page];
    }

    /** Returns how many bits a slot of a page has. */
    int bits(int page) {
        return slotBits[page];
    }

    /**
     * Sees to it that so many units are free.
     *
     * @throws KeyspaceFullException when there is no room for them; what came before that stays, free
     */
    void reserve(int wanted) {
        while (freeCount < wanted) {
            memory.takeIndex(BLOCK_BYTES, lender);
            if (blockCount == blocks.length) {
                blocks = Arrays.copyOf(blocks, more(blockCount));
            }
            blocks[blockCount] = arena.allocate(BLOCK_BYTES, Long.BYTES);
            room(freeCount + BLOCK_UNITS);
            for (int i = BLOCK_UNITS - 1; i >= 0; i--) {
                freeUnits[freeCount++] = blockCount * BLOCK_UNITS + i;
            }
            blockCount++;
        }
    }

    /** Makes the list of free units long enough for {@code wanted} of them. */
    private void room(int wanted) {
        if (wanted > freeUnits.length) {
            freeUnits = Arrays.copyOf(freeUnits, more(wanted));
        }
    }

    private static int more(int now) {
        return now + now / 4 + 2;
    }

    /** Makes a page without units, and returns its number. */
    int add() {
        if (count == unitCounts.length) {
            int more = more(count);
            units = Arrays.copyOf(units, more * stride);
            unitCounts = Arrays.copyOf(unitCounts, more);
            slotBits = Arrays.copyOf(slotBits, more);
            sizes = Arrays.copyOf(sizes, more);
        }
        return count++;
    }

    /** Empties a page, and gives it {@code unitCount} units. Those that it lacks must be {@linkplain #reserve free}. */
    void reset(int page, int unitCount, int bits) {
        resize(page, unitCount);
        slotBits[page] = (byte) bits;
        sizes[page] = 0;
        int first = unit(page, 0);
        block(first).asSlice(start(first), UNIT_BYTES).fill((byte) 0);
    }

    /** Gives a page {@code unitCount} units. Those that it lacks must be {@linkplain #reserve free}. */
    void resize(int page, int unitCount) {
        if (unitCount > stride) {
            widen(unitCount);
        }
        while (unitCounts[page] > unitCount) {
            room(freeCount + 1);
            freeUnits[freeCount++] = units[page * stride + --unitCounts[page]];
        }
        while (unitCounts[page] < unitCount) {
            units[page * stride + unitCounts[page]++] = freeUnits[--freeCount];
        }
    }

    private void widen(int wider) {
        int[] moved = new int[unitCounts.length * wider];
        for (int page = 0; page < count; page++) {
            System.arraycopy(units, page * stride, moved, page * wider, unitCounts[page]);
        }
        units = moved;
        stride = wider;
    }

    /**
     * Gives the slots of a page another form.
     *
     * @param values those that the slots have from now on, in their order
     */
    void reshape(int page, int unitCount, int bits, int[] values) {
        resize(page, unitCount);
        slotBits[page] = (byte) bits;
        for (int slot = 0; slot < values.length; slot++) {
            set(page, slot, values[slot]);
        }
    }

    /** Returns the first slot of a bucket, and in the upper 32 bits the one behind its last. */
    long run(int page, int bucket) {
        int from = begin(page, bucket);
        return (from - bucket) | ((long) (nextZero(page, from) - bucket) << Integer.SIZE);
    }

    /** Returns the place of the first bit of a bucket in the first unit. */
    private int begin(int page, int bucket) {
        if (bucket == 0) {
            return 0;
        }
        int unit = unit(page, 0);
        MemorySegment block = block(unit);
        int at = start(unit);
        int left = bucket - 1;
        for (int i = 0; ; i++) {
            long word = ~block.get(WORD, at + i * Long.BYTES);
            int zeros = Long.bitCount(word);
            if (left < zeros) {
                return i * Long.SIZE + Long.numberOfTrailingZeros(Long.expand(1L << left, word)) + 1;
            }
            left -= zeros;
        }
    }

    private int nextZero(int page, int from) {
        int unit = unit(page, 0);
        int i = from / Long.SIZE;
        long zeros = ~block(unit).get(WORD, start(unit) + i * Long.BYTES) & (-1L << from);
        while (zeros == 0) {
            i++;
            zeros = ~block(unit).get(WORD, start(unit) + i * Long.BYTES);
        }
        return i * Long.SIZE + Long.numberOfTrailingZeros(zeros);
    }

    /** Returns what is in a slot that is taken. */
    int get(int page, int slot) {
        int bits = slotBits[page];
        int at = (slot * RECIPROCAL[bits]) >>> Short.SIZE;
        return read(unit(page, 1 + at), (slot - at * PER_UNIT[bits]) * bits, bits);
    }

    /** Changes what is in a slot. */
    void set(int page, int slot, int value) {
        int bits = slotBits[page];
        int at = (slot * RECIPROCAL[bits]) >>> Short.SIZE;
        write(unit(page, 1 + at), (slot - at * PER_UNIT[bits]) * bits, bits, value);
    }

    /** Returns what all slots have. */
    int[] values(int page) {
        int[] values = new int[sizes[page]];
        for (int slot = 0; slot < values.length; slot++) {
            values[slot] = get(page, slot);
        }
        return values;
    }

    /** Adds a slot behind those of its bucket to a page that has room for it. */
    void insert(int page, int bucket, int value) {
        int bits = slotBits[page];
        int perUnit = PER_UNIT[bits];
        int end = nextZero(page, begin(page, bucket));
        shiftUp(unit(page, 0), end, 1);
        write(unit(page, 0), end, 1, 1);
        int slot = end - bucket;
        int last = sizes[page]++ / perUnit;
        int place = slot % perUnit;
        int carried = value;
        for (int i = slot / perUnit; i <= last; i++) {
            int unit = unit(page, 1 + i);
            int next = i < last ? read(unit, (perUnit - 1) * bits, bits) : 0;
            shiftUp(unit, place * bits, bits);
            write(unit, place * bits, bits, carried);
            carried = next;
            place = 0;
        }
    }

    /** Takes a slot out. A unit that is empty then goes back, unless it would soon be needed again. */
    void remove(int page, int slot) {
        int bits = slotBits[page];
        int perUnit = PER_UNIT[bits];
        shiftDown(unit(page, 0), slot + bucketOf(page, slot), 1);
        int last = --sizes[page] / perUnit;
        int place = slot % perUnit;
        for (int i = slot / perUnit; i <= last; i++) {
            int unit = unit(page, 1 + i);
            shiftDown(unit, place * bits, bits);
            if (i < last) {
                write(unit, (perUnit - 1) * bits, bits, read(unit(page, 2 + i), 0, bits));
            }
            place = 0;
        }
        if (unitCounts[page] > 2 && capacityOf(unitCounts[page] - 2, bits) >= sizes[page] + perUnit / 2) {
            resize(page, unitCounts[page] - 1);
        }
    }

    private static int capacityOf(int slotUnits, int bits) {
        return slotUnits * PER_UNIT[bits];
    }

    /** Returns the bucket of a slot. */
    int bucketOf(int page, int slot) {
        int unit = unit(page, 0);
        int left = slot;
        int zeros = 0;
        for (int i = 0; ; i++) {
            long word = block(unit).get(WORD, start(unit) + i * Long.BYTES);
            int ones = Long.bitCount(word);
            if (left < ones) {
                return zeros + Long.numberOfTrailingZeros(Long.expand(1L << left, word)) - left;
            }
            left -= ones;
            zeros += Long.SIZE - ones;
        }
    }

    private int read(int unit, int bit, int bits) {
        // The word may not end behind the unit.
        int at = Math.min(bit >>> 3, UNIT_BYTES - Long.BYTES);
        return (int) (block(unit).get(WORD, start(unit) + at) >>> (bit - at * Byte.SIZE)) & ((1 << bits) - 1);
    }

    private void write(int unit, int bit, int bits, int value) {
        int at = Math.min(bit >>> 3, UNIT_BYTES - Long.BYTES);
        int shift = bit - at * Byte.SIZE;
        MemorySegment block = block(unit);
        long others = block.get(WORD, start(unit) + at) & ~(((1L << bits) - 1) << shift);
        block.set(WORD, start(unit) + at, others | ((long) value << shift));
    }

    /** Moves the bits of a unit, from bit {@code from} on, up by {@code by} places. What passes its end is lost. */
    private void shiftUp(int unit, int from, int by) {
        MemorySegment block = block(unit);
        int at = start(unit);
        int first = from / Long.SIZE;
        for (int i = UNIT_WORDS - 1; i > first; i--) {
            long below = block.get(WORD, at + (i - 1) * Long.BYTES);
            below = i - 1 == first ? below & (-1L << from) : below;
            long word = block.get(WORD, at + i * Long.BYTES);
            block.set(WORD, at + i * Long.BYTES, (word << by) | (below >>> (Long.SIZE - by)));
        }
        long word = block.get(WORD, at + first * Long.BYTES);
        long moved = word & (-1L << from);
        block.set(WORD, at + first * Long.BYTES, (word & ~(-1L << from)) | (moved << by));
    }

    /** Removes {@code by} bits of a unit at bit {@code from}. The bits behind them move down, and zeros follow. */
    private void shiftDown(int unit, int from, int by) {
        MemorySegment block = block(unit);
        int at = start(unit);
        int first = from / Long.SIZE;
        long kept = block.get(WORD, at + first * Long.BYTES) & ~(-1L << from);
        for (int i = first; i < UNIT_WORDS; i++) {
            long word = block.get(WORD, at + i * Long.BYTES);
            long above = i + 1 < UNIT_WORDS ? block.get(WORD, at + (i + 1) * Long.BYTES) : 0;
            long moved = (word >>> by) | (above << (Long.SIZE - by));
            block.set(WORD, at + i * Long.BYTES, i == first ? (moved & (-1L << from)) | kept : moved);
        }
    }

    private int unit(int page, int place) {
        return units[page * stride + place];
    }

    private MemorySegment block(int unit) {
        return blocks[unit / BLOCK_UNITS];
    }

    private static int start(int unit) {
        return unit % BLOCK_UNITS * UNIT_BYTES;
    }

    /**
     * Checks the invariants.
     *
     * @throws IllegalStateException when one does not hold
     */
    void verify() {
        boolean[] isThere = new boolean[blockCount * BLOCK_UNITS];
        for (int i = 0; i < freeCount; i++) {
            verifyOnce(isThere, freeUnits[i]);
        }
        int all = freeCount;
        for (int page = 0; page < count; page++) {
            for (int i = 0; i < unitCounts[page]; i++) {
                verifyOnce(isThere, unit(page, i));
            }
            all += unitCounts[page];
            int ones = 0;
            for (int i = 0; i < UNIT_WORDS; i++) {
                ones += Long.bitCount(block(unit(page, 0)).get(WORD, start(unit(page, 0)) + i * Long.BYTES));
            }
            int end = (int) (run(page, BUCKETS - 1) >>> Integer.SIZE);
            if (ones != sizes[page] || end != sizes[page] || sizes[page] > capacity(page)) {
                throw new IllegalStateException("index of keys: (6) page " + page + " has " + sizes[page] + " slots of "
                        + capacity(page) + ", " + ones + " bits, and its last bucket ends at " + end);
            }
        }
        if (all != isThere.length) {
            throw new IllegalStateException("index of keys: (5) " + all + " of " + isThere.length + " units are known");
        }
    }

    private static void verifyOnce(boolean[] isThere, int unit) {
        if (isThere[unit]) {
            throw new IllegalStateException("index of keys: (5) unit " + unit + " is in two places");
        }
        isThere[unit] = true;
    }

    /** Gives all units back. */
    @Override
    public void close() {
        memory.giveIndex(bytes(), lender);
        arena.close();
    }
}
