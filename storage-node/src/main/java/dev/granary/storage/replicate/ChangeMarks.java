package dev.granary.storage.replicate;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Remembers which batch has changed a chunk of a zone last: one mark for each of {@value #SLOTS} slots, chosen by a
 * hash of the CID (SAFETY rule "reads"). Written under the zone's lock, read by any thread.
 *
 * <pre>
 *   63           48 47                                  0
 *   +--------------+-------------------------------------+
 *   | tag          | sequence of the batch               |
 *   +--------------+-------------------------------------+
 *   tag: {@link #SEVERAL}, or other bits of the hash of the only CID that the mark is for
 * </pre>
 *
 * <p>Invariants: (1) for a chunk whose newest batch is not settled, the mark has the sequence of that batch or a later
 * one; (2) a mark does not count for a chunk with another tag, so that a slow backup holds up the chunks that were
 * changed, and few others of their slots.
 *
 * <p>A change marks its chunk before it changes it; a read looks at the mark after it has read. Both have a memory
 * fence between the two steps. So a thread that sees the new value sees its mark, unless the batch was settled before.
 */
final class ChangeMarks {

    private static final int SLOT_BITS = 12;
    static final int SLOTS = 1 << SLOT_BITS;

    /** The tag of a mark that counts for all chunks of its slot. */
    private static final long SEVERAL = 0;

    private static final int SEQUENCE_BITS = 48;
    private static final long SEQUENCE_MASK = (1L << SEQUENCE_BITS) - 1;
    private static final int TAG_BITS = Long.SIZE - SEQUENCE_BITS;
    private static final long TAG_MASK = (1L << TAG_BITS) - 1;

    private static final VarHandle ELEMENTS = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] slots = new long[SLOTS];

    /**
     * Marks a chunk before the batch with this sequence changes it. Sequences never fall from call to call.
     *
     * @param settled the sequence up to which batches hide nothing any more; never less than before
     */
    void mark(long cid, long sequence, long settled) {
        long hash = hash(cid);
        long present = slots[slot(hash)];
        boolean alone = (present & SEQUENCE_MASK) <= settled || present >>> SEQUENCE_BITS == tag(hash);
        ELEMENTS.setOpaque(slots, slot(hash), (alone ? tag(hash) : SEVERAL) << SEQUENCE_BITS | sequence);
    }

    /** To be called between the marks of a request and its changes. */
    static void publish() {
        VarHandle.fullFence();
    }

    /** To be called between reading chunks and looking at their marks. */
    static void observe() {
        VarHandle.fullFence();
    }

    /**
     * Returns the sequence of the batch that has changed the chunk last, or of a later one. Returns 0 when there was no
     * such batch, or when it was settled before another batch took its slot.
     */
    long of(long cid) {
        long hash = hash(cid);
        long mark = (long) ELEMENTS.getOpaque(slots, slot(hash));
        long tag = mark >>> SEQUENCE_BITS;
        return tag == SEVERAL || tag == tag(hash) ? mark & SEQUENCE_MASK : 0;
    }

    static long hash(long cid) {
        return cid * 0x9E3779B97F4A7C15L;
    }

    static int slot(long hash) {
        return (int) (hash >>> (Long.SIZE - SLOT_BITS));
    }

    /** Returns the tag for a hash, which is never {@link #SEVERAL}. */
    static long tag(long hash) {
        return Math.max(1, (hash >>> (Long.SIZE - SLOT_BITS - TAG_BITS)) & TAG_MASK);
    }
}
