package dev.granary.overlay.tree;

/**
 * One bitmap for each bit of the codes: 8 KiB for two codes, 16 KiB for four. Runs are searched 64 places at a time.
 *
 * <pre>
 *  plane p, word w, bit b: bit p of the code of place 64 * w + b
 * </pre>
 */
final class BitmapCodes extends RegionCodes {

    private static final int PLANE_WORDS = Region.SIZE / Long.SIZE;
    private static final int WORD_SHIFT = 6;

    private final int planeCount;
    private final long[] planes;

    /**
     * All places have code 0.
     *
     * @param planeCount the bits of a code, 1 to 8
     */
    BitmapCodes(int planeCount) {
        this.planeCount = planeCount;
        planes = new long[planeCount * PLANE_WORDS];
    }

    /** The bits of a code. */
    int planeCount() {
        return planeCount;
    }

    /** Returns the payload bytes for codes of {@code planeCount} bits. */
    static long bytesFor(int planeCount) {
        return (long) planeCount * PLANE_WORDS * Long.BYTES;
    }

    @Override
    boolean holds(int code) {
        return code >>> planeCount == 0;
    }

    @Override
    int at(int place) {
        int code = 0;
        for (int plane = 0; plane < planeCount; plane++) {
            code |= (int) (planes[plane * PLANE_WORDS + (place >> WORD_SHIFT)] >>> place & 1) << plane;
        }
        return code;
    }

    @Override
    int runStart(int place) {
        int code = at(place);
        int word = place >> WORD_SHIFT;
        // This place and those below it in its word.
        long others = differing(word, code) & -1L >>> (Long.SIZE - 1 - (place & (Long.SIZE - 1)));
        while (others == 0) {
            if (word == 0) {
                return 0;
            }
            word--;
            others = differing(word, code);
        }
        return (word << WORD_SHIFT) + Long.SIZE - Long.numberOfLeadingZeros(others);
    }

    @Override
    int runEnd(int place) {
        int code = at(place);
        int word = place >> WORD_SHIFT;
        long others = differing(word, code) & -1L << place;
        while (others == 0) {
            word++;
            if (word == PLANE_WORDS) {
                return Region.SIZE - 1;
            }
            others = differing(word, code);
        }
        return (word << WORD_SHIFT) + Long.numberOfTrailingZeros(others) - 1;
    }

    /** Returns a bit for each place of a word: 1 where the code differs from this one. */
    private long differing(int word, int code) {
        long others = 0;
        for (int plane = 0; plane < planeCount; plane++) {
            others |= planes[plane * PLANE_WORDS + word] ^ -(long) (code >> plane & 1);
        }
        return others;
    }

    @Override
    void set(int start, int end, int code) {
        if (!holds(code)) {
            throw new IllegalArgumentException("code " + code + " does not fit " + planeCount + " bitmaps");
        }
        int firstWord = start >> WORD_SHIFT;
        int lastWord = end >> WORD_SHIFT;
        for (int word = firstWord; word <= lastWord; word++) {
            long mask = -1L;
            if (word == firstWord) {
                mask &= -1L << start;
            }
            if (word == lastWord) {
                mask &= -1L >>> (Long.SIZE - 1 - (end & (Long.SIZE - 1)));
            }
            for (int plane = 0; plane < planeCount; plane++) {
                int at = plane * PLANE_WORDS + word;
                planes[at] = (code >> plane & 1) == 0 ? planes[at] & ~mask : planes[at] | mask;
            }
        }
    }

    @Override
    long footprintBytes() {
        return OBJECT_BYTES + ARRAY_HEADER_BYTES + (long) Long.BYTES * planes.length;
    }
}
