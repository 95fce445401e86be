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

    /** What it is to the zone. */
    private enum Role {
        /** It gets what was before it was opened; nobody waits for it. */
        FILLING,
        /** It has that, and answers wait for it: the arc is asked to make it a member. */
        JOINING,
        /** The arc has committed it as a member. */
        MEMBER
    }

    private Role role = Role.FILLING;

    /** Of how much use it is. What it answers makes it good again. */
    private enum Health {
        GOOD,
        /** The backup has not answered, or does not keep up: the arc is to drop it, but it may come back. */
        SILENT,
        /** The backup has answered that batches are missing: the copy is of no use before it is filled again. */
        BROKEN
    }

    private Health health = Health.GOOD;

    /** The epoch under which the backup takes batches; 0 while it was not opened. */
    long openEpoch;

    /** Whether it was removed; late answers do not count. */
    boolean gone;

    long acked;
    long synced;
    long next;

    /** The batch that is to be synced next; nothing is when {@link #synced} is not below it. */
    long syncGoal;

    /** Since when a sync has been waited for without success; meaningful while {@link #isSyncDue}. */
    private long syncDueSinceNanos;

    private boolean isSyncDue;

    /** Whether its backup is asked to sync it. */
    private enum Asking {
        NOT,
        /** It stands in the queue of its backup's syncs. */
        QUEUED,
        ASKED
    }

    private Asking askingToSync = Asking.NOT;

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

    boolean isMember() {
        return role == Role.MEMBER;
    }

    /** Whether answers wait for it. */
    boolean isRequired() {
        return role != Role.FILLING;
    }

    /** It has what was before it was opened: answers wait for it, and the arc is asked to make it a member. */
    void join() {
        assert zone.isLocked() && role == Role.FILLING : role;
        role = Role.JOINING;
    }

    /** The arc has committed it as a member, maybe without having been asked from here. */
    void becomeMember() {
        role = Role.MEMBER;
    }

    /** Whether the arc is being asked to drop it, or has to be. */
    boolean isFailed() {
        return health != Health.GOOD;
    }

    boolean isBroken() {
        return health == Health.BROKEN;
    }

    /** Whether the backup holds all that there is, as far as is known, and nothing is on its way. */
    boolean isIdle() {
        assert zone.isLocked();
        return !gone && health == Health.GOOD && openEpoch == zone.placement().epoch() && acked == zone.last();
    }

    /** Something is asked of the backup; an answer is waited for since the first of these. */
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

    /** The backup holds everything up to a sequence, and gets what is behind. */
    void holds(long sequence, long nowNanos) {
        assert zone.isLocked();
        acked = Math.max(acked, sequence);
        // An answer to what was sent before it was sent again: what is held by all is not there to be sent any more.
        next = Math.max(next, acked + 1);
        assert acked <= zone.last() && next <= zone.last() + 1 : acked + ", next " + next + ", last " + zone.last();
        health = Health.GOOD;
        waiting = acked < zone.last();
        waitingSinceNanos = nowNanos;
        stream.syncs().enqueue(this);
    }

    /**
     * It does not keep up.
     *
     * @return whether it did until now; each request on its way to a silent backup fails
     */
    boolean fail() {
        assert zone.isLocked();
        boolean first = health == Health.GOOD;
        health = first ? Health.SILENT : health;
        return first;
    }

    /**
     * It cannot have everything any more.
     *
     * @return whether it was good until now
     */
    boolean breakDown() {
        assert zone.isLocked();
        boolean first = health == Health.GOOD;
        health = Health.BROKEN;
        return first;
    }

    /** It is put into the queue of its backup's syncs; false when it need not, or stands there. */
    boolean queueToSync() {
        assert zone.isLocked();
        boolean begins = askingToSync == Asking.NOT && mustSync();
        askingToSync = begins ? Asking.QUEUED : askingToSync;
        return begins;
    }

    /** It has left that queue. */
    void leaveSyncQueue() {
        assert zone.isLocked();
        askingToSync = askingToSync == Asking.QUEUED ? Asking.NOT : askingToSync;
    }

    /** Nothing is asked of its backup any more. One that stands in the queue stays there: this may be said twice. */
    void endSync() {
        assert zone.isLocked();
        askingToSync = askingToSync == Asking.ASKED ? Asking.NOT : askingToSync;
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
                && health != Health.BROKEN
                && askingToSync != Asking.ASKED
                && openEpoch == zone.placement().epoch()
                && syncGoal > synced
                && acked >= syncGoal;
    }

    /** The backup is asked to sync now. */
    void beginSync(long nowNanos) {
        assert zone.isLocked();
        askingToSync = Asking.ASKED;
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

    /** Whether the backup was asked to sync at least {@code limitNanos} ago and has not done so. */
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
