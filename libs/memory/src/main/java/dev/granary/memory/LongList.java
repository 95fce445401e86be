package dev.granary.memory;

import java.util.Arrays;

/** A growing list of longs. */
final class LongList {

    private long[] values = new long[64];
    private int size;

    void add(long value) {
        if (size == values.length) {
            values = Arrays.copyOf(values, 2 * size);
        }
        values[size++] = value;
    }

    /** What this takes on the heap. */
    long heapBytes() {
        return (long) values.length * Long.BYTES;
    }

    /** Takes the last value away and returns it. */
    long removeLast() {
        return values[--size];
    }

    int size() {
        return size;
    }

    long get(int index) {
        return values[index];
    }

    void sort() {
        Arrays.sort(values, 0, size);
    }

    /** The index of the first value that is at least this one, of a sorted list. */
    int lowerBound(long value) {
        int low = 0;
        int high = size;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (values[middle] < value) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Whether a sorted list has this value. */
    boolean contains(long value) {
        int index = lowerBound(value);
        return index < size && values[index] == value;
    }
}
