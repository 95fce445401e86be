package dev.granary.bench.map;

import java.util.List;

/**
 * The work of one measuring process.
 *
 * @param name the name of the case, for the heap's size relative to the need of the entries
 * @param store the map to measure
 * @param entries number of entries
 * @param keyBytes bytes of every key, at least 8
 * @param valueBytes bytes of every value, at least 8
 * @param threads number of threads that load, put and get together
 * @param operations operations of all threads together in each phase after the load
 */
public record MapPlan(
        String name, MapKind store, int entries, int keyBytes, int valueBytes, int threads, int operations) {

    /**
     * The approximate bytes of an entry of a map on the heap, without key and value. Serves to choose heap sizes.
     */
    private static final long HEAP_OVERHEAD_BYTES = 110;

    private static final long BASE_HEAP_BYTES = 32L << 20;
    private static final long MEASURING_HEAP_BYTES = 64L << 20;

    /** The heap of a process for this map, as a multiple of the need of entries on the heap. */
    public long heapBytes(double multiple) {
        long entry = keyBytes + valueBytes + HEAP_OVERHEAD_BYTES;
        return store.isOnHeap() ? BASE_HEAP_BYTES + (long) (entries * entry * multiple) : MEASURING_HEAP_BYTES;
    }

    /** The plan as arguments of a process. */
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
