package dev.granary.bench.memory;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Set;

/**
 * The work of one measuring process, which gets it as JSON.
 *
 * @param store granary, or one of the stores to compare with
 * @param layout the layout of chunk memory
 * @param chunks number of objects to load
 * @param sizes the sizes, in the form of {@link #sizeDistribution}
 * @param threads numbers of threads to measure with, one after the other
 * @param distributions the distributions by which the workload chooses objects
 * @param workload the workload, in the form of {@link Workload#parse}
 * @param operations operations of all threads together in one round
 * @param rounds number of rounds, whose median counts
 * @param batchSize chunks in a batch
 * @param memoryBytes size of the VMB, 0 for the expected need
 * @param verify whether to check every chunk's bytes and not only those of a sample
 * @param minutes length of a soak
 * @param parts what to measure
 * @param bound whether to measure the plain array beside the store
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

    /** The distribution of the sizes. */
    public SizeDistribution sizeDistribution() {
        return sizes.matches("[0-9-]+") ? SizeDistribution.parse(sizes) : SizeDistribution.load(sizes);
    }

    /** Bytes of heap that the measurement needs, for traces and noted keys. */
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

    /** Returns this plan for another store: the workload alone, without the plain array. */
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
     * Returns this plan for a warm-up: with at most {@code mostChunks} chunks and {@code mostOperations} operations,
     * one round and no checks.
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

    /** Returns this plan with another layout. */
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

    /** Returns this plan with other sizes. */
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

    /** Returns this plan with other numbers of threads. */
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

    /** Returns this plan with another workload. */
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

    /** Returns this plan with only some parts. */
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

    /** The plan from the JSON of {@link #toJson}. */
    public static MemoryPlan ofJson(String text) {
        try {
            return JSON.readValue(text, MemoryPlan.class);
        } catch (JsonProcessingException e) {
            throw new BadOptionException("not a plan: " + e.getOriginalMessage(), e);
        }
    }
}
