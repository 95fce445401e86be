package dev.granary.memory.map;

/**
 * The sizes of blocks: multiples of 64 B to 4 KiB, from there 16 to each doubling, so that at most 64 B or a sixteenth
 * is lost.
 *
 * <p>A block is named by a word: its address in the upper 56 bits, its size class in the lowest 8; 0 is no block.
 */
final class MapBlockSizes {

    static final int UNIT_BYTES = 64;

    /** The largest block that any map has. */
    static final int MAX_BYTES = 64 << 10;

    private static final int LINEAR_CLASSES = 64;
    private static final int LINEAR_BYTES = LINEAR_CLASSES * UNIT_BYTES;
    private static final int STEPS = 16;

    /** How many classes there are. */
    static final int COUNT = LINEAR_CLASSES + 4 * STEPS;

    private MapBlockSizes() {}

    /** Returns the smallest class whose blocks have room for {@code sizeBytes}, which is 1 to {@link #MAX_BYTES}. */
    static int classFor(int sizeBytes) {
        if (sizeBytes <= LINEAR_BYTES) {
            return (sizeBytes - 1) / UNIT_BYTES;
        }
        int doubling = 31 - Integer.numberOfLeadingZeros(sizeBytes - 1);
        int step = ((sizeBytes - 1) >>> (doubling - 4)) - STEPS;
        return LINEAR_CLASSES + (doubling - 12) * STEPS + step;
    }

    /** The size of a class' blocks. */
    static int sizeBytes(int sizeClass) {
        if (sizeClass < LINEAR_CLASSES) {
            return (sizeClass + 1) * UNIT_BYTES;
        }
        int doubling = (sizeClass - LINEAR_CLASSES) / STEPS;
        int step = (sizeClass - LINEAR_CLASSES) % STEPS;
        return (STEPS + step + 1) << (doubling + 8);
    }

    static long word(long address, int sizeClass) {
        return (address << 8) | sizeClass;
    }

    static long address(long word) {
        return word >>> 8;
    }

    static int sizeClass(long word) {
        return (int) (word & 0xff);
    }

    /** The size of the block that a word names. */
    static int sizeOf(long word) {
        return sizeBytes(sizeClass(word));
    }
}
