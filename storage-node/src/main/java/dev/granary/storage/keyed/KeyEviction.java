package dev.granary.storage.keyed;

import dev.granary.env.Clock;
import dev.granary.env.Loop;
import dev.granary.env.Scheduler;
import dev.granary.memory.MemoryStatistics;
import dev.granary.storage.data.KeyedAccess;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Keeps keyed data below its limit of memory by removing keys, of all groups of this peer in proportion to their size.
 * In the background a part of the limit is kept free; who finds no room all the same removes some keys for himself.
 * Both take less than a millisecond at a time, whatever is wanted: who wants more comes again. Thread-safe.
 */
final class KeyEviction {

    /** What is to be kept free is this part of the limit. */
    private static final int HEADROOM_DIVISOR = 64;

    /** Chunk memory above these parts of its capacity is left to chunks, and to what other peers leave to this one. */
    private static final int CAPACITY_PARTS = 5;

    private static final int CAPACITY_DIVISOR = 6;

    /** Gaps are taken for at most this part of the chunk memory. */
    private static final int GAPS_DIVISOR = 4;

    /** With each look this part of the gaps is forgotten: half of it in a minute or two. */
    private static final int FORGET_DIVISOR = 1024;

    /** How many keys are removed at once, for which the group is locked. */
    private static final int STEP = 16;

    private static final long CALL_NANOS = 300_000;
    private static final long SWEEP_NANOS = 700_000;

    /** How often groups are looked at, where the clock stands still meanwhile. */
    private static final int CALL_STEPS = 16;

    private static final int SWEEP_STEPS = 64;
    private static final long LOOK_NANOS = 100_000_000;
    private static final long BUSY_NANOS = 2_000_000;

    /** After so many steps without a key in a row there is none. */
    private static final int VAIN_STEPS = 8;

    /** Multiples of it meet all groups evenly. */
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private final Clock clock;
    private final KeyedAccess access;
    private final KeyedGroups groups;
    private final KeyedMemory memory;
    private final KeyedLimits limits;
    private final GroupRemovals removals;
    private final Loop sweeps;
    private final AtomicLong turn = new AtomicLong();

    /** The most that a call has wanted that waits for it. */
    private final AtomicLong wanted = new AtomicLong();

    /** What cannot be used of the free chunk memory because it lies in pieces; forgotten little by little. */
    private final AtomicLong gaps = new AtomicLong();

    private volatile boolean isBusy;

    KeyEviction(
            Clock clock,
            Scheduler scheduler,
            KeyedAccess access,
            KeyedGroups groups,
            KeyedMemory memory,
            KeyedLimits limits,
            GroupRemovals removals) {
        this.clock = clock;
        this.access = access;
        this.groups = groups;
        this.memory = memory;
        this.limits = limits;
        this.removals = removals;
        this.sweeps = Loop.every(scheduler, "key-eviction", () -> isBusy ? BUSY_NANOS : LOOK_NANOS, this::sweep);
    }

    /** What has come of an attempt to make way. */
    enum Outcome {
        /** There is room. */
        ROOM,
        /** Keys were removed, but not enough yet: come again. */
        MORE,
        /** Nothing more makes way: the change is refused if it does not fit. */
        NO_USE
    }

    /** Begins to look after the memory, unless it has begun. */
    void begin() {
        if (!sweeps.isRunning()) {
            sweeps.begin();
        }
    }

    void stop() {
        sweeps.stop();
    }

    EvictionPolicy policy() {
        return limits.policy();
    }

    /**
     * Makes way for a call that takes about so many bytes, and takes them for it. The caller holds no zone's lock.
     *
     * @return {@link Outcome#ROOM} when they were taken; the caller gives back what the call leaves
     */
    Outcome lend(long bytes) {
        if (!limits.policy().evicts()) {
            return Outcome.NO_USE;
        }
        if (memory.take(bytes)) {
            return Outcome.ROOM;
        }
        Outcome outcome = makeWay(bytes);
        return outcome != Outcome.ROOM || memory.take(bytes) ? outcome : Outcome.MORE;
    }

    /** Makes way for a change that takes about so many bytes. The caller holds no zone's lock. */
    Outcome makeWay(long bytes) {
        EvictionPolicy policy = limits.policy();
        if (memory.hasRoom(bytes)) {
            return Outcome.ROOM;
        }
        if (!policy.evicts() || bytes > memory.limitBytes()) {
            return Outcome.NO_USE;
        }
        boolean some = evict(policy, memory.limitBytes() - bytes, CALL_STEPS, CALL_NANOS);
        if (memory.hasRoom(bytes)) {
            return Outcome.ROOM;
        }
        if (some) {
            wanted.accumulateAndGet(bytes, Math::max);
            return Outcome.MORE;
        }
        return Outcome.NO_USE;
    }

    /**
     * Makes way for a change for which chunk memory had no block, although the limit allows it. The caller holds no
     * zone's lock.
     *
     * @param isPassing whether free memory is just being put together
     */
    Outcome makeBlock(long bytes, boolean isPassing) {
        if (!limits.policy().evicts()) {
            return Outcome.NO_USE;
        }
        if (isPassing) {
            return Outcome.MORE;
        }
        gaps.updateAndGet(known -> known + Math.max(bytes, memory.usedBytes() / HEADROOM_DIVISOR));
        look();
        Outcome outcome = makeWay(bytes);
        return outcome == Outcome.ROOM ? Outcome.MORE : outcome;
    }

    /**
     * Removes keys until at most so many bytes are taken.
     *
     * @return whether any was removed
     */
    private boolean evict(EvictionPolicy policy, long target, int steps, long nanos) {
        long end = clock.nanoTime() + nanos;
        int gone = 0;
        int vain = 0;
        for (int i = 0; i < steps && vain < VAIN_STEPS && memory.usedBytes() > target; i++) {
            KeyedGroup group = next(policy);
            if (group == null) {
                break;
            }
            int removed = removals.evict(group, policy, STEP);
            gone += removed;
            vain = removed == 0 ? vain + 1 : 0;
            if (clock.nanoTime() - end >= 0) {
                break;
            }
        }
        return gone > 0;
    }

    /** Returns the group whose turn it is: each as often as its number of keys says. */
    private @Nullable KeyedGroup next(EvictionPolicy policy) {
        List<KeyedGroup> all = groups.all();
        long sum = 0;
        for (KeyedGroup group : all) {
            sum += weight(group, policy);
        }
        long at = sum == 0 ? 0 : ((turn.incrementAndGet() * GOLDEN) >>> 1) % sum;
        for (KeyedGroup group : all) {
            at -= weight(group, policy);
            if (at < 0) {
                return group;
            }
        }
        return null;
    }

    private static int weight(KeyedGroup group, EvictionPolicy policy) {
        return policy.way() == EvictionPolicy.Way.SOONEST_EXPIRY ? group.expiring() : group.size();
    }

    private void sweep() {
        EvictionPolicy policy = limits.policy();
        if (!policy.evicts()) {
            isBusy = false;
            return;
        }
        gaps.updateAndGet(known -> known - known / FORGET_DIVISOR);
        look();
        long limit = memory.limitBytes();
        long target = Math.max(0, limit - limit / HEADROOM_DIVISOR - wanted.get());
        boolean some = evict(policy, target, SWEEP_STEPS, SWEEP_NANOS);
        isBusy = some && memory.usedBytes() > target;
        if (!isBusy) {
            wanted.set(0);
        }
    }

    /** Looks how much memory the other chunks leave. */
    private void look() {
        try (KeyedAccess.Inside inside = access.enter()) {
            if (inside != null) {
                MemoryStatistics now = inside.memory().statistics();
                long most = now.capacityBytes() / CAPACITY_DIVISOR * CAPACITY_PARTS;
                long unusable = gaps.updateAndGet(known -> Math.min(known, now.capacityBytes() / GAPS_DIVISOR));
                memory.besideChunks(memory.usedBytes() + most - now.usedBytes() - unusable);
            }
        }
    }
}
