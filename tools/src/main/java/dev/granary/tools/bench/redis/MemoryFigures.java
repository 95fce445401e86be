package dev.granary.tools.bench.redis;

import dev.granary.tools.bench.process.ProcessFigures;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * The memory of a store at one moment.
 *
 * @param keys keys in it
 * @param dataBytes the bytes of these keys and their values
 * @param residentBytes bytes of its servers in RAM
 * @param otherResidentBytes bytes of its other processes in RAM
 * @param ownBytes the bytes that it says it takes
 */
record MemoryFigures(long keys, long dataBytes, long residentBytes, long otherResidentBytes, long ownBytes) {

    /** @param settleSeconds stores give back or put together memory in the background, for so long at most */
    static MemoryFigures of(MeasuredStore store, long keys, long dataBytes, int settleSeconds)
            throws IOException, InterruptedException {
        TimeUnit.SECONDS.sleep(settleSeconds);
        return new MemoryFigures(
                keys,
                dataBytes,
                ProcessFigures.residentBytes(store.servers()),
                ProcessFigures.residentBytes(store.others()),
                store.ownBytes());
    }

    /** Bytes by which the servers have grown for a key, beside key and value. */
    double besideSince(MemoryFigures before) {
        return beside(residentBytes - before.residentBytes, before);
    }

    /** The same by the store's own count. */
    double ownBesideSince(MemoryFigures before) {
        return beside(ownBytes - before.ownBytes, before);
    }

    private double beside(long grownBytes, MemoryFigures before) {
        return (grownBytes - (dataBytes - before.dataBytes)) / (double) (keys - before.keys);
    }
}
