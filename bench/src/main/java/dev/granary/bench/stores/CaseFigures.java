package dev.granary.bench.stores;

import org.jspecify.annotations.Nullable;

/**
 * What the process with a client has measured. Latencies are those of requests. In an open loop they begin when a
 * request was due; what was due and never sent counts with the time that it had waited.
 *
 * @param operations that succeeded; in a multi-get each object is one
 * @param errors requests that failed
 * @param firstError what the first one said, null for none
 * @param nanos how long it took
 * @param p50Micros median latency
 * @param p95Micros latency that one of twenty exceeds
 * @param p99Micros latency that one of a hundred exceeds
 * @param p999Micros latency that one of a thousand exceeds
 * @param cpuNanos processor time of all threads of the process
 * @param staleReads reads that found less than was acknowledged before they began, where reads are checked
 */
public record CaseFigures(
        long operations,
        long errors,
        @Nullable String firstError,
        long nanos,
        double p50Micros,
        double p95Micros,
        double p99Micros,
        double p999Micros,
        long cpuNanos,
        long staleReads) {}
