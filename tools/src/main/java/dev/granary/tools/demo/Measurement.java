package dev.granary.tools.demo;

/**
 * The results of the measured phase. The client takes the times, network and retries included.
 *
 * @param getP50Micros median time of a single get in µs, one under way at a time
 * @param getP99Micros 99th percentile of the same
 * @param singleGetsPerSecond single gets per second
 * @param getOpsPerSecond chunks read per second in batches
 * @param createOpsPerSecond chunks created per second in batches
 * @param batchChunks chunks in a batch
 * @param batchesAtOnce batches under way at once
 * @param createdBytes payload of each created chunk
 */
record Measurement(
        double getP50Micros,
        double getP99Micros,
        double singleGetsPerSecond,
        double getOpsPerSecond,
        double createOpsPerSecond,
        int batchChunks,
        int batchesAtOnce,
        int createdBytes) {}
