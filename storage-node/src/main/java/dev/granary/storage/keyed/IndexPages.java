package dev.granary.storage.keyed;

import dev.granary.keyed.KeyspaceFullException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The pages of a {@link KeyIndex} outside the heap. A page has up to {@value #MAX_SLOTS} slots, in units of {@value
 * #UNIT_BYTES} bytes that lie anywhere; it takes one unit more when it needs it. A slot has one byte of marks and the
 * LID of an entry, of two bytes in a narrow page and of three in a wide one.
 *
 * <pre>
 *   narrow unit   0                    32                        96
 *                 +--------------------+-------------------------+
 *                 | marks of 32 slots  | LIDs, 2 bytes each      |
 *                 +--------------------+-------------------------+
 *
 *   wide unit     0               24                             96
 *                 +---------------+------------------------------+
 *                 | marks of 24   | LIDs, 3 bytes each           |
 *                 | slots         |                              |
 *                 +---------------+------------------------------+
 * </pre>
 *
 * <p>A slot is shown as an int: the byte of marks in the highest eight bits, the LID in the others. New slots are 0.
 *
 * <p>Invariant: (5) each unit is in one page or free. Used by one thread at a time.
 */
final class IndexPages implements AutoCloseable {

    static final int MAX_SLOTS = 256;

    /** The largest LID in a narrow page. */
    static final int MAX_NARROW_LID = (1 << 16) - 1;

    static final int MAX_UNITS = 8;
    static final int UNIT_BYTES = 96;
    private static final int NARROW_SLOTS = 32;
    private static final int WIDE_SLOTS = 24;
    private static final int BLOCK_UNITS = 16;

    /** Units are taken from the system so many bytes at a time. */
    static final int BLOCK_BYTES = BLOCK_UNITS * UNIT_BYTES;

    private static final int HEAD_SHIFT = 24;
    private static final int NARROW_FIELDS = 0xff << HEAD_SHIFT | MAX_NARROW_LID;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
    private static final ValueLayout.OfLong HEADS = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;

    private final KeyedMemory memory;
    private final KeyedMemory.Lender lender;
    private final Arena arena = Arena.ofShared();
    private MemorySegment[] blocks = {};
    private int blockCount;
    private int[] freeUnits = {};
    private int freeCount;

    /** The numbers of the units of each page, {@value #MAX_UNITS} places for one. */
    private int[] units = {};

    private byte[] unitCounts = {};
    private boolean[] isWide = {};
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

    /** Returns how many slots a page with so many units has. */
    static int slots(int unitCount, boolean wide) {
        return unitCount * (wide ? WIDE_SLOTS : NARROW_SLOTS);
    }

    int slots(int page) {
        return slots(unitCounts[page], isWide[page]);
    }

    int unitCount(int page) {
        return unitCounts[page];
    }

    boolean isWide(int page) {
        return isWide[page];
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
                blocks = Arrays.copyOf(blocks, Math.max(1, 2 * blockCount));
            }
            blocks[blockCount] = arena.allocate(BLOCK_BYTES, Long.BYTES);
            // A unit may come back at any time, and must find its place.
            freeUnits = Arrays.copyOf(freeUnits, Math.max(freeUnits.length, (blockCount + 1) * BLOCK_UNITS));
            for (int i = BLOCK_UNITS - 1; i >= 0; i--) {
                freeUnits[freeCount++] = blockCount * BLOCK_UNITS + i;
            }
            blockCount++;
        }
    }

    /** Makes a page without units, and returns its number. */
    int add() {
        if (count == unitCounts.length) {
            int more = Math.max(1, 2 * count);
            units = Arrays.copyOf(units, more * MAX_UNITS);
            unitCounts = Arrays.copyOf(unitCounts, more);
            isWide = Arrays.copyOf(isWide, more);
        }
        return count++;
    }

    /** Gives a page so many units, {@linkplain #reserve reserved} as far as they are more, and empties all slots. */
    void reset(int page, int unitCount, boolean wide) {
        while (unitCounts[page] > unitCount) {
            unitCounts[page]--;
            freeUnits[freeCount++] = units[page * MAX_UNITS + unitCounts[page]];
        }
        while (unitCounts[page] < unitCount) {
            units[page * MAX_UNITS + unitCounts[page]] = freeUnits[--freeCount];
            unitCounts[page]++;
        }
        isWide[page] = wide;
        for (int i = 0; i < unitCount; i++) {
            int unit = units[page * MAX_UNITS + i];
            block(unit).asSlice(start(unit), UNIT_BYTES).fill((byte) 0);
        }
    }

    /** Returns the byte of marks of a slot, from 0 to 255. */
    int head(int page, int slot) {
        int unit = unit(page, slot);
        return block(unit).get(BYTE, start(unit) + place(page, slot)) & 0xff;
    }

    /** Changes the byte of marks of a slot, and leaves its LID. */
    void head(int page, int slot, int head) {
        int unit = unit(page, slot);
        block(unit).set(BYTE, start(unit) + place(page, slot), (byte) head);
    }

    /** Returns of how many slots, from one on, {@link #heads} gives the bytes of marks: 1 to 8. */
    int headCount(int page, int slot) {
        return Math.min(Long.BYTES, (isWide[page] ? WIDE_SLOTS : NARROW_SLOTS) - place(page, slot));
    }

    /** Returns the bytes of marks from a slot on, that of the slot itself lowest. */
    long heads(int page, int slot) {
        int unit = unit(page, slot);
        return block(unit).get(HEADS, start(unit) + place(page, slot));
    }

    int get(int page, int slot) {
        int unit = unit(page, slot);
        int place = place(page, slot);
        MemorySegment block = block(unit);
        int head = block.get(BYTE, start(unit) + place) << HEAD_SHIFT;
        if (isWide[page]) {
            int lid = start(unit) + WIDE_SLOTS + 3 * place;
            return head | (block.get(BYTE, lid + 2) & 0xff) << Short.SIZE | (block.get(SHORT, lid) & 0xffff);
        }
        return head | (block.get(SHORT, start(unit) + NARROW_SLOTS + 2 * place) & 0xffff);
    }

    void set(int page, int slot, int value) {
        int unit = unit(page, slot);
        int place = place(page, slot);
        MemorySegment block = block(unit);
        block.set(BYTE, start(unit) + place, (byte) (value >>> HEAD_SHIFT));
        if (isWide[page]) {
            int lid = start(unit) + WIDE_SLOTS + 3 * place;
            block.set(SHORT, lid, (short) value);
            block.set(BYTE, lid + 2, (byte) (value >>> Short.SIZE));
        } else {
            block.set(SHORT, start(unit) + NARROW_SLOTS + 2 * place, (short) value);
        }
    }

    /** Returns the unit of a slot. Each division is by a constant: by a variable it is the slowest part of a look. */
    private int unit(int page, int slot) {
        return units[page * MAX_UNITS + (isWide[page] ? slot / WIDE_SLOTS : slot / NARROW_SLOTS)];
    }

    private int place(int page, int slot) {
        return isWide[page] ? slot % WIDE_SLOTS : slot % NARROW_SLOTS;
    }

    /** Returns what {@link #get} would give after {@link #set} of a value. */
    int kept(int page, int value) {
        return isWide[page] ? value : value & NARROW_FIELDS;
    }

    private MemorySegment block(int unit) {
        return blocks[unit / BLOCK_UNITS];
    }

    private static int start(int unit) {
        return unit % BLOCK_UNITS * UNIT_BYTES;
    }

    /**
     * Checks the invariant.
     *
     * @throws IllegalStateException when it does not hold
     */
    void verify() {
        boolean[] isThere = new boolean[blockCount * BLOCK_UNITS];
        for (int i = 0; i < freeCount; i++) {
            verifyOnce(isThere, freeUnits[i]);
        }
        int all = freeCount;
        for (int page = 0; page < count; page++) {
            for (int i = 0; i < unitCounts[page]; i++) {
                verifyOnce(isThere, units[page * MAX_UNITS + i]);
            }
            all += unitCounts[page];
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
