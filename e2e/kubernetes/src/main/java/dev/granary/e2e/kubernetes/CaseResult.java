package dev.granary.e2e.kubernetes;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * What clients saw of a case.
 *
 * @param name of the case
 * @param seconds from its beginning until the cluster was as it should be
 * @param clientErrors operations that threw, or took over two seconds with default settings, retries included
 * @param unservedP99Millis of the longest time that an operation on each chunk took, the 99th percentile
 * @param lostWrites answers that cannot be right: chunks, or versions of chunks, that were acknowledged and are gone
 * @param minOpsPerSecondShare the worst whole second during the case, as a share of the median second before it
 * @param operations in all
 */
record CaseResult(
        @JsonProperty("case") String name,
        double seconds,
        long clientErrors,
        long unservedP99Millis,
        long lostWrites,
        double minOpsPerSecondShare,
        long operations) {}
