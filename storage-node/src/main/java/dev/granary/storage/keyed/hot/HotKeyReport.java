package dev.granary.storage.keyed.hot;

import java.util.List;

/**
 * What a look at hot keys has seen. Times are nanoseconds; sums are of all requests on keys since its start, whoever
 * asked.
 *
 * @param active whether it still looks
 * @param startMillis when it began, in milliseconds since 1970
 * @param durationNanos how long it has looked
 * @param selectedNanos of requests in the selected slots; 0 if none were selected
 * @param sampledNanos of those in selected slots that were looked at; 0 if none were selected
 * @param byTime the keys whose requests took the most time, the greatest first
 * @param byBytes the keys whose requests and replies had the most bytes, the greatest first
 */
public record HotKeyReport(
        HotKeyOptions options,
        boolean active,
        long startMillis,
        long durationNanos,
        long allNanos,
        long allBytes,
        long selectedNanos,
        long selectedBytes,
        long sampledNanos,
        long sampledBytes,
        List<HotKey> byTime,
        List<HotKey> byBytes) {

    /**
     * A key.
     *
     * @param key its first 1024 bytes
     * @param sum nanoseconds or bytes: at least so much
     */
    @SuppressWarnings("ArrayRecordComponent") // It is written to clients, never compared.
    public record HotKey(byte[] key, long sum) {}
}
