package dev.granary.memory.page;

import dev.granary.memory.os.Vmb;

/**
 * The meta block of a typed or packed page: what operations need to know beside the payload, apart from it, so that
 * the payload can move without it. In a block of the arena, a multiple of 8.
 *
 * <pre>
 *     0  live         512 bits: which slots hold a chunk
 *    64  next         directory entry of the next page in the owner's list, or 0
 *    72  previous     the same backwards
 *    80  groups       packed: 8 words of {@link Group}      | forwards  typed and extended: 512 bits
 *   144  readOnly     extended: 512 bits
 *   208
 * </pre>
 *
 * A typed page has 80 bytes until it needs more, a packed one 144.
 */
public final class Meta {

    public static final int TYPED_BYTES = 80;
    public static final int PACKED_BYTES = 144;
    public static final int EXTENDED_BYTES = 208;
    public static final int ALIGNMENT = 8;

    static final int NEXT = 64;
    static final int PREVIOUS = 72;
    public static final int GROUPS = 80;
    public static final int FORWARDS = 80;
    public static final int READ_ONLY = 144;

    /** How many words a bitmap has. */
    public static final int WORDS = Page.SLOTS / 64;

    private Meta() {}

    /** The size of the meta block of a page. */
    public static int sizeBytes(long form, long state) {
        return (state & Page.EXTENDED) != 0
                ? EXTENDED_BYTES
                : Page.kind(form) == Page.PACKED ? PACKED_BYTES : TYPED_BYTES;
    }

    /** The address of the bitmap's word in which a slot's bit is. */
    static long word(long bitmap, int slot) {
        return bitmap + (slot >>> 6 << 3);
    }

    /** A slot's bit in its word. */
    static long bit(int slot) {
        return 1L << slot;
    }

    public static boolean isSet(Vmb vmb, long bitmap, int slot) {
        return (vmb.getAcquire(word(bitmap, slot)) & bit(slot)) != 0;
    }

    /** Under the owner's lock, or before the block is known. */
    public static void set(Vmb vmb, long bitmap, int slot) {
        long word = word(bitmap, slot);
        vmb.setRelease(word, vmb.getAcquire(word) | bit(slot));
    }

    /** Under the owner's lock, or before the block is known. */
    public static void clear(Vmb vmb, long bitmap, int slot) {
        long word = word(bitmap, slot);
        vmb.setRelease(word, vmb.getAcquire(word) & ~bit(slot));
    }
}
