package dev.granary.memory.os;

import java.util.Arrays;

/** A growing list of longs. */
public final class LongList {

    private long[] values = new long[64];
    private int size;

    public void add(long value) {
        if (size == values.length) {
            values = Arrays.copyOf(values, 2 * size);
        }
        values[size++] = value;
    }

    /** What this takes on the heap. */
    public long heapBytes() {
        return (long) values.length * Long.BYTES;
    }

    /** Takes the last value away and returns it. */
    public long removeLast() {
        return values[--size];
    }

    public int size() {
        return size;
    }

    public long get(int index) {
        return values[index];
    }

    public void sort() {
        Arrays.sort(values, 0, size);
    }

    /** The index of the first value that is at least this one, of a sorted list. */
    public int lowerBound(long value) {
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
    public boolean contains(long value) {
        int index = lowerBound(value);
        return index < size && values[index] == value;
    }
}
