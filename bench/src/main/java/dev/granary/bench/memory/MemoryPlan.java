package dev.granary.bench.memory;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Set;

/**
 * What one measuring process does. Goes to it as JSON.
 *
 * @param store granary, or one of the stores to compare with
 * @param layout of chunk memory
 * @param chunks how many objects are loaded
 * @param sizes as {@link #sizeDistribution} understands it
 * @param threads to measure with, one after the other
 * @param distributions of the workload's objects
 * @param workload as {@link Workload#parse} understands it
 * @param operations of all threads together in one round
 * @param rounds whose median counts
 * @param batchSize chunks in a batch
 * @param memoryBytes size of the VMB, 0 for what is expected to be needed
 * @param verify whether every chunk's bytes are checked, not only those of a sample
 * @param minutes of a soak
 * @param parts what is measured
 * @param bound whether the plain array is measured beside it
 */
public record MemoryPlan(
        String store,
        Layout layout,
        long chunks,
        String sizes,
        List<Integer> threads,
        List<KeyDistribution> distributions,
        String workload,
        int operations,
        int rounds,
        int batchSize,
        long memoryBytes,
        boolean verify,
        double minutes,
        Set<Part> parts,
        boolean bound) {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long BASE_HEAP_BYTES = 64L << 20;

    /** The sizes. */
    public SizeDistribution sizeDistribution() {
        return sizes.matches("[0-9-]+") ? SizeDistribution.parse(sizes) : SizeDistribution.load(sizes);
    }

    /** Heap that measuring needs: traces and notes of keys. */
    public long measuringHeapBytes() {
        int largest = sizeDistribution().maxBytes();
        long scratch = threads.stream().mapToInt(Integer::intValue).max().orElse(1) * (largest + 64L) * 4;
        if (Workload.parse(workload).special() == Workload.Special.SOAK) {
            return 2 * BASE_HEAP_BYTES + chunks * SoakThread.SLOTS_PER_CHUNK * SoakThread.BYTES_PER_SLOT;
        }
        return BASE_HEAP_BYTES
                + (long) operations * Trace.BYTES_PER_OPERATION * 3 / 2
                + KeyBook.heapBytes(chunks)
                + scratch;
    }

    /** The same workload for another store: nothing but the workload, without the plain array. */
    public MemoryPlan compared(String other, int threadCount) {
        return new MemoryPlan(
                other,
                layout,
                chunks,
                sizes,
                List.of(threadCount),
                distributions,
                workload,
                operations,
                rounds,
                batchSize,
                0,
                false,
                minutes,
                Set.of(Part.WORKLOAD),
                false);
    }

    /**
     * Returns this plan with at most {@code mostChunks} chunks and {@code mostOperations} operations, run once and
     * unchecked: for a warm-up.
     */
    MemoryPlan smaller(long mostChunks, int mostOperations) {
        return new MemoryPlan(
                store,
                layout,
                Math.min(chunks, mostChunks),
                sizes,
                threads.subList(0, 1),
                distributions,
                workload,
                Math.min(operations, mostOperations),
                1,
                batchSize,
                0,
                false,
                minutes,
                parts,
                bound);
    }

    /** The same with another layout. */
    public MemoryPlan withLayout(Layout wanted) {
        return new MemoryPlan(
                store,
                wanted,
                chunks,
                sizes,
                threads,
                distributions,
                workload,
                operations,
                rounds,
                batchSize,
                memoryBytes,
                verify,
                minutes,
                parts,
                bound);
    }

    /** The same with other sizes. */
    public MemoryPlan withSizes(String wanted) {
        return new MemoryPlan(
                store,
                layout,
                chunks,
                wanted,
                threads,
                distributions,
                workload,
                operations,
                rounds,
                batchSize,
                memoryBytes,
                verify,
                minutes,
                parts,
                bound);
    }

    /** The same with other numbers of threads. */
    public MemoryPlan withThreads(Integer... wanted) {
        return new MemoryPlan(
                store,
                layout,
                chunks,
                sizes,
                List.of(wanted),
                distributions,
                workload,
                operations,
                rounds,
                batchSize,
                memoryBytes,
                verify,
                minutes,
                parts,
                bound);
    }

    /** The same with another workload. */
    public MemoryPlan withWorkload(String wanted, String itsSizes) {
        return new MemoryPlan(
                store,
                layout,
                chunks,
                itsSizes,
                threads,
                distributions,
                wanted,
                operations,
                rounds,
                batchSize,
                memoryBytes,
                verify,
                minutes,
                parts,
                bound);
    }

    /** The same, measuring only some parts. */
    public MemoryPlan withParts(Set<Part> wanted) {
        return new MemoryPlan(
                store,
                layout,
                chunks,
                sizes,
                threads,
                distributions,
                workload,
                operations,
                rounds,
                batchSize,
                memoryBytes,
                verify,
                minutes,
                wanted,
                bound);
    }

    /** One line of JSON. */
    public String toJson() {
        try {
            return JSON.writeValueAsString(this);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** From {@link #toJson}. */
    public static MemoryPlan ofJson(String text) {
        try {
            return JSON.readValue(text, MemoryPlan.class);
        } catch (JsonProcessingException e) {
            throw new BadOptionException("no plan: " + e.getOriginalMessage(), e);
        }
    }
}
