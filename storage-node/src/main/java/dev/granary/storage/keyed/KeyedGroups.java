package dev.granary.storage.keyed;

import dev.granary.env.Loop;
import dev.granary.env.Scheduler;
import dev.granary.keyed.KeyspaceFullException;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.SlotGroup;
import dev.granary.storage.data.KeyedAccess;
import dev.granary.storage.probe.StorageProbe;
import dev.granary.storage.replicate.OwnedZone;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The slot groups that this peer owns. A group is made from its chunks when it is asked for first, on a thread that may
 * take its time; calls wait for that. It is dropped when the peer does not own the group any more, or owns it anew.
 * Thread-safe.
 */
final class KeyedGroups {

    private static final Logger LOG = LoggerFactory.getLogger(KeyedGroups.class);

    private static final long BUILD_RETRY_NANOS = 2_000_000;
    private static final long FULL_RETRY_NANOS = 1_000_000_000;
    private static final long LOOK_NANOS = 1_000_000_000;

    /** How many LIDs are looked at behind the gate before others may close it. */
    private static final int BUILD_STEP = 4096;

    private final KeyedAccess access;
    private final Executor workers;
    private final KeyedMemory memory;
    private final LongSupplier seeds;
    private final Consumer<KeyedGroup> extend;
    private final Loop looks;
    private final Scheduler scheduler;
    private final Runnable begun;

    private final GroupTable<KeyedGroup> table = new GroupTable<>();

    private boolean stopped;

    /**
     * @param workers build groups: they may take long
     * @param seeds of hashes
     * @param extend asks for more LIDs of a group
     * @param begun runs as a task whenever a group has become known
     */
    KeyedGroups(
            KeyedAccess access,
            Scheduler scheduler,
            Executor workers,
            KeyedMemory memory,
            LongSupplier seeds,
            Consumer<KeyedGroup> extend,
            Runnable begun) {
        this.access = access;
        this.workers = workers;
        this.memory = memory;
        this.seeds = seeds;
        this.extend = extend;
        this.scheduler = scheduler;
        this.begun = begun;
        this.looks = Loop.every(scheduler, "slot-groups", LOOK_NANOS, this::dropOthers);
    }

    /**
     * A group, or why there is none.
     *
     * @param group null when it is not there
     * @param refusal null when it is
     */
    record Found(@Nullable KeyedGroup group, @Nullable ErrorReply refusal) {

        static Found not(ErrorReply refusal) {
            return new Found(null, refusal);
        }
    }

    void stop() {
        stopped = true;
        looks.stop();
    }

    /** Looks after groups as soon as there is one: most clusters have none. */
    private void lookAfter() {
        if (!stopped) {
            if (!looks.isRunning()) {
                looks.begin();
            }
            begun.run();
        }
    }

    /** Returns a group if this peer owns it and knows its entries; begins to learn them otherwise. */
    Found find(KeyedAccess.Inside inside, int groupNid) {
        KeyedGroup present = table.known(SlotGroup.of(groupNid));
        if (present != null && present.isStillOwned(inside)) {
            return new Found(present, null);
        }
        KeyedAccess.Seen now = inside.look();
        long epoch = inside.ownedEpoch(groupNid);
        OwnedZone zone = epoch == 0 ? null : inside.zone(groupNid);
        if (present != null && zone != null && !zone.isEnded() && present.isOf(zone, epoch)) {
            present.owned(now);
            return new Found(present, null);
        }
        CidRange range = inside.owned(groupNid).orElse(null);
        if (range == null || zone == null || zone.isEnded()) {
            return Found.not(ErrorReply.of(
                    ErrorCode.NOT_FOUND,
                    "this storage peer does not own the slot group " + SlotGroup.nameOf(groupNid)));
        }
        if (present != null) {
            drop(present);
        }
        return begin(inside, range, zone, groupNid);
    }

    private Found begin(KeyedAccess.Inside inside, CidRange range, OwnedZone zone, int groupNid) {
        long epoch = range.placement().epoch();
        if (table.isFree(SlotGroup.of(groupNid))) {
            KeyedGroup begun;
            try {
                begun = new KeyedGroup(
                        groupNid,
                        epoch,
                        (int) Cid.lid(range.endCidInclusive()) + 1,
                        zone,
                        inside.memory(),
                        memory,
                        seeds.getAsLong());
            } catch (KeyspaceFullException e) {
                return Found.not(ErrorReply.retryLater(FULL_RETRY_NANOS, String.valueOf(e.getMessage())));
            }
            if (table.begin(SlotGroup.of(groupNid), begun)) {
                workers.execute(() -> build(begun));
            } else {
                begun.close();
            }
        }
        StorageProbe.CALL_WHILE_KEYS_ARE_FOUND.hit();
        return Found.not(ErrorReply.retryLater(
                BUILD_RETRY_NANOS, "the keys of the slot group " + SlotGroup.nameOf(groupNid) + " are being found"));
    }

    /** Finds all entries of a group. Nobody changes them meanwhile. */
    private void build(KeyedGroup group) {
        boolean whole = false;
        try {
            whole = buildAll(group);
        } catch (KeyspaceFullException e) {
            LOG.atWarn()
                    .addKeyValue("slotGroup", SlotGroup.nameOf(group.nid()))
                    .log("the keys of a slot group do not fit: {}", e.getMessage());
        } catch (RuntimeException e) {
            LOG.atError()
                    .addKeyValue("slotGroup", SlotGroup.nameOf(group.nid()))
                    .setCause(e)
                    .log("a slot group cannot be read");
        } finally {
            if (whole) {
                StorageProbe.KEYS_FOUND.hitIf(group.size() > 0);
                table.know(SlotGroup.of(group.nid()), group);
            } else {
                table.remove(SlotGroup.of(group.nid()), group);
                group.close();
            }
        }
        if (whole) {
            scheduler.execute(this::lookAfter);
        }
    }

    private boolean buildAll(KeyedGroup group) {
        for (int from = 1; from < group.lidLimit(); from += BUILD_STEP) {
            try (KeyedAccess.Inside inside = access.enter()) {
                if (inside == null || group.zone().isEnded()) {
                    return false;
                }
                int end = Math.min(group.lidLimit(), from + BUILD_STEP);
                for (int lid = from; lid < end; lid++) {
                    group.takeUp(lid);
                }
            }
        }
        return true;
    }

    /** Returns whether a group is still what this peer knows of it. The caller holds the zone's lock. */
    boolean isPresent(KeyedGroup group) {
        return table.known(SlotGroup.of(group.nid())) == group;
    }

    /** Asks for more LIDs of a group. */
    void extend(KeyedGroup group) {
        extend.accept(group);
    }

    /** Returns the groups whose entries are known. */
    List<KeyedGroup> all() {
        return table.known();
    }

    /** Drops the groups that this peer does not own any more. */
    private void dropOthers() {
        List<KeyedGroup> present = all();
        if (present.isEmpty()) {
            return;
        }
        try (KeyedAccess.Inside inside = access.enter()) {
            if (inside == null) {
                return;
            }
            for (KeyedGroup group : present) {
                CidRange range = inside.owned(group.nid()).orElse(null);
                OwnedZone zone = inside.zone(group.nid());
                if (range == null
                        || zone == null
                        || !group.isOf(zone, range.placement().epoch())) {
                    drop(group);
                }
            }
        }
    }

    private void drop(KeyedGroup group) {
        // Under the lock, because a call that has found the group before may be using it.
        group.zone().lock();
        try {
            if (table.remove(SlotGroup.of(group.nid()), group)) {
                StorageProbe.SLOT_GROUP_DROPPED.hit();
                group.close();
            }
        } finally {
            group.zone().unlock();
        }
    }

    /** Gives all indexes back. No operation is inside the gate any more. */
    void close() {
        all().forEach(this::drop);
    }

    /** Returns how many keys this peer has, with those that have expired and were not removed yet. */
    long keys() {
        return all().stream().mapToLong(KeyedGroup::size).sum();
    }

    /** Returns how many bytes the entries of these keys have. */
    long payloadBytes() {
        return all().stream().mapToLong(KeyedGroup::payloadBytes).sum();
    }

    /** Returns how many of them expire at some time. */
    long expiring() {
        return all().stream().mapToLong(KeyedGroup::expiring).sum();
    }
}
