package dev.granary.cli.graph;

import java.util.Arrays;

/** The chunks that a load has created. Thread-safe. */
final class CreatedChunks {

    private long[] cids = new long[1 << 12];
    private int count;
    private long payloadBytes;

    synchronized void add(long[] more, long morePayloadBytes) {
        int needed = Math.addExact(count, more.length);
        if (needed > cids.length) {
            cids = Arrays.copyOf(cids, Math.max(needed, cids.length * 2));
        }
        System.arraycopy(more, 0, cids, count, more.length);
        count = needed;
        payloadBytes += morePayloadBytes;
    }

    synchronized long[] cids() {
        return Arrays.copyOf(cids, count);
    }

    synchronized long count() {
        return count;
    }

    synchronized long payloadBytes() {
        return payloadBytes;
    }
}
