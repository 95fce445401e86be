package dev.granary.memory;

/** A stripe's counters of the chunks in its pages. Under its lock. */
final class StripeBooks extends Padded {

    private long chunks;
    private long payloadBytes;
    private final int[] liveBySize = new int[TypedFiller.MAX_STRIDE + 1];

    long chunks() {
        return chunks;
    }

    long payloadBytes() {
        return payloadBytes;
    }

    /** How many chunks of a size that suits a typed page there are. */
    int live(int sizeBytes) {
        return liveBySize[sizeBytes];
    }

    void created(int sizeBytes) {
        created(sizeBytes, 1);
    }

    void created(int sizeBytes, int newChunks) {
        chunks += newChunks;
        payloadBytes += (long) newChunks * sizeBytes;
        count(sizeBytes, newChunks);
    }

    void deleted(int sizeBytes) {
        chunks--;
        payloadBytes -= sizeBytes;
        count(sizeBytes, -1);
    }

    void resized(int fromBytes, int toBytes) {
        payloadBytes += (long) toBytes - fromBytes;
        count(fromBytes, -1);
        count(toBytes, 1);
    }

    private void count(int sizeBytes, int by) {
        if (sizeBytes <= TypedFiller.MAX_STRIDE) {
            liveBySize[sizeBytes] += by;
        }
    }
}
