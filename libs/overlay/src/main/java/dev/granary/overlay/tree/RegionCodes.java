package dev.granary.overlay.tree;

/**
 * A code from 0 to 255 for each of the {@link Region#SIZE} places of a region, in one of the three forms of compressed
 * bitmaps: sorted places ({@link ArrayCodes}), a bit for each place ({@link BitmapCodes}), runs ({@link RunCodes}).
 * Source: S. Chambi et al., "Better bitmap performance with Roaring bitmaps", here with a number instead of one bit for
 * each place, so that one search answers for all owners (ADR 0026).
 *
 * <p>Not thread-safe; a racing reader's search ends, but may throw or answer nonsense.
 */
abstract sealed class RegionCodes permits ArrayCodes, BitmapCodes, RunCodes {

    static final int OBJECT_BYTES = 16 + 16;
    static final int ARRAY_HEADER_BYTES = 16;

    /** Whether this form can hold a code. */
    boolean holds(int code) {
        return true;
    }

    /** The code of a place. */
    abstract int at(int place);

    /** The first place of the run, of equal codes, around a place. */
    abstract int runStart(int place);

    /** The last place of the run around a place. */
    abstract int runEnd(int place);

    /** Gives the places from {@code start} to {@code end}, both included, a code. */
    abstract void set(int start, int end, int code);

    /** The bytes of heap. */
    abstract long footprintBytes();

    /** Takes over all runs of another form. */
    final void copyFrom(RegionCodes that) {
        int start = 0;
        while (start < Region.SIZE) {
            int end = that.runEnd(start);
            set(start, end, that.at(start));
            start = end + 1;
        }
    }
}
