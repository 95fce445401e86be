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

    /** The role of the copy in its zone. */
    private enum Role {
        /** The copy gets its base; no reply waits for it. */
        FILLING,
        /** The copy has its base, and replies wait for it. The arc is asked to make its backup a member. */
        JOINING,
        /** The arc has committed the backup as a member. */
        MEMBER
    }

    private Role role = Role.FILLING;

    /** Whether the copy is of use. A good answer makes a silent copy good again. */
    private enum Health {
        GOOD,
        /** The backup has not answered, or does not keep up: the arc is to drop it, but it may come back. */
        SILENT,
        /** The backup has answered that batches are missing: the copy is of no use before it is filled again. */
        BROKEN,
        /** The same, and what was acknowledged is gone: the backup does not have the copy, or cannot keep its log. */
        LOST
    }

    private Health health = Health.GOOD;

    /** The epoch under which the backup takes batches; 0 while it was not opened. */
    long openEpoch;

    /** Whether the copy was removed; late answers do not count. */
    boolean gone;

    long acked;
    long synced;
    long next;

    /** The sequence up to which the backup is to sync; nothing is to be synced when {@link #synced} has reached it. */
    long syncGoal;

    /** Since when the owner has waited for a sync; valid while {@link #isSyncDue}. */
    private long syncDueSinceNanos;

    private boolean isSyncDue;

    /** Whether the backup is asked to sync the copy. */
    private enum Asking {
        NOT,
        /** The copy stands in the queue of its backup's syncs. */
        QUEUED,
        ASKED
    }

    private Asking askingToSync = Asking.NOT;

    /** What a copy that has been filled must have synced before it may become a member. */
    long mustHaveSynced;

    /** Whether the copy stands in the queue of its stream. */
    boolean queued;

    /** Since when the owner has waited for an answer of the backup; valid while {@link #waiting}. */
    long waitingSinceNanos;

    boolean waiting;

    ZoneCopy(OwnedZone zone, ReplicationStream stream) {
        this.zone = zone;
        this.stream = stream;
    }

    int nid() {
        return stream.nid();
    }

    boolean isMember() {
        return role == Role.MEMBER;
    }

    /** Returns whether replies wait for this copy. */
    boolean isRequired() {
        return role != Role.FILLING;
    }

    /** Notes that the copy has its base: from now on replies wait for it, and the arc is asked to make it a member. */
    void join() {
        assert zone.isLocked() && role == Role.FILLING : role;
        role = Role.JOINING;
    }

    /** Notes that the arc has committed the backup as a member, maybe without a request of this owner. */
    void becomeMember() {
        role = Role.MEMBER;
    }

    /** Returns whether the copy has failed, so that the arc is, or must be, asked to drop it. */
    boolean isFailed() {
        return health != Health.GOOD;
    }

    boolean isBroken() {
        return health == Health.BROKEN || health == Health.LOST;
    }

    /** Returns whether the backup has lost what it had acknowledged, so that nothing is gone if it is filled anew. */
    boolean isLost() {
        return health == Health.LOST;
    }

    /** Returns whether the backup is known to hold all batches, and no request for the copy is on its way. */
    boolean isIdle() {
        assert zone.isLocked();
        return !gone && health == Health.GOOD && openEpoch == zone.placement().epoch() && acked == zone.last();
    }

    /** Notes that the backup is asked something. The wait for an answer begins with the first such call. */
    void waitFrom(long nowNanos) {
        assert zone.isLocked();
        if (!waiting) {
            waiting = true;
            waitingSinceNanos = nowNanos;
        }
    }

    /** Whether the owner has waited for an answer of the backup for {@code limitNanos} or longer. */
    boolean isOverdue(long nowNanos, long limitNanos) {
        assert zone.isLocked();
        return waiting && nowNanos - waitingSinceNanos >= limitNanos;
    }

    /** Notes that the backup holds everything up to a sequence; it gets what is behind. */
    void holds(long sequence, long nowNanos) {
        assert zone.isLocked();
        acked = Math.max(acked, sequence);
        // This may be the answer to an earlier sending. Batches that all copies hold are not pending any more.
        next = Math.max(next, acked + 1);
        assert acked <= zone.last() && next <= zone.last() + 1 : acked + ", next " + next + ", last " + zone.last();
        health = Health.GOOD;
        waiting = acked < zone.last();
        waitingSinceNanos = nowNanos;
        stream.syncs().enqueue(this);
    }

    /**
     * Notes that the backup does not answer or keep up.
     *
     * @return whether the copy was good until now; each request on its way to a silent backup fails
     */
    boolean fail() {
        assert zone.isLocked();
        boolean first = health == Health.GOOD;
        health = first ? Health.SILENT : health;
        return first;
    }

    /**
     * Notes that the copy lacks batches that it cannot get any more.
     *
     * @return whether the copy was good until now
     */
    boolean breakDown() {
        assert zone.isLocked();
        boolean first = health == Health.GOOD;
        health = isLost() ? Health.LOST : Health.BROKEN;
        return first;
    }

    /**
     * Notes that the backup has lost the copy, or some of what it had acknowledged.
     *
     * @return whether the copy was good until now
     */
    boolean lose() {
        boolean first = breakDown();
        health = Health.LOST;
        return first;
    }

    /** Marks the copy as queued for a sync. Returns false when it need not be synced, or is queued already. */
    boolean queueToSync() {
        assert zone.isLocked();
        boolean begins = askingToSync == Asking.NOT && mustSync();
        askingToSync = begins ? Asking.QUEUED : askingToSync;
        return begins;
    }

    /** Notes that the copy has left the queue of syncs. */
    void leaveSyncQueue() {
        assert zone.isLocked();
        askingToSync = askingToSync == Asking.QUEUED ? Asking.NOT : askingToSync;
    }

    /** Notes that no sync request is on its way. A queued copy stays queued, so this may be called twice. */
    void endSync() {
        assert zone.isLocked();
        askingToSync = askingToSync == Asking.ASKED ? Asking.NOT : askingToSync;
    }

    /** Says that all batches up to a sequence are to be synced. */
    void wantSync(long sequence) {
        assert zone.isLocked();
        if (syncGoal <= synced) {
            syncGoal = sequence;
        }
        stream.syncs().enqueue(this);
    }

    /** Returns whether a sync must be requested: the backup holds batches to be synced, and no request is sent. */
    boolean mustSync() {
        assert zone.isLocked();
        return !gone
                && !isBroken()
                && askingToSync != Asking.ASKED
                && openEpoch == zone.placement().epoch()
                && syncGoal > synced
                && acked >= syncGoal;
    }

    /** Notes that the backup is asked to sync now. */
    void beginSync(long nowNanos) {
        assert zone.isLocked();
        askingToSync = Asking.ASKED;
        if (!isSyncDue) {
            isSyncDue = true;
            syncDueSinceNanos = nowNanos;
        }
    }

    /** Notes that the backup has synced everything up to a sequence. */
    void syncedUpTo(long sequence) {
        assert zone.isLocked();
        synced = Math.max(synced, sequence);
        isSyncDue = false;
        if (zone.lastToSync() > synced) {
            wantSync(zone.lastToSync());
        }
    }

    /** Whether the backup was asked to sync at least {@code limitNanos} ago and has not done so. */
    boolean isSyncOverdue(long nowNanos, long limitNanos) {
        assert zone.isLocked();
        return isSyncDue && nowNanos - syncDueSinceNanos >= limitNanos;
    }

    /** Makes the stream send again what is behind the sequence that the backup is known to hold. */
    void rewind() {
        assert zone.isLocked();
        next = acked + 1;
        stream.enqueue(this);
    }
}
