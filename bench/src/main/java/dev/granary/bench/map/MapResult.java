package dev.granary.bench.map;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.jspecify.annotations.Nullable;

/**
 * What one process measured; a line of JSON.
 *
 * @param name of the case
 * @param heapBytes the largest heap that the process may have
 * @param bytesPerEntry what an entry takes with everything that belongs to it, keys and values included: memory that
 *     the map says it uses, or growth of the live heap
 * @param overheadBytesPerEntry the same without key and value
 * @param rssOverheadBytesPerEntry the same by the growth of the process; null for maps on the heap, whose heap is there
 *     from the start
 * @param insertsPerSecond while the map was loaded
 * @param putsPerSecond replacing random entries
 * @param getsPerSecond of random entries
 * @param batchedGetsPerSecond of random entries, in batches of {@link MapRun#BATCH}; null for maps without batches
 * @param longestPauseMillis the longest time that a thread which sleeps a millisecond at a time overslept, from the
 *     load to the last get: collections, and whatever else kept it from the processor
 * @param longestCollectionMillis the longest pause by the collector's own account
 * @param remark what went wrong, null if nothing did
 */
public record MapResult(
        String name,
        String store,
        int entries,
        int keyBytes,
        int valueBytes,
        long heapBytes,
        int threads,
        @Nullable Double bytesPerEntry,
        @Nullable Double overheadBytesPerEntry,
        @Nullable Double rssOverheadBytesPerEntry,
        @Nullable Double insertsPerSecond,
        @Nullable Double putsPerSecond,
        @Nullable Double getsPerSecond,
        @Nullable Double batchedGetsPerSecond,
        @Nullable Double longestPauseMillis,
        @Nullable Double longestCollectionMillis,
        @Nullable String remark) {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** A result of a process that measured nothing. */
    public static MapResult failed(MapPlan plan, long heapBytes, String remark) {
        return new MapResult(
                plan.name(),
                plan.store().toString(),
                plan.entries(),
                plan.keyBytes(),
                plan.valueBytes(),
                heapBytes,
                plan.threads(),
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                remark);
    }

    /** One line of JSON. */
    public String toJson() {
        try {
            return JSON.writeValueAsString(this);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * A result from its JSON.
     *
     * @throws IllegalArgumentException when it is none
     */
    public static MapResult ofJson(String text) {
        try {
            return JSON.readValue(text, MapResult.class);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("no result: " + text, e);
        }
    }
}
