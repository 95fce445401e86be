package dev.granary.memory.page;

import dev.granary.memory.os.Padded;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A stripe's counters of the chunks in its pages. Under its lock, but anybody may read the two of all sizes together.
 */
public final class StripeBooks extends Padded {

    private static final VarHandle CHUNKS;
    private static final VarHandle PAYLOAD_BYTES;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            CHUNKS = lookup.findVarHandle(StripeBooks.class, "chunks", long.class);
            PAYLOAD_BYTES = lookup.findVarHandle(StripeBooks.class, "payloadBytes", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private long chunks;
    private long payloadBytes;
    private final int[] liveBySize = new int[TypedFiller.MAX_STRIDE + 1];

    /** How many chunks there are; without the lock, a moment ago. */
    public long chunks() {
        return (long) CHUNKS.getOpaque(this);
    }

    /** The sum of their sizes; without the lock, a moment ago. */
    public long payloadBytes() {
        return (long) PAYLOAD_BYTES.getOpaque(this);
    }

    /** How many chunks of a size that suits a typed page there are. */
    int live(int sizeBytes) {
        return liveBySize[sizeBytes];
    }

    public void created(int sizeBytes) {
        created(sizeBytes, 1);
    }

    public void created(int sizeBytes, int newChunks) {
        add(newChunks, (long) newChunks * sizeBytes);
        count(sizeBytes, newChunks);
    }

    public void deleted(int sizeBytes) {
        add(-1, -sizeBytes);
        count(sizeBytes, -1);
    }

    public void resized(int fromBytes, int toBytes) {
        add(0, (long) toBytes - fromBytes);
        count(fromBytes, -1);
        count(toBytes, 1);
    }

    private void add(int newChunks, long newBytes) {
        CHUNKS.setOpaque(this, chunks + newChunks);
        PAYLOAD_BYTES.setOpaque(this, payloadBytes + newBytes);
    }

    private void count(int sizeBytes, int by) {
        if (sizeBytes <= TypedFiller.MAX_STRIDE) {
            liveBySize[sizeBytes] += by;
        }
    }
}
