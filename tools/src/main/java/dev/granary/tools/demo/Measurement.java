package dev.granary.tools.demo;

/**
 * What the measured phase found. Times are taken by the client, network and retries included.
 *
 * @param getP50Micros median time of a single get in µs, one under way at a time
 * @param getP99Micros 99th percentile of the same
 * @param singleGetsPerSecond how many single gets that made a second
 * @param getOpsPerSecond chunks read a second in batches
 * @param createOpsPerSecond chunks created a second in batches
 * @param batchChunks chunks in a batch
 * @param batchesAtOnce batches under way at once
 * @param createdBytes payload of each chunk that was created
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
