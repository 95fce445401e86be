package dev.granary.memory;

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
final class Meta {

    static final int TYPED_BYTES = 80;
    static final int PACKED_BYTES = 144;
    static final int EXTENDED_BYTES = 208;
    static final int ALIGNMENT = 8;

    static final int NEXT = 64;
    static final int PREVIOUS = 72;
    static final int GROUPS = 80;
    static final int FORWARDS = 80;
    static final int READ_ONLY = 144;

    /** How many words a bitmap has. */
    static final int WORDS = Page.SLOTS / 64;

    private Meta() {}

    /** The size of the meta block of a page. */
    static int sizeBytes(long form, long state) {
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

    static boolean isSet(Vmb vmb, long bitmap, int slot) {
        return (vmb.getAcquire(word(bitmap, slot)) & bit(slot)) != 0;
    }

    /** Under the owner's lock, or before the block is known. */
    static void set(Vmb vmb, long bitmap, int slot) {
        long word = word(bitmap, slot);
        vmb.setRelease(word, vmb.getAcquire(word) | bit(slot));
    }

    /** Under the owner's lock, or before the block is known. */
    static void clear(Vmb vmb, long bitmap, int slot) {
        long word = word(bitmap, slot);
        vmb.setRelease(word, vmb.getAcquire(word) & ~bit(slot));
    }
}
