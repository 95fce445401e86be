package dev.granary.overlay.tree;

import java.util.Arrays;

/** The places whose code differs from the most common one, in ascending order, each with its code: 3 bytes a place. */
final class ArrayCodes extends RegionCodes {

    private static final int PLACE_BYTES = 3;

    private final int common;
    private char[] places;
    private byte[] codes;
    private int count;

    /**
     * All places have the common code.
     *
     * @param common the code that is not stored
     * @param capacity the number of places with another code for which there is room
     */
    ArrayCodes(int common, int capacity) {
        this.common = common;
        places = new char[capacity];
        codes = new byte[capacity];
    }

    /** The code that is not stored. */
    int common() {
        return common;
    }

    /** The number of places that have another code. */
    int count() {
        return count;
    }

    /** Returns the payload bytes for {@code count} places that have another code than the common one. */
    static long bytesFor(int count) {
        return (long) PLACE_BYTES * count;
    }

    @Override
    int at(int place) {
        int index = lowerBound(place);
        return index < count && places[index] == place ? codes[index] & 0xFF : common;
    }

    @Override
    int runStart(int place) {
        int index = lowerBound(place);
        if (index == count || places[index] != place) {
            return index == 0 ? 0 : places[index - 1] + 1;
        }
        while (index > 0 && places[index - 1] == places[index] - 1 && codes[index - 1] == codes[index]) {
            index--;
        }
        return places[index];
    }

    @Override
    int runEnd(int place) {
        int index = lowerBound(place);
        if (index == count || places[index] != place) {
            return index == count ? Region.SIZE - 1 : places[index] - 1;
        }
        while (index + 1 < count && places[index + 1] == places[index] + 1 && codes[index + 1] == codes[index]) {
            index++;
        }
        return places[index];
    }

    @Override
    void set(int start, int end, int code) {
        int from = lowerBound(start);
        int to = lowerBound(end + 1);
        int added = code == common ? 0 : end - start + 1;
        int newCount = count - (to - from) + added;
        resize(newCount);
        System.arraycopy(places, to, places, from + added, count - to);
        System.arraycopy(codes, to, codes, from + added, count - to);
        for (int i = 0; i < added; i++) {
            places[from + i] = (char) (start + i);
            codes[from + i] = (byte) code;
        }
        count = newCount;
    }

    /** Makes room for a 32nd more places than needed, or gives room back when there is far too much. */
    private void resize(int needed) {
        int spare = 4 + needed / 32;
        if (needed > places.length || (needed >= count && places.length > needed + 4 * spare)) {
            places = Arrays.copyOf(places, needed + spare);
            codes = Arrays.copyOf(codes, needed + spare);
        }
    }

    /** The index of the first stored place that is not less. */
    private int lowerBound(int place) {
        return SortedPlaces.lowerBound(places, count, place);
    }

    @Override
    long footprintBytes() {
        return OBJECT_BYTES + 2L * ARRAY_HEADER_BYTES + (long) PLACE_BYTES * places.length;
    }
}
