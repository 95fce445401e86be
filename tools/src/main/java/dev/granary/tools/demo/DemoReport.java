package dev.granary.tools.demo;

import dev.granary.process.JsonText;
import java.util.Locale;

/**
 * The figures of a whole demonstration, as {@code granary demo --json} prints them.
 *
 * @param chunks number of chunks of the graph
 * @param payloadBytes bytes in them
 * @param overheadBytesPerChunk bytes of bookkeeping for each chunk, with only the graph loaded
 * @param measurement the measured phase
 * @param keys the phase with keys
 * @param loadSeconds time of loading
 * @param storagePeers number of storage peers of the cluster
 * @param superPeers number of super-peers of the cluster
 */
record DemoReport(
        long chunks,
        long payloadBytes,
        double overheadBytesPerChunk,
        Measurement measurement,
        KeyPhase.Figures keys,
        double loadSeconds,
        int storagePeers,
        int superPeers) {

    /** One JSON object on one line; all values are numbers. */
    String toJson() {
        return new JsonText()
                .object()
                .field("chunks", chunks)
                .field("payloadBytes", payloadBytes)
                .raw("overheadBytesPerChunk", decimal("%.3f", overheadBytesPerChunk))
                .field("createOpsPerSecond", Math.round(measurement.createOpsPerSecond()))
                .field("getOpsPerSecond", Math.round(measurement.getOpsPerSecond()))
                .raw("getP50Micros", decimal("%.1f", measurement.getP50Micros()))
                .raw("getP99Micros", decimal("%.1f", measurement.getP99Micros()))
                .field("storagePeers", storagePeers)
                .field("superPeers", superPeers)
                .field("singleGetOpsPerSecond", Math.round(measurement.singleGetsPerSecond()))
                .field("batchChunks", measurement.batchChunks())
                .field("batchesAtOnce", measurement.batchesAtOnce())
                .field("keys", keys.keys())
                .field("keySetsPerSecond", Math.round(keys.setsPerSecond()))
                .field("redisGetsPerSecond", Math.round(keys.redisGetsPerSecond()))
                .raw("loadSeconds", decimal("%.3f", loadSeconds))
                .end()
                .toString();
    }

    private static String decimal(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }
}
