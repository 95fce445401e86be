package dev.granary.log.backup;

import dev.granary.log.batch.BatchFormat;
import dev.granary.log.batch.EntryCursor;
import java.util.Arrays;

/**
 * Notes about the entries of a segment, made while the segment was written: the slots of its chunk entries, 4 bytes
 * each, and its completion records. The cleaner needs no more to drop a segment without live entries. So a segment that
 * dies soon is dropped without being read (ADR 0144). Used by the disk's thread only.
 */
final class NotedEntries {

    private static final int LONGS_A_REQUEST = 2;

    /** The index to which the slots belong; they mean nothing to another index. */
    private final SegmentIndex index;

    private final int ordinal;
    private int[] slots = new int[1 << 8];
    private int count;
    private long[] requests = new long[LONGS_A_REQUEST];
    private int requestLongs;

    /** Whether the segment has lock tokens. They are not noted, so such a segment is read. */
    private boolean hasTokens;

    NotedEntries(SegmentIndex index, Segment segment) {
        this.index = index;
        ordinal = segment.ordinal();
    }

    long sizeBytes() {
        return (long) Integer.BYTES * slots.length + (long) Long.BYTES * requests.length;
    }

    void note(EntryCursor entry) {
        switch (entry.type()) {
            case BatchFormat.TYPE_REQUEST -> noteRequest(entry);
            case BatchFormat.TYPE_TOKEN -> hasTokens = true;
            default -> {
                if (count == slots.length) {
                    slots = Arrays.copyOf(slots, 2 * count);
                }
                slots[count++] = index.slot(entry.cid());
            }
        }
    }

    private void noteRequest(EntryCursor entry) {
        if (requestLongs == requests.length) {
            requests = Arrays.copyOf(requests, 2 * requestLongs);
        }
        requests[requestLongs++] = entry.clientId();
        requests[requestLongs++] = entry.requestSequence();
    }

    boolean isOf(SegmentIndex by) {
        return by == index;
    }

    /** Returns whether an index says that no entry of the segment must be rewritten. */
    boolean isDead(SegmentIndex by) {
        if (!isOf(by) || hasTokens) {
            return false;
        }
        for (int i = 0; i < count; i++) {
            if (!index.isElsewhere(slots[i], ordinal)) {
                return false;
            }
        }
        for (int i = 0; i < requestLongs; i += LONGS_A_REQUEST) {
            if (!index.isAcked(requests[i], requests[i + 1])) {
                return false;
            }
        }
        return true;
    }

    /** Takes all entries out of the index. */
    void forget() {
        for (int i = 0; i < count; i++) {
            index.forgetCopyAt(slots[i]);
        }
    }
}
