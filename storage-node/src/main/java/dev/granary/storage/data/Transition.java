package dev.granary.storage.data;

import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Chunks that are on their way from one storage peer to another: which requests for them wait. The phase is changed by
 * tasks of the scheduler; all else by any thread.
 */
public final class Transition {

    /** What may be done with the chunks here. */
    public enum Phase {
        /** This peer owns them: everything, and what is changed is noted. */
        COPYING,
        /** This peer owns them: they may be read, changes wait. */
        CHANGES_WAIT,
        /** Another peer may own them, which serves nothing before a moment: they may be read until then. */
        READ_FOR_A_WHILE,
        /** Nobody knows here who owns them: everything waits. */
        ALL_WAIT,
        /** Another peer owns them, as is known here: only creates wait until their LIDs are taken. */
        GONE,
        /** Another peer owns them: nothing, as for all other chunks of others. */
        RECEIVING
    }

    private final long startCid;
    private final long endCidInclusive;
    private final boolean holdsCreates;
    private final Set<Long> changed = ConcurrentHashMap.newKeySet();
    private volatile Phase phase;

    /** Whether what is read is shown only before a moment, and that moment. */
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

    /** From now on the chunks may be read until a moment, which is not before the one of the last call. */
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

    /** Whether it has a chunk in common with a span. */
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

    /** Whether it is not known here whose the chunk is. */
    boolean isUncertain(long cid) {
        return (phase == Phase.ALL_WAIT || phase == Phase.READ_FOR_A_WHILE) && contains(cid);
    }

    boolean holdsUpCreates() {
        Phase now = phase;
        return holdsCreates && now != Phase.COPYING && now != Phase.RECEIVING;
    }

    /** A chunk has been changed. Called after the change, before the operation leaves its gate. */
    void note(long cid) {
        if (phase == Phase.COPYING && contains(cid)) {
            changed.add(cid);
        }
    }

    /** How many chunks have been changed and not taken yet. */
    public int changedCount() {
        return changed.size();
    }

    /** The chunks that were changed since the last call, ascending; those that are changed meanwhile come next time. */
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
