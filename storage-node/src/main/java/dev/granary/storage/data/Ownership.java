package dev.granary.storage.data;

import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.RangeMessages.MovedRanges;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Nid;
import dev.granary.overlay.PlacementState;
import dev.granary.overlay.tree.RangeCache;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Knows which chunks this storage peer owns: those that it has created, except for ranges that others own now, and
 * ranges that it has taken over (ADR 0093). Thread-safe; only tasks of the scheduler begin and end transitions.
 *
 * <p>Invariants: (1) what is learnt of a range is never replaced by something with a lower epoch; (2) no two
 * transitions have a chunk in common; (3) no transition to this peer begins for a chunk that a recovery has claimed.
 */
public final class Ownership {

    private static final Transition[] NONE = {};

    private final int nid;
    private final long firstLid;

    /** The ranges whose owner is no longer the one from when the chunks were created. */
    private final RangeCache known = new RangeCache(Long.MAX_VALUE);

    /** The ranges that had no owner when they were learnt. Each gets an owner, or is lost: its arc knows. */
    private volatile CidRange[] recovering = {};

    private volatile boolean anyKnown;
    private volatile Transition[] transitions = NONE;

    /** What recoveries are bringing into memory. Tasks of the scheduler alone use it. */
    private final List<Claim> claims = new ArrayList<>();

    /** The chunks that one recovery brings into memory. Nothing else may put or remove one of them meanwhile. */
    public interface Claim {

        /** Returns whether one of the chunks lies in a span. */
        boolean overlaps(long startCid, long endCidInclusive);
    }

    /**
     * @param nid of this peer
     * @param firstLid the first LID of this incarnation: own chunks below it are lost, but for ranges that others have
     */
    public Ownership(int nid, long firstLid) {
        this.nid = nid;
        this.firstLid = firstLid;
    }

    /**
     * Returns all ranges whose owner is no longer the one from when the chunks were created. Ranges that had no owner
     * when they were learnt come first, the others are ascending. An object that learns them in this order knows what
     * this one knows.
     */
    public List<CidRange> knownRanges() {
        List<CidRange> ranges = new ArrayList<>(List.of(recovering));
        for (Optional<CidRange> range = known.findAtOrAfter(0);
                range.isPresent();
                range = known.findAtOrAfter(range.get().endCidInclusive() + 1)) {
            ranges.add(range.get());
            if (range.get().endCidInclusive() == -1L) {
                break;
            }
        }
        return ranges;
    }

    /** Returns a copy of the present state, for a test that asks later. */
    public Ownership copy() {
        Ownership copy = new Ownership(nid, firstLid);
        knownRanges().forEach(copy::learn);
        copy.transitions = Arrays.stream(transitions).map(Transition::copy).toArray(Transition[]::new);
        return copy;
    }

    /** Returns whether at this moment only the arc of its creator knows whether this peer owns a chunk. */
    public boolean isUncertain(long cid) {
        return Arrays.stream(transitions).anyMatch(each -> each.isUncertain(cid));
    }

    /** Returns whether this peer owns a chunk, or owned it before it was lost. */
    public boolean owns(long cid) {
        return statusOf(cid) != ChunkStatus.WRONG_OWNER;
    }

    /** Returns whether this peer owns a CID whose chunk, if there is one, is not lost. */
    public boolean serves(long cid) {
        return statusOf(cid) == ChunkStatus.OK;
    }

    public int nid() {
        return nid;
    }

    public long firstLid() {
        return firstLid;
    }

    /** What can be said of a CID without looking into the memory: {@link ChunkStatus#OK} when it may be there. */
    int statusOf(long cid) {
        if (anyKnown) {
            int owner = known.ownerOf(cid);
            if (owner != Nid.NONE) {
                return owner == nid ? ChunkStatus.OK : ChunkStatus.WRONG_OWNER;
            }
        }
        if (Cid.nid(cid) != nid) {
            return ChunkStatus.WRONG_OWNER;
        }
        long lid = Cid.lid(cid);
        if (lid < firstLid) {
            return lid == 0 ? ChunkStatus.NOT_FOUND : statusOfEarlier(cid);
        }
        return ChunkStatus.OK;
    }

    /**
     * Returns the status of a chunk of an earlier incarnation without a known owner: it is lost, or others are
     * recovering it.
     */
    private int statusOfEarlier(long cid) {
        for (CidRange each : recovering) {
            if (each.contains(cid)) {
                return ChunkStatus.WRONG_OWNER;
            }
        }
        return ChunkStatus.LOST;
    }

    /** Returns the epoch of the known range of a CID that this peer owns; 0 when it knows none, or does not own it. */
    long ownedEpoch(long cid) {
        long range = anyKnown ? known.lookup(cid) : RangeCache.MISS;
        return RangeCache.owner(range) == nid ? RangeCache.epoch(range) : 0;
    }

    /** Returns a mark for {@link #isUnchangedSince}. Take it before looking anything up. */
    long mark() {
        return known.mark();
    }

    /** Returns whether nothing was learnt since a mark was taken. */
    boolean isUnchangedSince(long mark) {
        return known.isUnchangedSince(mark);
    }

    /** Returns the known range of a CID; empty when its owner is the one from when the chunk was created. */
    public Optional<CidRange> known(long cid) {
        return known.find(cid);
    }

    /** Returns the known range of a CID, or else the next known range behind it. */
    public Optional<CidRange> knownAtOrAfter(long cid) {
        return known.findAtOrAfter(cid);
    }

    /** Takes over the owner and the epoch of a range. */
    public void learn(CidRange range) {
        if (range.placement().state() == PlacementState.RECOVERING) {
            noteRecovering(range);
        }
        known.put(range);
        anyKnown = true;
    }

    private synchronized void noteRecovering(CidRange range) {
        CidRange[] more = Arrays.copyOf(recovering, recovering.length + 1);
        more[recovering.length] = range;
        recovering = more;
    }

    /** Returns whether a span has chunks in common with a transition or a claim. Called by tasks of the scheduler. */
    public boolean isInTransition(long startCid, long endCidInclusive) {
        for (Transition each : transitions) {
            if (each.overlaps(startCid, endCidInclusive)) {
                return true;
            }
        }
        for (Claim each : claims) {
            if (each.overlaps(startCid, endCidInclusive)) {
                return true;
            }
        }
        return false;
    }

    /** Claims chunks for a recovery. Requests for them are answered as before: claims keep migrations away alone. */
    public void claim(Claim claim) {
        claims.add(claim);
    }

    /** Gives a claim up. Does nothing when there is none. */
    public void unclaim(Claim claim) {
        claims.remove(claim);
    }

    public void begin(Transition transition) {
        Transition[] next = Arrays.copyOf(transitions, transitions.length + 1);
        next[next.length - 1] = transition;
        transitions = next;
    }

    public void end(Transition transition) {
        transitions =
                Arrays.stream(transitions).filter(each -> each != transition).toArray(Transition[]::new);
    }

    /** Returns whether nothing is on its way here or from here, so that nothing must wait. */
    boolean isAtRest() {
        return transitions.length == 0;
    }

    /** Returns whether a request for the chunks must wait until their owner is known. */
    boolean mustWait(long[] cids, int count, boolean change, long nowNanos) {
        for (Transition each : transitions) {
            for (int i = 0; i < count; i++) {
                if (each.holdsUp(cids[i], change, nowNanos)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Returns whether chunks must not be shown, because another peer may have changed them before they were read. */
    boolean areReadTooLate(long[] cids, int count, LongSupplier nanoTime) {
        Transition[] present = transitions;
        if (present.length == 0) {
            return false;
        }
        long now = nanoTime.getAsLong();
        for (Transition each : present) {
            for (int i = 0; i < count; i++) {
                if (each.isReadTooLate(cids[i], now)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Returns whether a create must wait, because its chunks could get CIDs that another peer owns soon. */
    public boolean mustCreatesWait() {
        for (Transition each : transitions) {
            if (each.holdsUpCreates()) {
                return true;
            }
        }
        return false;
    }

    /** Returns the known ranges of those chunks that other peers own; not more than fit into a reply. */
    List<CidRange> movedRanges(long[] cids, int count) {
        List<CidRange> moved = new ArrayList<>();
        for (int i = 0; anyKnown && i < count && moved.size() < MovedRanges.MAX_RANGES; i++) {
            long cid = cids[i];
            int owner = known.ownerOf(cid);
            boolean told = !moved.isEmpty() && moved.getLast().contains(cid);
            if (owner != Nid.NONE && owner != nid && !told) {
                known.find(cid).ifPresent(moved::add);
            }
        }
        return moved;
    }

    /** Notes that chunks were changed. */
    void noteChanged(long[] cids, int count) {
        for (Transition each : transitions) {
            for (int i = 0; i < count; i++) {
                each.note(cids[i]);
            }
        }
    }
}
