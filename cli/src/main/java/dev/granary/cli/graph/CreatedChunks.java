package dev.granary.cli.graph;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Arrays;

/** The chunks that a load has created. Thread-safe. */
final class CreatedChunks {

    @GuardedBy("this")
    private long[] cids = new long[1 << 12];

    @GuardedBy("this")
    private int count;

    @GuardedBy("this")
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
