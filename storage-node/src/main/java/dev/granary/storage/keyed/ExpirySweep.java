package dev.granary.storage.keyed;

import dev.granary.env.Clock;
import dev.granary.env.Loop;
import dev.granary.env.Scheduler;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Removes keys that have expired and that nobody asks for. Goes round over the entries of all groups that have some
 * which expire, a part with each look, and waits for nobody longer than a millisecond. Runs as tasks of the scheduler.
 */
final class ExpirySweep {

    private static final long LOOK_NANOS = 100_000_000;
    private static final long MOST_NANOS = 1_000_000;

    /** At how many entries of a group a step looks, for which the group is locked. */
    private static final int STEP = 128;

    /** How many steps are taken at most, where the clock stands still meanwhile. */
    private static final int MOST_STEPS = 64;

    private final Clock clock;
    private final KeyedGroups groups;
    private final GroupRemovals removals;
    private final Loop looks;

    /** By the NID of a group, the LID to go on with. */
    private final Map<Integer, Integer> next = new HashMap<>();

    private int turn;

    ExpirySweep(Clock clock, Scheduler scheduler, KeyedGroups groups, GroupRemovals removals) {
        this.clock = clock;
        this.groups = groups;
        this.removals = removals;
        this.looks = Loop.every(scheduler, "key-expiry", LOOK_NANOS, this::look);
    }

    /** Begins, unless it has begun. */
    void begin() {
        if (!looks.isRunning()) {
            looks.beginAfter(LOOK_NANOS);
        }
    }

    void stop() {
        looks.stop();
    }

    private void look() {
        List<KeyedGroup> expiring =
                groups.all().stream().filter(group -> group.expiring() > 0).toList();
        next.keySet().retainAll(expiring.stream().map(KeyedGroup::nid).toList());
        long end = clock.nanoTime() + MOST_NANOS;
        for (int i = 0; i < Math.min(MOST_STEPS, expiring.size()) && clock.nanoTime() - end < 0; i++) {
            KeyedGroup group = expiring.get(turn++ % expiring.size());
            turn &= Integer.MAX_VALUE;
            next.put(group.nid(), removals.removeExpired(group, next.getOrDefault(group.nid(), 0), STEP));
        }
    }
}
