package dev.granary.storage.replicate;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Which chunks of a zone have been changed last in which batch: a sequence for each of {@value #SLOTS} slots by a hash of
 * the CID (SAFETY rule "reads"). Chunks of one slot share it, so that a read may wait without need, and never the other way
 * round. Written under the zone's lock, read by any thread.
 *
 * <p>A change marks its chunk before it changes it, with a release between; a read looks at the mark after it has read,
 * with an acquire between: whoever sees the new value sees its mark.
 */
final class ChangeMarks {

    static final int SLOTS = 1 << 12;

    private static final VarHandle ELEMENTS = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] sequences = new long[SLOTS];

    /** A chunk is going to be changed by the batch with this sequence; not less than those before. */
    void mark(long cid, long sequence) {
        ELEMENTS.setOpaque(sequences, slot(cid), sequence);
    }

    /** To be called between the marks of a request and its changes. */
    static void publish() {
        VarHandle.fullFence();
    }

    /** To be called between reading chunks and looking at their marks. */
    static void observe() {
        VarHandle.fullFence();
    }

    /** The batch that has changed the chunk last, or a later one; 0 when there was none. */
    long of(long cid) {
        return (long) ELEMENTS.getOpaque(sequences, slot(cid));
    }

    private static int slot(long cid) {
        return (int) ((cid * 0x9E3779B97F4A7C15L) >>> (64 - 12));
    }
}
