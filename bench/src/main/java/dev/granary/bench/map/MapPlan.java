package dev.granary.bench.map;

import java.util.List;

/**
 * What one measuring process does.
 *
 * @param name of the case: the heap's size beside what the entries need
 * @param store which map
 * @param entries how many are put
 * @param keyBytes of every key, at least 8
 * @param valueBytes of every value, at least 8
 * @param threads that load, put and get together
 * @param operations of all threads together in each phase after the load
 */
public record MapPlan(
        String name, MapKind store, int entries, int keyBytes, int valueBytes, int threads, int operations) {

    /**
     * What an entry of a map on the heap takes beside the bytes of key and value, about: for the choice of heap sizes.
     */
    private static final long HEAP_OVERHEAD_BYTES = 110;

    private static final long BASE_HEAP_BYTES = 32L << 20;
    private static final long MEASURING_HEAP_BYTES = 64L << 20;

    /** The heap that a process has for this map, as a multiple of what entries on it need. */
    public long heapBytes(double multiple) {
        long entry = keyBytes + valueBytes + HEAP_OVERHEAD_BYTES;
        return store.isOnHeap() ? BASE_HEAP_BYTES + (long) (entries * entry * multiple) : MEASURING_HEAP_BYTES;
    }

    /** As arguments of a process. */
    public List<String> toArguments() {
        return List.of(
                name,
                store.name(),
                Integer.toString(entries),
                Integer.toString(keyBytes),
                Integer.toString(valueBytes),
                Integer.toString(threads),
                Integer.toString(operations));
    }

    static MapPlan ofArguments(String[] arguments) {
        return new MapPlan(
                arguments[0],
                MapKind.valueOf(arguments[1]),
                Integer.parseInt(arguments[2]),
                Integer.parseInt(arguments[3]),
                Integer.parseInt(arguments[4]),
                Integer.parseInt(arguments[5]),
                Integer.parseInt(arguments[6]));
    }
}
