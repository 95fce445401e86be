package dev.granary.bench.map;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.jspecify.annotations.Nullable;

/**
 * The result of one process, a line of JSON.
 *
 * @param name the name of the case
 * @param heapBytes the largest heap that the process may have
 * @param bytesPerEntry bytes of an entry with its overhead, key and value included: the memory that the map reports, or
 *     the growth of the live heap
 * @param overheadBytesPerEntry the same without key and value
 * @param rssOverheadBytesPerEntry the same by the growth of the process; null for maps on the heap, whose heap exists
 *     from the start
 * @param insertsPerSecond inserts per second while the map was loaded
 * @param putsPerSecond puts per second that replace random entries
 * @param getsPerSecond gets per second of random entries
 * @param batchedGetsPerSecond gets per second of random entries in batches of {@link MapRun#BATCH}; null for maps
 *     without batches
 * @param longestPauseMillis the longest time that a thread which sleeps a millisecond at a time overslept, from the
 *     load to the last get: collections, and whatever else kept it from the processor
 * @param longestCollectionMillis the longest pause that the collector reported
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
     * @throws IllegalArgumentException when the text is not a result
     */
    public static MapResult ofJson(String text) {
        try {
            return JSON.readValue(text, MapResult.class);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not a result: " + text, e);
        }
    }
}
