package dev.granary.e2e.kubernetes;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * What clients saw during a case.
 *
 * @param name the case
 * @param seconds from the beginning of the case until the cluster was as wanted again
 * @param clientErrors operations that threw, or took over two seconds with default settings, retries included
 * @param unservedP99Millis the 99th percentile, over all chunks, of the longest time that an operation on a chunk took
 * @param lostWrites answers that cannot be right: chunks, or versions of chunks, that were acknowledged and are gone
 * @param minOpsPerSecondShare the worst whole second during the case, as a share of the median second before it
 * @param operations the number of all operations
 */
record CaseResult(
        @JsonProperty("case") String name,
        double seconds,
        long clientErrors,
        long unservedP99Millis,
        long lostWrites,
        double minOpsPerSecondShare,
        long operations) {}
