package dev.granary.memory.defragment;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.DefragmentationReport;
import dev.granary.memory.ReservationException;
import dev.granary.memory.arena.Reclaimer;
import dev.granary.memory.page.Space;
import dev.granary.memory.page.Stripe;
import dev.granary.memory.page.Stripes;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Puts free memory together, beside running operations (DXRAM section III-B). It chooses memory segments that are
 * fragmented or sparse, moves their blocks elsewhere, and gives the segments back. It works in steps, so that a caller
 * who asks for one step never waits long.
 *
 * <p>Thread-safe. A step holds the lock of this defragmenter. It tries latches without waiting, and waits for the locks
 * of stripes only. So a thread that holds a latch may wait for a step.
 */
public final class Defragmenter implements Reclaimer {

    /** Which memory segments are worth moving when there is time. */
    private static final SegmentPlan.Aim ORDINARY = new SegmentPlan.Aim(0.1, 0.25, Integer.MAX_VALUE, true);

    /** Which memory segments are worth moving when there is no memory left. */
    private static final SegmentPlan.Aim EMERGENCY = new SegmentPlan.Aim(0.01, 0.1, Integer.MAX_VALUE, true);

    /** An emergency goes on until one extent in this many is free, so that the next emergency is not near. */
    private static final int EMERGENCY_SHARE = 16;

    private static final int MAX_EMERGENCY_ROUNDS = 16;

    /** Rounds of one call. While others delete, there is always something to do. */
    private static final int MAX_ROUNDS = 64;

    /** Memory is short when less than one extent in this many is left. */
    private static final int SHORT_SHARE = 8;

    /** The limit of a call that may take any time. */
    static final long UNLIMITED = Long.MAX_VALUE;

    /** How many bytes are moved between two looks at the clock; that takes some tens of microseconds. */
    private static final long LIMITED_STEP_BYTES = 128 << 10;

    /** In an emergency a call that used up its limit is followed by a rest of this many times the limit. */
    private static final int RESTS = 3;

    /** What making a plan costs, in bytes moved. */
    private static final long COST_OF_PLAN = 1 << 20;

    private final Space space;
    private final Stripes stripes;
    private final LongSupplier nanoTime;
    private final Relocator relocator;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final BitSet stuck = new BitSet();

    @GuardedBy("lock")
    private @Nullable DefragmentationRound round;

    @GuardedBy("lock")
    private long released;

    @GuardedBy("lock")
    private boolean closed;

    private volatile LongSupplier reclaimNanos = () -> UNLIMITED;

    /** Whether an emergency goes on: a call began it and used up its limit, and no later call has ended it. */
    @GuardedBy("lock")
    private boolean emergency;

    /** Rounds that the emergency has begun, and what had been moved before it, over all calls that it takes. */
    private int emergencyRounds;

    private long movedBeforeEmergency;

    /** Until this time, in an emergency, calls with a limit return {@code LATER}. */
    @GuardedBy("lock")
    private long restsUntilNanos;

    /** How many extents were free when the round began. */
    @GuardedBy("lock")
    private int freeBefore;

    /** How many more were free when the last one was over. */
    @GuardedBy("lock")
    private int lastGain = 1;

    @GuardedBy("lock")
    private int gainSinceStuck;

    /** The books when an emergency ended in vain: it would again while no more has been freed. */
    @GuardedBy("lock")
    private long vainBytesInUse = -1;

    public Defragmenter(Space space, Stripes stripes, LongSupplier nanoTime) {
        this.space = space;
        this.stripes = stripes;
        this.nanoTime = nanoTime;
        this.relocator = new Relocator(space, stripes);
    }

    /**
     * Goes on defragmenting.
     *
     * @param budgetBytes about how many bytes to move
     */
    public DefragmentationReport defragment(long budgetBytes) {
        lock.lock();
        space.extents.openReserve(true);
        try {
            checkOpen();
            Start start = new Start(released);
            long spent = 0;
            boolean complete = false;
            for (int rounds = 0; spent < budgetBytes && rounds < MAX_ROUNDS && !complete; rounds++) {
                long before = relocator.movedBytes();
                complete = round == null && (isVain() || !begin(ORDINARY)) && !tryStuckAgain();
                run(budgetBytes - spent);
                spent += round != null ? budgetBytes : COST_OF_PLAN + relocator.movedBytes() - before;
            }
            if (complete) {
                space.extents.giveBackFree();
            }
            return start.report(complete, released);
        } finally {
            space.extents.openReserve(false);
            lock.unlock();
        }
    }

    /** Waits for the end of a step, and keeps from taking another one until {@link #resume}. */
    public void pause() {
        lock.lock();
    }

    /** Ends what {@link #pause} began, by the same thread. */
    public void resume() {
        lock.unlock();
    }

    /** How much of the memory in use is free but scattered, as a share. Waits for nobody, and looks at no page. */
    public double reclaimableShare() {
        return plan().reclaimableShare();
    }

    private SegmentPlan plan() {
        return new SegmentPlan(space.extents, space.layout, stripes.count());
    }

    /** Waits for the step that is under way; from then on nothing is moved, and the memory may go. */
    public void close() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("this chunk memory is closed");
        }
    }

    /** See {@link ChunkMemory#limitReclaim}. */
    public void limitReclaim(LongSupplier nanosForCaller) {
        reclaimNanos = nanosForCaller;
    }

    /** Whether few extents are left. */
    public boolean isShort() {
        return space.extents.usableExtents() < space.extents.limit() / SHORT_SHARE;
    }

    @Override
    public Reclaimed reclaim(long neededBytes) {
        long limitNanos = reclaimNanos.getAsLong();
        long begun = nanoTime.getAsLong();
        if (!acquire(limitNanos)) {
            return Reclaimed.LATER;
        }
        space.extents.openReserve(true);
        try {
            checkOpen();
            long needed = neededBytes / space.extents.extentBytes() + 1;
            if (space.extents.usableExtents() >= needed) {
                // Somebody else was faster.
                return Reclaimed.ROOM;
            }
            if (emergency && limitNanos < UNLIMITED && begun - restsUntilNanos < 0) {
                return Reclaimed.LATER;
            }
            return reclaim(needed, new Limit(begun, limitNanos));
        } finally {
            space.extents.openReserve(false);
            lock.unlock();
        }
    }

    private boolean acquire(long limitNanos) {
        if (limitNanos == UNLIMITED) {
            lock.lock();
            return true;
        }
        try {
            return lock.tryLock(limitNanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @GuardedBy("lock")
    private Reclaimed reclaim(long needed, Limit limit) {
        boolean resumed = emergency;
        if (!resumed) {
            emergencyRounds = 0;
            movedBeforeEmergency = relocator.movedBytes();
        }
        if (!finishRound(limit)) {
            return later(needed, limit);
        }
        long inUse = trim();
        if (!resumed && vainBytesInUse >= 0 && inUse > vainBytesInUse - space.extents.extentBytes()) {
            return Reclaimed.NOTHING;
        }
        long wanted = Math.max(needed, space.extents.count() / EMERGENCY_SHARE);
        // A round that another call began ends the emergency as one of this call would, or it would never end.
        boolean gains = emergencyRounds == 0 || lastGain > 0;
        while (gains && emergencyRounds < MAX_EMERGENCY_ROUNDS && space.extents.usableExtents() < wanted) {
            stuck.clear();
            if (!begin(EMERGENCY)) {
                break;
            }
            emergencyRounds++;
            if (!finishRound(limit)) {
                return later(needed, limit);
            }
            trim();
            gains = lastGain > 0;
        }
        emergency = false;
        boolean worth = relocator.movedBytes() > movedBeforeEmergency || space.extents.usableExtents() >= needed;
        vainBytesInUse = worth ? -1 : inUse;
        return worth ? Reclaimed.ROOM : Reclaimed.NOTHING;
    }

    /**
     * The round goes on with the next call, or with the cleaner; callers with limits leave some time to others before.
     */
    @GuardedBy("lock")
    private Reclaimed later(long needed, Limit limit) {
        emergency = true;
        restsUntilNanos = nanoTime.getAsLong() + RESTS * limit.nanos();
        return space.extents.usableExtents() >= needed ? Reclaimed.ROOM : Reclaimed.LATER;
    }

    /** For how long a call may move chunks. */
    private record Limit(long begunNanos, long nanos) {

        boolean isOver(LongSupplier nanoTime) {
            return nanos < UNLIMITED && nanoTime.getAsLong() - begunNanos >= nanos;
        }
    }

    /**
     * Changes the capacity. To shrink, segments are emptied until what is in use fits.
     *
     * @return the capacity from now on: more than asked for if not all could be moved
     * @throws IllegalArgumentException if it is less than an extent, or more than was reserved
     * @throws ReservationException if the operating system refuses more; the capacity stays as it was
     */
    public long resize(long capacityBytes) {
        lock.lock();
        space.extents.openReserve(true);
        try {
            checkOpen();
            finishRound();
            trim();
            long excess = space.extents.setCapacity(capacityBytes);
            for (int rounds = 0; excess > 0 && rounds < MAX_ROUNDS; rounds++) {
                int extents = (int) (excess / space.extents.extentBytes());
                if (!begin(new SegmentPlan.Aim(0, 0, extents, false))) {
                    break;
                }
                finishRound();
                trim();
                excess = space.extents.excessBytes();
            }
            stuck.clear();
            if (excess > 0) {
                space.extents.setCapacity(Math.min(
                        space.vmb.maxCapacityBytes(),
                        capacityBytes / space.extents.extentBytes() * space.extents.extentBytes() + excess));
            }
            return space.vmb.capacityBytes();
        } finally {
            space.extents.openReserve(false);
            lock.unlock();
        }
    }

    /** Plans a round. Returns false if there is nothing worth it. */
    @GuardedBy("lock")
    private boolean begin(SegmentPlan.Aim aim) {
        List<SegmentPlan.Choice> choices = plan().choose(aim, stuck);
        if (choices.isEmpty()) {
            return false;
        }
        DefragmentationRound next = new DefragmentationRound(space, stripes, relocator, choices);
        freeBefore = space.extents.freeExtents();
        next.start();
        round = next;
        return true;
    }

    /** Whether the last round has only moved from segments to as many others. Asked once a round. */
    @GuardedBy("lock")
    private boolean isVain() {
        boolean vain = lastGain <= 0;
        lastGain = 1;
        return vain;
    }

    /** After others were emptied there may be room for them, and before the next call a chunk may be unpinned. */
    @GuardedBy("lock")
    private boolean tryStuckAgain() {
        stuck.clear();
        boolean again = gainSinceStuck > 0;
        gainSinceStuck = 0;
        return again;
    }

    @GuardedBy("lock")
    private void run(long budgetBytes) {
        DefragmentationRound current = round;
        if (current != null && current.step(budgetBytes)) {
            current.addLeftTo(stuck);
            released += current.released();
            lastGain = space.extents.freeExtents() - freeBefore;
            gainSinceStuck += Math.max(0, lastGain);
            round = null;
        }
    }

    @GuardedBy("lock")
    private void finishRound() {
        while (round != null) {
            run(Long.MAX_VALUE);
        }
    }

    /** Makes a step at least. Returns false if the limit is over before the end. */
    @GuardedBy("lock")
    private boolean finishRound(Limit limit) {
        while (round != null) {
            run(limit.nanos() == UNLIMITED ? Long.MAX_VALUE : LIMITED_STEP_BYTES);
            if (round != null && limit.isOver(nanoTime)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Releases the segments that stripes keep in store. Returns a number that falls by at least what was freed since:
     * the bytes of blocks, and those of chunks, as deletes in typed pages free no block.
     */
    private long trim() {
        long inUse = 0;
        for (int i = 0; i < stripes.count(); i++) {
            Stripe stripe = stripes.get(i);
            stripe.lock.lock();
            try {
                stripe.prepare(false);
                stripe.arena.trim();
                inUse += stripe.arena.allocatedBytes() + stripe.books().payloadBytes();
            } finally {
                stripe.lock.unlock();
            }
        }
        return inUse;
    }

    /** The figures at the start of a call. */
    private final class Start {

        private final long nanos = nanoTime.getAsLong();
        private final long movedBlocks = relocator.movedBlocks();
        private final long movedBytes = relocator.movedBytes();
        private final long packedPages = relocator.packedPages();
        private final long releasedBefore;

        Start(long releasedBefore) {
            this.releasedBefore = releasedBefore;
        }

        DefragmentationReport report(boolean complete, long releasedNow) {
            return new DefragmentationReport(
                    relocator.movedBlocks() - movedBlocks,
                    relocator.movedBytes() - movedBytes,
                    relocator.packedPages() - packedPages,
                    releasedNow - releasedBefore,
                    nanoTime.getAsLong() - nanos,
                    complete);
        }
    }
}
