package dev.granary.storage.replicate;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.storage.probe.StorageProbe;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A zone that this peer owns: the order of its batches, the copies that must hold them, and the replies that wait for
 * that (SAFETY rules "acknowledgement", "reads", "versions").
 *
 * <pre>
 *   sequences   1 .............. acked | acked+1 .......... last | last+1
 *               on all members         | on some, or on none     | the next batch
 *               answered               | answers are held        |
 * </pre>
 *
 * <p>Invariants: (1) under the lock a change is applied to memory, gets the next sequence and joins the pending
 * batches, so that the order in memory is the order in the logs; (2) {@code acked} is not above what any required copy
 * holds, and stands still while there are fewer members than the floor or than in the placement; (3) every batch above
 * what some copy holds is pending; (4) the epoch never falls, and members are as the arc has committed them at this
 * epoch.
 *
 * <p>Thread-safe. Methods whose comment, or whose group's comment, says so need the lock.
 */
public final class OwnedZone {

    /** After this time a client tries a refused write again; a zone may be above its floor by then. */
    private static final long REFUSED_RETRY_NANOS = 20_000_000;

    private static final ZoneCopy[] NO_COPIES = {};

    private final int id;
    private final ReplicationTotals totals;
    private final ReentrantLock lock = new ReentrantLock();
    private final PendingBatches pending = new PendingBatches();
    private final ChangeMarks marks = new ChangeMarks();

    /** The marks of changes that must be synced; null as long as no change had to be. */
    private volatile @Nullable ChangeMarks syncMarks;

    private final PriorityQueue<Wait> waits = new PriorityQueue<>(Comparator.comparingLong(Wait::sequence));
    private final PriorityQueue<Wait> syncWaits = new PriorityQueue<>(Comparator.comparingLong(Wait::sequence));

    private volatile ZoneCopy[] copies = NO_COPIES;
    private volatile Placement placement;
    private volatile long last;
    private volatile long acked;
    private volatile long synced;
    private volatile boolean ended;
    private volatile boolean belowFloor;

    /** The newest batch that members must sync. */
    private volatile long lastToSync;

    /**
     * The most members so far. A zone from when there were fewer peers does not refuse writes because there are more.
     */
    private int mostMembers;

    /**
     * Whether the zone is alone: it has no member although the arc wants some. Either this peer has recovered the zone
     * and its own log is the last copy (ADR 0125), or the zone is new and no backup was found (ADR 0197). The zone
     * takes no writes without a backup, even if no copies are wanted any more, until the arc has committed that.
     */
    private boolean alone;

    /** Stamp of the last batch that changed chunks which were there, see {@link OwnedZones#stamp}. */
    private long lastStamp;

    /** How often its chunks and keys were used lately; halved at intervals. */
    private final AtomicLong uses = new AtomicLong();

    /** How many replies wait; written under the lock. */
    private volatile int waiting;

    /** A reply that waits for a sequence. */
    private record Wait(long sequence, HeldReply reply) {}

    /**
     * @param lastSequence the last sequence that the members have; 0 for a new zone
     * @param fresh whether nothing was ever in the zone, so that its floor grows with its members
     */
    OwnedZone(Placement placement, long lastSequence, boolean fresh, ReplicationTotals totals) {
        this.id = placement.zone();
        this.placement = placement;
        this.totals = totals;
        this.last = lastSequence;
        this.acked = lastSequence;
        this.synced = lastSequence;
        this.mostMembers = fresh ? 0 : Placement.MAX_BACKUPS;
        this.alone = isWithoutCopies(placement);
        this.pending.reset(lastSequence + 1);
    }

    public int id() {
        return id;
    }

    /** Counts uses of chunks or keys of the zone. Any thread. */
    public void noteUses(long count) {
        uses.addAndGet(count);
    }

    /** Returns the uses since the last halving, of which {@link #halveUses} leaves a half. Any thread. */
    long uses() {
        return uses.get();
    }

    /** Forgets half of the uses. */
    void halveUses() {
        uses.addAndGet(-(uses.get() / 2));
    }

    public Placement placement() {
        return placement;
    }

    /** Returns the sequence of the last batch. */
    public long last() {
        return last;
    }

    /** The newest batch that members must sync. */
    long lastToSync() {
        return lastToSync;
    }

    /** Returns the sequence up to which the disks of all members have what they were asked to sync. */
    long synced() {
        return synced;
    }

    /** Returns the sequence up to which all members hold every batch. */
    public long acked() {
        return acked;
    }

    public void lock() {
        lock.lock();
    }

    public void unlock() {
        lock.unlock();
    }

    /** Returns whether the calling thread has the lock, for assertions. */
    boolean isLocked() {
        return lock.isHeldByCurrentThread();
    }

    /** Returns why the zone takes no writes now, or null when it does. */
    public @Nullable ErrorReply refusal() {
        if (ended) {
            return ErrorReply.retryLater(REFUSED_RETRY_NANOS, "this storage peer does not own " + describe() + " now");
        }
        if (belowFloor) {
            StorageProbe.WRITE_BELOW_FLOOR.hit();
            return ErrorReply.retryLater(
                    REFUSED_RETRY_NANOS,
                    "%s has %d of the %d backups that it needs to take writes (%d are wanted); it can be read, and another"
                                    .formatted(describe(), healthyCount(), floor(), totals.wantedCopies())
                            + " backup is being filled");
        }
        return null;
    }

    boolean isBelowFloor() {
        return belowFloor;
    }

    /** Returns whether this peer is no longer the owner. */
    public boolean isEnded() {
        return ended;
    }

    String describe() {
        return "zone " + Nid.toHex(id >>> 15) + "/" + (id & 0x7FFF);
    }

    // Changes. The caller holds the lock.

    /**
     * Returns whether changes must be encoded, because a backup has or gets a copy. Without the lock a rough answer.
     */
    public boolean isLogged() {
        return copies.length > 0;
    }

    /** Returns whether the next batch counts as held by all members as soon as it is appended: there are none. */
    public boolean acksAtOnce() {
        assert isLocked();
        return copies.length == 0 && !belowFloor;
    }

    /** Returns the sequence that the next batch gets. */
    public long nextSequence() {
        assert isLocked();
        return last + 1;
    }

    /**
     * Marks a chunk that the next batch is going to change. Call {@link #publishMarks} before the change.
     *
     * @param sync whether members must sync the change before a get may show it
     */
    public void mark(long cid, boolean sync) {
        assert isLocked();
        marks.mark(cid, last + 1, acked);
        if (sync) {
            ChangeMarks toSync = syncMarks;
            if (toSync == null) {
                toSync = new ChangeMarks();
                syncMarks = toSync;
            }
            toSync.mark(cid, last + 1, synced);
        }
    }

    /** To be called between the marks of a request and its changes. */
    public static void publishMarks() {
        ChangeMarks.publish();
    }

    /** To be called between reading chunks and calling {@link #hides}. */
    public static void observeMarks() {
        ChangeMarks.observe();
    }

    /** Returns the stamp of the last batch that changed existing chunks, see {@link OwnedZones#stamp}. */
    public long lastStamp() {
        assert isLocked();
        return lastStamp;
    }

    public void stamp(long stamp) {
        assert isLocked();
        lastStamp = stamp;
    }

    /**
     * Appends the next batch, which is already applied to memory.
     *
     * @param batch the encoded batch, which this zone releases; null when the zone is not logged
     * @param sync whether members must sync the batch
     * @return its sequence
     */
    public long append(@Nullable ByteBuf batch, boolean sync) {
        assert isLocked();
        long sequence = last + 1;
        if (batch != null) {
            totals.added(batch.readableBytes());
            pending.add(batch);
            if (sync) {
                lastToSync = sequence;
            }
        }
        last = sequence;
        for (ZoneCopy copy : copies) {
            copy.stream.enqueue(copy);
            if (sync) {
                copy.wantSync(sequence);
            }
        }
        if (acksAtOnce()) {
            acked = sequence;
            synced = sequence;
        }
        return sequence;
    }

    /**
     * Asks all members to sync what has been appended so far. This hides no chunk.
     *
     * @return the sequence up to which they must sync; 0 when nobody has a copy, or nothing was ever appended
     */
    public long wantSynced() {
        assert isLocked();
        if (copies.length == 0) {
            return 0;
        }
        if (synced < last) {
            lastToSync = last;
            for (ZoneCopy copy : copies) {
                copy.wantSync(last);
            }
        }
        return last;
    }

    /** Sends what has been appended. The caller does not hold the lock. */
    public void send() {
        assert !isLocked();
        for (ZoneCopy copy : copies) {
            copy.stream.pump();
        }
    }

    // Replies that wait. The caller does not hold the lock.

    /** Returns whether all members hold a batch, or have synced it if {@code sync} is true. */
    public boolean holds(long sequence, boolean sync) {
        return (sync ? synced : acked) >= sequence;
    }

    /** Makes a reply wait until all members hold a batch, or have synced it if {@code sync} is true. */
    public void await(long sequence, boolean sync, HeldReply reply) {
        assert !isLocked();
        if ((sync ? synced : acked) >= sequence) {
            return;
        }
        reply.begin();
        lock.lock();
        try {
            if (!ended && (sync ? synced : acked) < sequence) {
                StorageProbe.ANSWER_HELD.hit();
                StorageProbe.ANSWER_HELD_FOR_SYNC.hitIf(sync);
                (sync ? syncWaits : waits).add(new Wait(sequence, reply));
                waiting = waits.size() + syncWaits.size();
                return;
            }
        } finally {
            lock.unlock();
        }
        if (ended) {
            reply.fail(lost());
        } else {
            reply.end();
        }
    }

    /**
     * Says whether the content that was just read of a chunk may be shown, as far as members must hold it. Call
     * {@link #observeMarks} between the read and this.
     *
     * @return 0 when it may be shown; otherwise the sequence of the batch that all members must hold before
     */
    public long hides(long cid) {
        long marked = marks.of(cid);
        return marked <= acked ? 0 : marked;
    }

    /**
     * Says the same as far as members must have synced the content: only a change that must be synced hides its chunk
     * until all members have synced it.
     *
     * @return 0 when it may be shown; otherwise the sequence of the batch that all members must sync before
     */
    public long hidesUntilSynced(long cid) {
        ChangeMarks toSync = syncMarks;
        if (toSync == null) {
            return 0;
        }
        long marked = toSync.of(cid);
        return marked <= synced ? 0 : marked;
    }

    /**
     * Returns whether members lack nothing of what was appended, so that {@link #hides} and {@link #hidesUntilSynced}
     * hide no chunk. For a read under the lock, which sees no change that is not appended.
     */
    public boolean isSettled() {
        return acked >= last && (syncMarks == null || synced >= lastToSync);
    }

    private ErrorReply lost() {
        return ErrorReply.of(
                ErrorCode.UNKNOWN_OUTCOME, "this storage peer lost " + describe() + " before its backups had answered");
    }

    // Copies. The caller holds the lock.

    ZoneCopy[] copies() {
        return copies;
    }

    @Nullable
    ZoneCopy copyOn(int nid) {
        for (ZoneCopy copy : copies) {
            if (copy.nid() == nid) {
                return copy;
            }
        }
        return null;
    }

    void addCopy(ZoneCopy copy) {
        assert isLocked();
        if (copies.length == 0) {
            pending.reset(last + 1);
        }
        ZoneCopy[] more = Arrays.copyOf(copies, copies.length + 1);
        more[copies.length] = copy;
        copies = more;
    }

    void removeCopy(ZoneCopy gone) {
        assert isLocked();
        gone.gone = true;
        copies = Arrays.stream(copies).filter(copy -> copy != gone).toArray(ZoneCopy[]::new);
    }

    void place(Placement newer) {
        assert isLocked();
        placement = newer;
        alone &= isWithoutCopies(newer);
    }

    private static boolean isWithoutCopies(Placement placement) {
        return placement.backupCount() == 0 && placement.state() == PlacementState.DEGRADED;
    }

    /** Returns whether the arc must commit that this zone needs no copy, because none are wanted any more. */
    boolean mustAskToGoWithout() {
        return alone && totals.floor() == 0;
    }

    /** Returns how many copies are members. Without the lock a rough number, for people. */
    int memberCount() {
        int count = 0;
        for (ZoneCopy copy : copies) {
            count += copy.isMember() ? 1 : 0;
        }
        return count;
    }

    /** Returns whether a member of the placement has no copy here, because its copy is filled again in its place. */
    boolean lacksMembers() {
        return memberCount() < placement.backupCount();
    }

    /** Returns how many members keep up. Without the lock a rough number, for people. */
    private int healthyCount() {
        int count = 0;
        for (ZoneCopy copy : copies) {
            count += copy.isMember() && !copy.isFailed() ? 1 : 0;
        }
        return count;
    }

    /** Returns the floor: how many members the zone must keep to take writes. */
    int floor() {
        return Math.max(alone ? 1 : 0, Math.min(totals.floor(), mostMembers));
    }

    /**
     * Returns the sequence at which a member is to be opened: the last one that this member and all other members of
     * use are known to hold. A member that is of no use, or of which nothing is known, does not lower it, so that the
     * others keep what they have. The backup cuts what is above the sequence even if its answer never comes, so the
     * member counts as holding nothing above it from now on.
     */
    long cutToHeld(ZoneCopy opened) {
        assert isLocked();
        long held = Math.min(last, opened.acked);
        for (ZoneCopy copy : copies) {
            held = copy.isMember() && !copy.isFailed() ? Math.min(held, copy.acked) : held;
        }
        StorageProbe.MEMBER_CUT_TO_THE_OTHERS.hitIf(held < opened.acked);
        opened.acked = held;
        opened.synced = Math.min(opened.synced, held);
        return held;
    }

    /** Returns whether all members that have not failed hold everything up to a sequence. */
    boolean doMembersHold(long sequence) {
        assert isLocked();
        for (ZoneCopy copy : copies) {
            if (copy.isMember() && !copy.isFailed() && copy.acked < sequence) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns the members that have failed. Those with a broken copy come first, then those that have been silent for
     * longest: these are the least likely to come back.
     */
    List<ZoneCopy> failedMembers() {
        assert isLocked();
        return Arrays.stream(copies)
                .filter(copy -> copy.isMember() && copy.isFailed())
                .sorted(Comparator.comparing((ZoneCopy copy) -> !copy.isBroken())
                        .thenComparingLong(copy -> copy.waitingSinceNanos))
                .toList();
    }

    PendingBatches pending() {
        assert isLocked();
        return pending;
    }

    /**
     * Computes again what all members hold, after copies have answered, come or gone. The caller holds the lock.
     *
     * @return the replies that need not wait any more, for {@link #release} without the lock
     */
    List<HeldReply> advance() {
        assert isLocked();
        int healthy = healthyCount();
        mostMembers = Math.max(mostMembers, healthy);
        belowFloor = healthy < floor() || lacksMembers();
        long held = last;
        long heldSynced = last;
        long everywhere = last;
        for (ZoneCopy copy : copies) {
            everywhere = Math.min(everywhere, copy.acked);
            if (copy.isRequired()) {
                held = Math.min(held, copy.acked);
                heldSynced = Math.min(heldSynced, copy.synced);
            }
        }
        if (!belowFloor) {
            acked = Math.max(acked, held);
            synced = Math.max(synced, heldSynced);
        }
        // A backup that has lost its copy is filled again. No batch is kept for that, synced or not.
        totals.removed(pending.removeUpTo(Math.min(everywhere, acked)));
        List<HeldReply> over = new ArrayList<>();
        takeUpTo(waits, acked, over);
        takeUpTo(syncWaits, synced, over);
        waiting = waits.size() + syncWaits.size();
        assert invariantsHold() : describe() + ": acked " + acked + ", synced " + synced + ", last " + last;
        return over;
    }

    /**
     * Checks of (2) and (3) what takes only a few comparisons. A backup that has lost its copy is filled again and
     * needs no pending batch, so the first pending batch may be above what this copy holds.
     */
    private boolean invariantsHold() {
        return acked <= last
                && synced <= last
                && pending.next() <= last + 1
                && (pending.isEmpty() || pending.next() == last + 1)
                && (waits.isEmpty() || waits.peek().sequence() > acked)
                && (syncWaits.isEmpty() || syncWaits.peek().sequence() > synced);
    }

    /** Refuses replies that have waited too long or whose caller is gone. The caller does not hold the lock. */
    void giveUpWaits(long nowNanos) {
        assert !isLocked();
        if (waiting == 0) {
            return;
        }
        List<HeldReply> over = new ArrayList<>();
        lock.lock();
        try {
            takeOver(waits, nowNanos, over);
            takeOver(syncWaits, nowNanos, over);
            waiting = waits.size() + syncWaits.size();
        } finally {
            lock.unlock();
        }
        over.forEach(reply -> reply.fail(HeldReplies.tooLong()));
    }

    private static void takeOver(PriorityQueue<Wait> queue, long nowNanos, List<HeldReply> over) {
        queue.removeIf(wait -> {
            boolean isOver = wait.reply().isOver(nowNanos);
            if (isOver) {
                over.add(wait.reply());
            }
            return isOver;
        });
    }

    private static void takeUpTo(PriorityQueue<Wait> queue, long sequence, List<HeldReply> over) {
        for (Wait head = queue.peek(); head != null && head.sequence() <= sequence; head = queue.peek()) {
            over.add(head.reply());
            queue.remove();
        }
    }

    /** Sends replies that waited. The caller does not hold the lock. */
    static void release(List<HeldReply> over) {
        StorageProbe.HELD_ANSWERS_RELEASED.hitIf(!over.isEmpty());
        for (HeldReply reply : over) {
            reply.end();
        }
    }

    /** Ends the zone because this peer is no longer the owner, or stops: refuses all waiting replies, sends nothing. */
    void end() {
        assert !isLocked();
        List<Wait> left = new ArrayList<>();
        lock.lock();
        try {
            ended = true;
            for (ZoneCopy copy : copies) {
                copy.gone = true;
            }
            copies = NO_COPIES;
            totals.removed(pending.clear());
            left.addAll(waits);
            left.addAll(syncWaits);
            waits.clear();
            syncWaits.clear();
            waiting = 0;
        } finally {
            lock.unlock();
        }
        StorageProbe.HELD_ANSWERS_FAILED.hitIf(!left.isEmpty());
        left.forEach(wait -> wait.reply().fail(lost()));
    }
}
