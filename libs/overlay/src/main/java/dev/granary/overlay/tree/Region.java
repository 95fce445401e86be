package dev.granary.overlay.tree;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A container: who holds each of {@value #SIZE} consecutive CIDs, for places where single chunks or short ranges with
 * few different placements lie densely. The placements of the region have codes of one byte, and {@link RegionCodes}
 * say which place has which code, in the form that takes the fewest bytes. Source: ADR 0026.
 *
 * <p>Invariants, checked by {@link #verify}:
 *
 * <ol>
 *   <li>Every place has a code that is in use, and every code in use has the counted number of places.
 *   <li>The counted runs are the maximal runs of equal codes.
 *   <li>No two codes in use mean the same placement.
 * </ol>
 *
 * <p>Not thread-safe; see {@link RegionCodes}.
 */
final class Region {

    /** The number of CIDs of a region; a region begins at a multiple of it. */
    static final int SIZE = 1 << 16;

    private static final int MAX_CODES = 256;

    /** The number of a code that is not in use. */
    private static final int FREE = -1;

    /** Fewer runs than this are not worth a container. */
    static final int MIN_RUNS = 64;

    /** A region that is being made has at most this many placements, and one more for every four runs. */
    private static final int MIN_CODES_ALLOWED = 16;

    /** About how many bytes objects, array headers and the boundaries of the region take. */
    private static final int OVERHEAD_BYTES = 160;

    private static final int BYTES_PER_CODE = 8;

    /** A region is made when it takes at most this many bytes a run. */
    private static final int MAKE_BYTES_PER_RUN = 5;

    /** A region goes when it would take more than this many bytes a run; boundaries take six to eight. */
    private static final int KEEP_BYTES_PER_RUN = 8;

    /** The forms of a region are compared only after this many changes; a power of two. */
    private static final int CHANGES_BETWEEN_CHECKS = 16;

    /** After a change of more places than this forms are always compared. */
    private static final int LONG_SPAN = 64;

    private static final int OBJECT_BYTES = 16 + 24;

    private RegionCodes codes;
    private int[] refs;
    private int[] places;
    private int runs;
    private byte changes;

    private Region(int capacity) {
        refs = new int[] {FREE, FREE};
        places = new int[2];
        codes = new RunCodes(0, capacity);
    }

    /**
     * A region of runs, or null when it would not save memory. The placements are retained.
     *
     * @param starts the first place of each run, ascending from 0
     * @param refs the placement of each run, or {@link PlacementTable#NONE}; neighbours may be equal
     * @param count the number of runs
     */
    static @Nullable Region of(int[] starts, int[] refs, int count, PlacementTable placements) {
        if (count < MIN_RUNS) {
            return null;
        }
        Region region = new Region(count);
        int previous = -1;
        for (int i = 0; i < count; i++) {
            int end = i + 1 < count ? starts[i + 1] - 1 : SIZE - 1;
            int code = region.codeFor(refs[i], placements);
            if (code < 0 || code > MIN_CODES_ALLOWED + i / 4) {
                region.releaseAll(placements);
                return null;
            }
            region.places[code] += end - starts[i] + 1;
            region.runs += code == previous ? 0 : 1;
            region.codes.set(starts[i], SIZE - 1, code);
            previous = code;
        }
        if (region.runs < MIN_RUNS || region.bytesInBestForm() > (long) MAKE_BYTES_PER_RUN * region.runs) {
            region.releaseAll(placements);
            return null;
        }
        region.chooseForm();
        return region;
    }

    /** The number of a CID's placement by its place in the region. */
    int refAt(int place) {
        return refs[codes.at(place)];
    }

    /** The first place of the run around a place. */
    int runStart(int place) {
        return codes.runStart(place);
    }

    /** The last place of the run around a place. */
    int runEnd(int place) {
        return codes.runEnd(place);
    }

    /** The number of runs. */
    int runCount() {
        return runs;
    }

    /** Whether boundaries would now take less memory. */
    boolean isTooSparse() {
        boolean checked = runs < MIN_RUNS || changes % CHANGES_BETWEEN_CHECKS == 0;
        return checked && bytesInBestForm() > (long) KEEP_BYTES_PER_RUN * runs;
    }

    /**
     * Gives places a placement. Releases a placement that has no place any more, retains one that is new here.
     *
     * @return false when the region has no code left for the placement; nothing is changed
     */
    boolean assign(int start, int end, int ref, PlacementTable placements) {
        int code = codeFor(ref, placements);
        if (code < 0) {
            return false;
        }
        runs += (start > 0 && codes.at(start - 1) != code ? 1 : 0)
                + (end < SIZE - 1 && codes.at(end + 1) != code ? 1 : 0);
        boolean emptied = uncount(start, end, code);
        places[code] += end - start + 1;
        changes++;
        if (changes % CHANGES_BETWEEN_CHECKS == 0 || end - start > LONG_SPAN || !codes.holds(code)) {
            chooseForm();
        }
        codes.set(start, end, code);
        if (emptied) {
            releaseUnused(placements);
        }
        return true;
    }

    /**
     * Subtracts places from the counts, with the run borders before, between and after them.
     *
     * @return whether a code other than the next one has no place any more
     */
    private boolean uncount(int start, int end, int nextCode) {
        boolean emptied = false;
        int previous = start > 0 ? codes.at(start - 1) : codes.at(0);
        int place = start;
        while (place <= end) {
            int code = codes.at(place);
            runs -= code == previous ? 0 : 1;
            int last = Math.min(codes.runEnd(place), end);
            places[code] -= last - place + 1;
            emptied |= places[code] == 0 && code != nextCode;
            previous = code;
            place = last + 1;
        }
        runs -= end < SIZE - 1 && codes.at(end + 1) != previous ? 1 : 0;
        return emptied;
    }

    private void releaseUnused(PlacementTable placements) {
        for (int i = 0; i < refs.length; i++) {
            if (places[i] == 0 && refs[i] != FREE) {
                placements.release(refs[i]);
                refs[i] = FREE;
            }
        }
    }

    /** Gives all placements back. The region is not used any more. */
    void releaseAll(PlacementTable placements) {
        for (int ref : refs) {
            if (ref != FREE) {
                placements.release(ref);
            }
        }
    }

    /** The code of a placement, a new one where needed; -1 when there is none left. */
    private int codeFor(int ref, PlacementTable placements) {
        int code = codeOf(ref);
        if (code < 0) {
            code = newCode();
            if (code >= 0) {
                placements.retain(ref);
                refs[code] = ref;
            }
        }
        return code;
    }

    private int codeOf(int ref) {
        for (int code = 0; code < refs.length; code++) {
            if (refs[code] == ref) {
                return code;
            }
        }
        return -1;
    }

    private int newCode() {
        int code = codeOf(FREE);
        if (code >= 0 || refs.length == MAX_CODES) {
            return code;
        }
        int old = refs.length;
        int length = Math.min(MAX_CODES, old + 1 + old / 4);
        places = Arrays.copyOf(places, length);
        refs = Arrays.copyOf(refs, length);
        Arrays.fill(refs, old, length, FREE);
        return old;
    }

    /** The code of most places. */
    private int commonCode() {
        int common = 0;
        for (int code = 1; code < places.length; code++) {
            if (places[code] > places[common]) {
                common = code;
            }
        }
        return common;
    }

    /** The bits of the largest code in use, at least 1. */
    private int codeBits() {
        int largest = 1;
        for (int code = 0; code < refs.length; code++) {
            largest = refs[code] == FREE ? largest : Math.max(largest, code);
        }
        return Integer.SIZE - Integer.numberOfLeadingZeros(largest);
    }

    private long bytesInBestForm() {
        long best = Math.min(ArrayCodes.bytesFor(SIZE - places[commonCode()]), RunCodes.bytesFor(runs));
        return Math.min(best, BitmapCodes.bytesFor(codeBits())) + OVERHEAD_BYTES + (long) BYTES_PER_CODE * refs.length;
    }

    /** Changes to another form if that form is smaller by a fifth, computed from the counts after the change. */
    private void chooseForm() {
        int common = commonCode();
        int bits = codeBits();
        long array = ArrayCodes.bytesFor(SIZE - places[common]);
        long run = RunCodes.bytesFor(runs);
        long bitmap = BitmapCodes.bytesFor(bits);
        long now =
                switch (codes) {
                    case ArrayCodes form -> ArrayCodes.bytesFor(SIZE - places[form.common()]);
                    case RunCodes any -> run;
                    case BitmapCodes form ->
                        form.planeCount() < bits ? Long.MAX_VALUE : BitmapCodes.bytesFor(form.planeCount());
                };
        long best = Math.min(Math.min(array, run), bitmap);
        if (now <= best + best / 4 + 64) {
            return;
        }
        RegionCodes next;
        if (best == array) {
            next = new ArrayCodes(common, SIZE - places[common]);
        } else if (best == run) {
            next = new RunCodes(0, runs);
        } else {
            next = new BitmapCodes(bits);
        }
        next.copyFrom(codes);
        codes = next;
    }

    /** The bytes of heap. */
    long footprintBytes() {
        return OBJECT_BYTES
                + 2L * RegionCodes.ARRAY_HEADER_BYTES
                + (long) BYTES_PER_CODE * refs.length
                + codes.footprintBytes();
    }

    /** The form of the codes, for tests and measurements. */
    Class<? extends RegionCodes> form() {
        return codes.getClass();
    }

    /** Visits the placements in use. */
    interface RefVisitor {
        void visit(int ref);
    }

    /**
     * Checks every invariant and calls the visitor with each placement in use.
     *
     * @throws IllegalStateException naming the one that does not hold
     */
    void verify(RefVisitor visitor) {
        int[] counted = new int[refs.length];
        int countedRuns = 0;
        int previous = -1;
        int place = 0;
        while (place < SIZE) {
            int code = codes.at(place);
            int end = codes.runEnd(place);
            if (code >= refs.length || refs[code] == FREE) {
                throw broken(1, "place " + place + " has code " + code + ", which is not in use");
            }
            boolean whole = codes.at(end) == code && codes.runStart(place) == place && codes.runStart(end) == place;
            if (code == previous || end < place || !whole) {
                throw broken(2, "the run from " + place + " to " + end + " with code " + code + " is not maximal");
            }
            counted[code] += end - place + 1;
            countedRuns++;
            previous = code;
            place = end + 1;
        }
        if (countedRuns != runs) {
            throw broken(2, "counted " + runs + " runs, there are " + countedRuns);
        }
        for (int code = 0; code < refs.length; code++) {
            if (counted[code] != places[code] || (refs[code] != FREE && counted[code] == 0)) {
                throw broken(1, "code " + code + " has " + counted[code] + " places, counted " + places[code]);
            }
            if (refs[code] != FREE) {
                if (codeOf(refs[code]) != code) {
                    throw broken(3, "two codes for placement " + refs[code]);
                }
                visitor.visit(refs[code]);
            }
        }
    }

    private static IllegalStateException broken(int invariant, String what) {
        return new IllegalStateException("invariant " + invariant + " of a region is broken: " + what);
    }
}
