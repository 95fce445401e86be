package dev.granary.storage.replicate;

/**
 * The copy of one zone on one backup, as the owner sees it. All but the two finals is guarded by the zone's lock.
 *
 * <p>Invariants: (1) the backup holds everything up to {@link #acked}, and has synced everything up to {@link #synced};
 * (2) what is sent next is behind what it is known to hold, and among the zone's pending batches or right behind them.
 */
final class ZoneCopy {

    final OwnedZone zone;
    final ReplicationStream stream;

    /** Whether the arc has committed it as a member. */
    boolean member;

    /** Whether answers wait for it: members, and filled copies for which the arc was asked to make them members. */
    boolean required;

    /** The epoch under which the backup takes batches; 0 while it was not opened. */
    long openEpoch;

    /** Whether it is none any more; then nothing that comes back counts. */
    boolean gone;

    /** Whether the arc is being asked to drop it, or has to be. */
    boolean failed;

    /**
     * Whether it failed by what it answered: it will not be of use again before it is filled anew. A silent one may be.
     */
    boolean broken;

    long acked;
    long synced;
    long next;

    /** The batch that is to be synced next; nothing is when {@link #synced} is not below it. */
    long syncGoal;

    /** Since when a sync has been waited for without success; meaningful while {@link #isSyncDue}. */
    private long syncDueSinceNanos;

    private boolean isSyncDue;

    /** Whether it stands in the queue of its backup's syncs, or is asked about just now. */
    boolean syncQueued;

    boolean syncing;

    /** What a copy that has been filled must have synced before it may become a member. */
    long mustHaveSynced;

    /** Whether it stands in its stream's queue. */
    boolean queued;

    /** Since when something has been waiting for it without an answer; meaningful while {@link #waiting}. */
    long waitingSinceNanos;

    boolean waiting;

    ZoneCopy(OwnedZone zone, ReplicationStream stream) {
        this.zone = zone;
        this.stream = stream;
    }

    int nid() {
        return stream.nid();
    }

    /** Whether the backup holds all that there is, as far as is known, and nothing is on its way. */
    boolean isIdle() {
        assert zone.isLocked();
        return !gone && !failed && openEpoch == zone.placement().epoch() && acked == zone.last();
    }

    /** Something is asked of the backup; an answer is waited for since the first of these. */
    void waitFrom(long nowNanos) {
        assert zone.isLocked();
        if (!waiting) {
            waiting = true;
            waitingSinceNanos = nowNanos;
        }
    }

    /** Whether an answer has been waited for so long. */
    boolean isOverdue(long nowNanos, long limitNanos) {
        assert zone.isLocked();
        return waiting && nowNanos - waitingSinceNanos >= limitNanos;
    }

    /** The backup holds everything up to a sequence, and gets what is behind. */
    void holds(long sequence, long nowNanos) {
        assert zone.isLocked();
        acked = Math.max(acked, sequence);
        // An answer to what was sent before it was sent again: what is held by all is not there to be sent any more.
        next = Math.max(next, acked + 1);
        assert acked <= zone.last() && next <= zone.last() + 1 : acked + ", next " + next + ", last " + zone.last();
        failed = false;
        broken = false;
        waiting = acked < zone.last();
        waitingSinceNanos = nowNanos;
        stream.syncs().enqueue(this);
    }

    /**
     * It is of no use any more.
     *
     * @return whether it was until now; each request on its way to a silent backup fails
     */
    boolean fail() {
        assert zone.isLocked();
        boolean first = !failed;
        failed = true;
        return first;
    }

    /** All batches up to one that is to be synced are to be. */
    void wantSync(long sequence) {
        assert zone.isLocked();
        if (syncGoal <= synced) {
            syncGoal = sequence;
        }
        stream.syncs().enqueue(this);
    }

    /** Whether the backup must be asked to sync, as it holds what is to be and nobody asks yet. */
    boolean mustSync() {
        assert zone.isLocked();
        return !gone
                && !broken
                && !syncing
                && openEpoch == zone.placement().epoch()
                && syncGoal > synced
                && acked >= syncGoal;
    }

    /** The backup is asked to sync now. */
    void beginSync(long nowNanos) {
        assert zone.isLocked();
        syncing = true;
        if (!isSyncDue) {
            isSyncDue = true;
            syncDueSinceNanos = nowNanos;
        }
    }

    /** The backup has synced everything up to a sequence. */
    void syncedUpTo(long sequence) {
        assert zone.isLocked();
        synced = Math.max(synced, sequence);
        isSyncDue = false;
        if (zone.lastToSync() > synced) {
            wantSync(zone.lastToSync());
        }
    }

    /** Whether the backup was asked to sync so long ago and has not. */
    boolean isSyncOverdue(long nowNanos, long limitNanos) {
        assert zone.isLocked();
        return isSyncDue && nowNanos - syncDueSinceNanos >= limitNanos;
    }

    /** What is behind what it holds is sent again. */
    void rewind() {
        assert zone.isLocked();
        next = acked + 1;
        stream.enqueue(this);
    }
}
