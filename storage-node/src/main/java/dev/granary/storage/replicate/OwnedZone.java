package dev.granary.storage.replicate;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A zone that this peer owns: the order of its changes, who has to hold them, and who waits for that (SAFETY rules
 * "acknowledgement", "reads", "versions").
 *
 * <pre>
 *   sequences   1 .............. acked | acked+1 .......... last | last+1
 *               on all members         | on some, or on none     | the next batch
 *               answered               | answers are held        |
 * </pre>
 *
 * <p>Invariants: (1) under the lock a change is applied to memory, gets the next sequence and joins the pending batches,
 * so that the order in memory is the order in the logs; (2) {@code acked} is not above what any required copy holds, and
 * stands still while there are fewer members than the floor; (3) every batch above what some copy holds is pending; (4)
 * the epoch never falls, and members are as the arc has committed them at this epoch.
 *
 * <p>Thread-safe; what says so needs the lock.
 */
public final class OwnedZone {

    /** A zone below its floor is looked at again by then. */
    private static final long REFUSED_RETRY_NANOS = 20_000_000;

    private static final ZoneCopy[] NO_COPIES = {};

    private final int id;
    private final ReplicationTotals totals;
    private final ReentrantLock lock = new ReentrantLock();
    private final PendingBatches pending = new PendingBatches();
    private final ChangeMarks marks = new ChangeMarks();
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

    /** A zone that was begun while there were fewer peers does not refuse writes because there are more now. */
    private int mostMembers;

    /**
     * Whether this peer has recovered it and has had no member since: as its own log is the last copy it takes no writes that
     * are not there, even if no copies are wanted, until the arc has committed that (ADR 0125).
     */
    private boolean alone;

    /** Stamp of the last batch that changed chunks which were there, see {@link OwnedZones#stamp}. */
    private long lastStamp;

    /** Who waits. */
    private record Wait(long sequence, HeldReply reply) {}

    /**
     * @param lastSequence of what its members have; 0 for a new one
     * @param fresh whether nothing was ever in it, so that its floor grows with its members
     */
    OwnedZone(Placement placement, long lastSequence, boolean fresh, ReplicationTotals totals) {
        this.id = placement.zone();
        this.placement = placement;
        this.totals = totals;
        this.last = lastSequence;
        this.acked = lastSequence;
        this.synced = lastSequence;
        this.mostMembers = fresh ? 0 : Placement.MAX_BACKUPS;
        this.alone = !fresh && isWithoutCopies(placement);
        this.pending.reset(lastSequence + 1);
    }

    public int id() {
        return id;
    }

    public Placement placement() {
        return placement;
    }

    /** The sequence of the last batch. */
    public long last() {
        return last;
    }

    /** Up to which sequence everything is on all members. */
    public long acked() {
        return acked;
    }

    public void lock() {
        lock.lock();
    }

    public void unlock() {
        lock.unlock();
    }

    /** Why nothing may be written now, or null when it may. */
    public @Nullable ErrorReply refusal() {
        if (ended) {
            return ErrorReply.retryLater(REFUSED_RETRY_NANOS, "this storage peer does not own " + describe() + " now");
        }
        if (belowFloor) {
            return ErrorReply.retryLater(
                    REFUSED_RETRY_NANOS,
                    "%s has %d of the %d backups that it needs to take writes (%d are wanted); it can be read, and another"
                                    .formatted(describe(), memberCount(), floor(), totals.wantedCopies())
                            + " backup is being filled");
        }
        return null;
    }

    boolean isBelowFloor() {
        return belowFloor;
    }

    /** Whether this peer is not the owner any more. */
    public boolean isEnded() {
        return ended;
    }

    String describe() {
        return "zone " + Nid.toHex(id >>> 15) + "/" + (id & 0x7FFF);
    }

    // The way of a change; all under the lock.

    /** Whether changes must be encoded, because somebody has a copy or gets one. */
    public boolean isLogged() {
        return copies.length > 0;
    }

    /** The sequence that the next batch gets. */
    public long nextSequence() {
        return last + 1;
    }

    /** A chunk is going to be changed by the next batch; {@link #publishMarks} follows before it is. */
    public void mark(long cid) {
        marks.mark(cid, last + 1);
    }

    /** To be called between the marks of a request and its changes. */
    public static void publishMarks() {
        ChangeMarks.publish();
    }

    /** To be called between reading chunks and asking what {@link #hides} them. */
    public static void observeMarks() {
        ChangeMarks.observe();
    }

    /** When chunks that were there were changed last, see {@link OwnedZones#stamp}. */
    public long lastStamp() {
        return lastStamp;
    }

    public void stamp(long stamp) {
        lastStamp = stamp;
    }

    /**
     * The next batch is applied and takes its place.
     *
     * @param batch encoded, taken over; null when the zone is not logged
     * @param sync whether members must sync it
     * @return its sequence
     */
    public long append(@Nullable ByteBuf batch, boolean sync) {
        long sequence = last + 1;
        if (batch != null) {
            totals.added(batch.readableBytes());
            pending.add(batch, sync);
            if (sync) {
                lastToSync = sequence;
            }
        }
        last = sequence;
        for (ZoneCopy copy : copies) {
            copy.stream.enqueue(copy);
        }
        if (copies.length == 0 && !belowFloor) {
            acked = sequence;
            synced = sequence;
        }
        return sequence;
    }

    /** Sends what has been appended; without the lock. */
    public void send() {
        for (ZoneCopy copy : copies) {
            copy.stream.pump();
        }
    }

    // Who waits; without the lock.

    /** Whether all members hold a batch, or have synced it. */
    public boolean holds(long sequence, boolean sync) {
        return (sync ? synced : acked) >= sequence;
    }

    /** Has an answer wait for a batch. */
    public void await(long sequence, boolean sync, HeldReply reply) {
        if ((sync ? synced : acked) >= sequence) {
            return;
        }
        reply.begin();
        lock.lock();
        try {
            if (!ended && (sync ? synced : acked) < sequence) {
                (sync ? syncWaits : waits).add(new Wait(sequence, reply));
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

    /** Has an answer wait for everything that was appended so far. */
    public void awaitAll(HeldReply reply) {
        await(lastToSync, true, reply);
        await(last, false, reply);
    }

    /**
     * Whether what was just read of a chunk may be shown. {@link #observeMarks} comes between reading and this.
     *
     * @return 0 when it may; otherwise the batch that must be on all members before
     */
    public long hides(long cid) {
        long marked = marks.of(cid);
        return marked <= acked && (marked > lastToSync || marked <= synced) ? 0 : marked;
    }

    /** Has an answer wait for a batch that {@link #hides} named. */
    public void awaitShown(long sequence, HeldReply reply) {
        await(sequence, sequence <= lastToSync && sequence > synced, reply);
    }

    private ErrorReply lost() {
        return ErrorReply.of(
                ErrorCode.UNKNOWN_OUTCOME, "this storage peer lost " + describe() + " before its backups had answered");
    }

    // Copies; under the lock.

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
        if (copies.length == 0) {
            pending.reset(last + 1);
        }
        ZoneCopy[] more = Arrays.copyOf(copies, copies.length + 1);
        more[copies.length] = copy;
        copies = more;
    }

    void removeCopy(ZoneCopy gone) {
        gone.gone = true;
        copies = Arrays.stream(copies).filter(copy -> copy != gone).toArray(ZoneCopy[]::new);
    }

    void place(Placement newer) {
        placement = newer;
        alone &= isWithoutCopies(newer);
    }

    private static boolean isWithoutCopies(Placement placement) {
        return placement.backupCount() == 0 && placement.state() == PlacementState.DEGRADED;
    }

    /** Whether the arc must say that it may go on without any copy, as none are wanted. */
    boolean mustAskToGoWithout() {
        return alone && totals.floor() == 0;
    }

    int memberCount() {
        int count = 0;
        for (ZoneCopy copy : copies) {
            count += copy.member ? 1 : 0;
        }
        return count;
    }

    /** How many members it must keep. */
    int floor() {
        return Math.max(alone ? 1 : 0, Math.min(totals.floor(), mostMembers));
    }

    /**
     * A member is going to be opened at the last sequence that it and each of those that are of use beside it are known to
     * hold. A member of no use, or of which nothing is known, must not have the others forget what they have. The backup cuts
     * what is above, also if its answer never comes: so it counts as holding no more from now on.
     */
    long cutToHeld(ZoneCopy opened) {
        long held = Math.min(last, opened.acked);
        for (ZoneCopy copy : copies) {
            held = copy.member && !copy.failed ? Math.min(held, copy.acked) : held;
        }
        opened.acked = held;
        opened.synced = Math.min(opened.synced, held);
        return held;
    }

    /** The members that have failed, those first that have been silent for longest: they are the least likely to come back. */
    List<ZoneCopy> failedMembers() {
        return Arrays.stream(copies)
                .filter(copy -> copy.member && copy.failed)
                .sorted(Comparator.comparing((ZoneCopy copy) -> !copy.broken)
                        .thenComparingLong(copy -> copy.waitingSinceNanos))
                .toList();
    }

    PendingBatches pending() {
        return pending;
    }

    /**
     * Takes stock after copies have answered, come or gone; under the lock.
     *
     * @return waits that are over, for {@link #release} without the lock
     */
    List<HeldReply> advance() {
        int healthy = 0;
        for (ZoneCopy copy : copies) {
            healthy += copy.member && !copy.failed ? 1 : 0;
        }
        mostMembers = Math.max(mostMembers, healthy);
        belowFloor = healthy < floor();
        long held = last;
        long heldSynced = last;
        long everywhere = last;
        for (ZoneCopy copy : copies) {
            everywhere = Math.min(everywhere, copy.acked);
            if (copy.required) {
                held = Math.min(held, copy.acked);
                heldSynced = Math.min(heldSynced, copy.synced);
            }
        }
        if (!belowFloor) {
            acked = Math.max(acked, held);
            synced = Math.max(synced, heldSynced);
        }
        long notNeeded = Math.min(everywhere, acked);
        totals.removed(pending.removeUpTo(lastToSync > synced ? Math.min(notNeeded, synced) : notNeeded));
        List<HeldReply> over = new ArrayList<>();
        takeUpTo(waits, acked, over);
        takeUpTo(syncWaits, synced, over);
        return over;
    }

    private static void takeUpTo(PriorityQueue<Wait> queue, long sequence, List<HeldReply> over) {
        for (Wait head = queue.peek(); head != null && head.sequence() <= sequence; head = queue.peek()) {
            over.add(head.reply());
            queue.remove();
        }
    }

    /** Sends answers that waited; without the lock. */
    static void release(List<HeldReply> over) {
        for (HeldReply reply : over) {
            reply.end();
        }
    }

    /** This peer is not the owner any more, or stops: nobody waits, nothing is sent. Without the lock. */
    void end() {
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
        } finally {
            lock.unlock();
        }
        left.forEach(wait -> wait.reply().fail(lost()));
    }
}
