package dev.granary.memory.page;

import dev.granary.memory.arena.EntryLayout;
import dev.granary.memory.os.Vmb;

/**
 * A group: 64 consecutive LIDs of a packed page, whose chunks of any sizes up to {@link #MAX_SIZE} lie in one block
 * without gaps, in the order of their LIDs (ADR 0090). The block is found through one word, so it can move.
 *
 * <pre>
 *  word   63 .... 54  53 ... 44  43    42 ................ 0
 *        +-----------+----------+------+--------------------+
 *        | 0         | minimum  | wide | address of block   |      0: no chunk in the group
 *        +-----------+----------+------+--------------------+
 *
 *  block    0  capacity  u16   payload bytes that the block has room for
 *           2  end       u16   payload bytes in use
 *           4  offsets   u16   of the LIDs 8, 16, ... 56 in the payload
 *          18  codes           one for each LID: a byte, or u16 if wide
 *          82  payload         (146 if wide)
 *
 *  code     0           no chunk, no bytes
 *           255 / 65535 a forward: 8 bytes, a word of {@link EntryLayout}
 *           others      size = minimum + code - 1
 * </pre>
 *
 * <p>Invariants: (1) offset i is the sum of the bytes of the LIDs before 8 i, end that of all; (2) end is at most
 * capacity; (3) a live LID has a code; another may have one that a failed create left.
 *
 * <p>Methods that read may see any numbers when the latch is not held: what they say is validated afterwards.
 */
public final class Group {

    public static final int SHIFT = 6;
    public static final int LIDS = 1 << SHIFT;
    public static final int PER_PAGE = Page.SLOTS / LIDS;

    /** Sizes of one narrow group differ by less. */
    static final int BAND = 254;

    /** The largest chunk that is packed: 64 of them fit a group. */
    public static final int MAX_SIZE = 1000;

    /** The largest payload of a group. */
    static final int MAX_PAYLOAD = 0xffff;

    /** Instead of an address: the block is full. */
    static final long NO_ROOM = 0;

    static final int CAPACITY = 0;
    static final int END = 2;
    static final int OFFSETS = 4;
    public static final int CODES = 18;

    private static final long WIDE = 1L << 43;
    private static final int MINIMUM_SHIFT = 44;
    private static final int MINIMUM_MASK = 0x3ff;
    private static final int NARROW_FORWARD = 0xff;
    private static final int WIDE_FORWARD = 0xffff;

    private Group() {}

    public static long word(long block, boolean wide, int minimum) {
        return block | (wide ? WIDE : 0) | (long) minimum << MINIMUM_SHIFT;
    }

    /** The minimum of the narrow group that is best for a size. */
    static int minimumFor(int sizeBytes) {
        return sizeBytes - sizeBytes % BAND;
    }

    static boolean isWide(long word) {
        return (word & WIDE) != 0;
    }

    static int minimum(long word) {
        return (int) (word >>> MINIMUM_SHIFT) & MINIMUM_MASK;
    }

    /** Whether chunks of a size can be coded in a group. */
    static boolean accepts(long word, int sizeBytes) {
        int minimum = minimum(word);
        return isWide(word) || (sizeBytes >= minimum && sizeBytes < minimum + BAND);
    }

    public static int headerBytes(long word) {
        return CODES + (isWide(word) ? 2 * LIDS : LIDS);
    }

    /** The size of a group's block. */
    public static long blockBytes(Vmb vmb, long word) {
        return headerBytes(word) + (long) vmb.getShort(EntryLayout.address(word) + CAPACITY);
    }

    public static long payload(long word) {
        return EntryLayout.address(word) + headerBytes(word);
    }

    public static int code(Vmb vmb, long word, int index) {
        long codes = EntryLayout.address(word) + CODES;
        return isWide(word) ? vmb.getShort(codes + 2L * index) : vmb.getByte(codes + index);
    }

    /** The code of a chunk of a size that the group accepts. */
    public static int codeOf(long word, int sizeBytes) {
        return sizeBytes - minimum(word) + 1;
    }

    public static int forwardCode(long word) {
        return isWide(word) ? WIDE_FORWARD : NARROW_FORWARD;
    }

    /** How many bytes of the payload a code stands for. */
    public static int bytes(long word, int code) {
        if (code == 0) {
            return 0;
        }
        return code == forwardCode(word) ? EntryLayout.BYTES : minimum(word) + code - 1;
    }

    /** Where in the payload the bytes of a LID begin. */
    public static int offset(Vmb vmb, long word, int index) {
        int octet = index >>> 3;
        long block = EntryLayout.address(word);
        int offset = octet == 0 ? 0 : vmb.getShort(block + OFFSETS - 2 + 2L * octet);
        if (isWide(word)) {
            for (int i = octet << 3; i < index; i++) {
                offset += bytes(word, vmb.getShort(block + CODES + 2L * i));
            }
            return offset;
        }
        int minimum = minimum(word) - 1;
        long codes = vmb.getLong(block + CODES + (octet << 3));
        for (int left = index & 7; left > 0; left--) {
            int code = (int) codes & 0xff;
            codes >>>= 8;
            offset += code == 0 ? 0 : code == NARROW_FORWARD ? EntryLayout.BYTES : minimum + code;
        }
        return offset;
    }

    /**
     * Where a LID's chunk is, as a word of {@link EntryLayout}: for a packed chunk the address of its payload and its
     * size, for a forwarded one its entry. Under the latch.
     */
    public static long locate(Vmb vmb, long word, int index) {
        return locate(vmb, word, index, code(vmb, word, index));
    }

    /** The same for a LID with a code. */
    public static long locate(Vmb vmb, long word, int index, int code) {
        if (code == 0) {
            return EntryLayout.NO_CHUNK;
        }
        long at = payload(word) + offset(vmb, word, index);
        if (code == forwardCode(word)) {
            return vmb.contains(at, EntryLayout.BYTES) ? vmb.getLong(at) : EntryLayout.NO_CHUNK;
        }
        int size = minimum(word) + code - 1;
        return size == 0 ? EntryLayout.EMPTY_CHUNK : EntryLayout.entry(at & EntryLayout.ADDRESS_MASK, size);
    }
}
