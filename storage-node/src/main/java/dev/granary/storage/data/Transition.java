package dev.granary.storage.data;

import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A span of chunks on its way from one storage peer to another; it says which requests for them wait. Tasks of the
 * scheduler change the phase; any thread may call the other methods.
 */
public final class Transition {

    /** What may be done with the chunks here. */
    public enum Phase {
        /** This peer owns the chunks: everything is served, and changes are noted. */
        COPYING,
        /** This peer owns the chunks: reads are served, changes wait. */
        CHANGES_WAIT,
        /** Another peer may own the chunks, but serves nothing before a moment: reads are served until then. */
        READ_FOR_A_WHILE,
        /** This peer does not know who owns the chunks: everything waits. */
        ALL_WAIT,
        /** Another peer owns the chunks, and this peer knows that: only creates wait, until placeholders are there. */
        GONE,
        /** Another peer owns the chunks: nothing is served, as of all chunks of other owners. */
        RECEIVING
    }

    private final long startCid;
    private final long endCidInclusive;
    private final boolean holdsCreates;
    private final Set<Long> changed = ConcurrentHashMap.newKeySet();
    private volatile Phase phase;

    /** Whether reads are shown only before a moment. */
    private volatile boolean readsEnd;

    private volatile long readsEndNanos;

    /**
     * @param holdsCreates whether a new chunk could get a CID of these, so that creates wait when changes do
     */
    public Transition(long startCid, long endCidInclusive, boolean holdsCreates, Phase phase) {
        this.startCid = startCid;
        this.endCidInclusive = endCidInclusive;
        this.holdsCreates = holdsCreates;
        this.phase = phase;
    }

    Transition copy() {
        Transition copy = new Transition(startCid, endCidInclusive, holdsCreates, phase);
        copy.readsEnd = readsEnd;
        copy.readsEndNanos = readsEndNanos;
        return copy;
    }

    public Phase phase() {
        return phase;
    }

    public void enter(Phase next) {
        phase = next;
    }

    /** Allows reads until a moment, which is not before that of the last call. */
    public void readUntil(long nanos) {
        readsEndNanos = nanos;
        readsEnd = true;
        phase = Phase.READ_FOR_A_WHILE;
    }

    /**
     * Whether what was read of a chunk must not be shown any more: another peer may have changed it before it was read.
     */
    boolean isReadTooLate(long cid, long nowNanos) {
        return readsEnd && nowNanos - readsEndNanos >= 0 && contains(cid);
    }

    public boolean contains(long cid) {
        return Long.compareUnsigned(startCid, cid) <= 0 && Long.compareUnsigned(cid, endCidInclusive) <= 0;
    }

    /** Returns whether this span has a chunk in common with another one. */
    public boolean overlaps(long otherStartCid, long otherEndCidInclusive) {
        return Long.compareUnsigned(startCid, otherEndCidInclusive) <= 0
                && Long.compareUnsigned(otherStartCid, endCidInclusive) <= 0;
    }

    boolean holdsUp(long cid, boolean change, long nowNanos) {
        boolean holds =
                switch (phase) {
                    case ALL_WAIT -> true;
                    case CHANGES_WAIT -> change;
                    case READ_FOR_A_WHILE -> change || nowNanos - readsEndNanos >= 0;
                    case COPYING, GONE, RECEIVING -> false;
                };
        return holds && contains(cid);
    }

    /** Returns whether this peer does not know who owns the chunk. */
    boolean isUncertain(long cid) {
        return (phase == Phase.ALL_WAIT || phase == Phase.READ_FOR_A_WHILE) && contains(cid);
    }

    boolean holdsUpCreates() {
        Phase now = phase;
        return holdsCreates && now != Phase.COPYING && now != Phase.RECEIVING;
    }

    /** Notes that a chunk was changed. Called after the change, before the operation leaves its gate. */
    void note(long cid) {
        if (phase == Phase.COPYING && contains(cid)) {
            changed.add(cid);
        }
    }

    /** Returns how many chunks were changed and not taken yet. */
    public int changedCount() {
        return changed.size();
    }

    /** Takes the chunks that were changed since the last call, ascending; later changes come with the next call. */
    public long[] takeChanged() {
        long[] taken = changed.stream().mapToLong(Long::longValue).toArray();
        for (long cid : taken) {
            changed.remove(cid);
        }
        // All are of one creator, so that signed order is that of the LIDs.
        Arrays.sort(taken);
        return taken;
    }
}
