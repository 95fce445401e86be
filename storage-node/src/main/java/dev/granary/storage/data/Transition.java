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
        /** Nobody knows here who owns them: everything waits. */
        ALL_WAIT,
        /** Another peer owns them: nothing, as for all other chunks of others. */
        RECEIVING
    }

    private final long startCid;
    private final long endCidInclusive;
    private final boolean holdsCreates;
    private final Set<Long> changed = ConcurrentHashMap.newKeySet();
    private volatile Phase phase;

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
        return new Transition(startCid, endCidInclusive, holdsCreates, phase);
    }

    public void enter(Phase next) {
        phase = next;
    }

    public boolean contains(long cid) {
        return Long.compareUnsigned(startCid, cid) <= 0 && Long.compareUnsigned(cid, endCidInclusive) <= 0;
    }

    /** Whether it has a chunk in common with a span. */
    public boolean overlaps(long otherStartCid, long otherEndCidInclusive) {
        return Long.compareUnsigned(startCid, otherEndCidInclusive) <= 0
                && Long.compareUnsigned(otherStartCid, endCidInclusive) <= 0;
    }

    boolean holdsUp(long cid, boolean change) {
        Phase now = phase;
        return (now == Phase.ALL_WAIT || (change && now == Phase.CHANGES_WAIT)) && contains(cid);
    }

    boolean holdsUpCreates() {
        Phase now = phase;
        return holdsCreates && (now == Phase.ALL_WAIT || now == Phase.CHANGES_WAIT);
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
