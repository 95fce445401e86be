package dev.granary.bench.network;

/**
 * What a process with a client has measured. Latencies are those of requests, and a request of a batch has many
 * operations.
 *
 * @param operations objects that were read or replaced
 * @param nanos how long it took
 * @param p50Micros median latency
 * @param p99Micros latency that one of a hundred exceeds
 * @param p999Micros latency that one of a thousand exceeds
 * @param cpuNanos processor time of all threads of the process
 * @param allocatedBytes bytes of heap that all threads of the process took
 * @param voluntarySwitches how often threads of the process gave their processor up to wait
 */
public record LoopFigures(
        long operations,
        long nanos,
        double p50Micros,
        double p99Micros,
        double p999Micros,
        long cpuNanos,
        long allocatedBytes,
        long voluntarySwitches) {}
