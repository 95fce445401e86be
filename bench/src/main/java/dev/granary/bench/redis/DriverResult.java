package dev.granary.bench.redis;

import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * What a run of a driver found.
 *
 * @param requests requests that were answered
 * @param nanos from the first request to the last reply
 * @param misses gets and deletes of keys that were not there
 * @param errors requests that were answered by an error
 * @param firstError what the store said about the first of them
 * @param latencies nanoseconds from the moment at which a request's batch is sent until its reply is read
 */
public record DriverResult(
        long requests,
        long nanos,
        long misses,
        long errors,
        @Nullable String firstError,
        Histogram latencies) {

    private static final double NANOS_PER_SECOND = 1e9;
    private static final double NANOS_PER_MICRO = 1e3;

    /** The sum of two runs, one after the other. */
    public DriverResult plus(DriverResult other) {
        Histogram both = latencies.copy();
        both.add(other.latencies);
        return new DriverResult(
                requests + other.requests,
                nanos + other.nanos,
                misses + other.misses,
                errors + other.errors,
                firstError == null ? other.firstError : firstError,
                both);
    }

    public double perSecond() {
        return requests * NANOS_PER_SECOND / Math.max(1, nanos);
    }

    /** A percentile of the latencies of the requests that were sent. */
    public double micros(double percentile) {
        return latencies.getValueAtPercentile(percentile) / NANOS_PER_MICRO;
    }

    /**
     * The same with the requests that were not sent while connections waited: a closed loop omits them when the store
     * stalls. They are filled in as if each connection meant to send a batch whenever an average batch would have been
     * answered.
     *
     * @param inFlight requests that were in flight at a time, of all connections
     */
    public double correctedMicros(double percentile, int inFlight) {
        long expected = Math.max(1, Math.round(nanos * (double) inFlight / Math.max(1, requests)));
        return latencies.copyCorrectedForCoordinatedOmission(expected).getValueAtPercentile(percentile)
                / NANOS_PER_MICRO;
    }
}
