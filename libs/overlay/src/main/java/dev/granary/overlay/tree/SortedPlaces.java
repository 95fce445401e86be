package dev.granary.overlay.tree;

/**
 * Searches ascending numbers below {@link Region#SIZE}. The first look is where the number would lie if all were spread
 * evenly, which is usually one or two cache lines off; then the steps double until the number is passed.
 */
final class SortedPlaces {

    private static final int FIRST_STEP = 16;
    private static final int SIZE_BITS = 16;

    private SortedPlaces() {}

    /** The index of the first of {@code count} numbers that is not less than {@code place}, which may be SIZE. */
    static int lowerBound(char[] places, int count, int place) {
        int low = 0;
        int high = count;
        if (count > 2 * FIRST_STEP) {
            int guess = (int) Math.min(((long) place * count) >>> SIZE_BITS, count - 1);
            int step = FIRST_STEP;
            if (places[guess] < place) {
                low = guess + 1;
                while (low + step < count && places[low + step] < place) {
                    low += step + 1;
                    step *= 2;
                }
                high = Math.min(low + step, count);
            } else {
                high = guess;
                while (high - step >= 0 && places[high - step] >= place) {
                    high -= step;
                    step *= 2;
                }
                low = Math.max(high - step, 0);
            }
        }
        while (low < high) {
            int middle = (low + high) >>> 1;
            boolean less = places[middle] < place;
            low = less ? middle + 1 : low;
            high = less ? high : middle;
        }
        return low;
    }
}
