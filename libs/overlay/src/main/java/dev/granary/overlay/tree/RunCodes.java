package dev.granary.overlay.tree;

import java.util.Arrays;

/** The first place of each run with its code, in ascending order: 3 bytes a run. Neighbours have different codes. */
final class RunCodes extends RegionCodes {

    private static final int RUN_BYTES = 3;

    private char[] starts;
    private byte[] codes;
    private int count = 1;

    /**
     * All places have one code.
     *
     * @param code the code
     * @param capacity the number of runs for which there is room, at least 1
     */
    RunCodes(int code, int capacity) {
        starts = new char[capacity];
        codes = new byte[capacity];
        codes[0] = (byte) code;
    }

    /** The number of runs. */
    int count() {
        return count;
    }

    /** Returns the payload bytes for {@code count} runs. */
    static long bytesFor(int count) {
        return (long) RUN_BYTES * count;
    }

    @Override
    int at(int place) {
        return codes[floor(place)] & 0xFF;
    }

    @Override
    int runStart(int place) {
        return starts[floor(place)];
    }

    @Override
    int runEnd(int place) {
        int next = floor(place) + 1;
        return next == count ? Region.SIZE - 1 : starts[next] - 1;
    }

    @Override
    void set(int start, int end, int code) {
        int before = start == 0 ? -1 : at(start - 1);
        int after = end == Region.SIZE - 1 ? -1 : at(end + 1);
        // Run starts in [start, end + 1] go; at most two replace them.
        int from = start == 0 ? 0 : floor(start - 1) + 1;
        int to = end == Region.SIZE - 1 ? count : floor(end + 1) + 1;
        int added = (code != before ? 1 : 0) + (after >= 0 && after != code ? 1 : 0);
        int newCount = count - (to - from) + added;
        resize(newCount);
        System.arraycopy(starts, to, starts, from + added, count - to);
        System.arraycopy(codes, to, codes, from + added, count - to);
        int at = from;
        if (code != before) {
            starts[at] = (char) start;
            codes[at++] = (byte) code;
        }
        if (after >= 0 && after != code) {
            starts[at] = (char) (end + 1);
            codes[at] = (byte) after;
        }
        count = newCount;
    }

    private void resize(int needed) {
        int spare = 4 + needed / 32;
        if (needed > starts.length || (needed >= count && starts.length > needed + 4 * spare)) {
            starts = Arrays.copyOf(starts, needed + spare);
            codes = Arrays.copyOf(codes, needed + spare);
        }
    }

    /** The index of the run that holds a place. */
    private int floor(int place) {
        return SortedPlaces.lowerBound(starts, count, place + 1) - 1;
    }

    @Override
    long footprintBytes() {
        return OBJECT_BYTES + 2L * ARRAY_HEADER_BYTES + (long) RUN_BYTES * starts.length;
    }
}
