package dev.granary.storage.keyed;

import dev.granary.env.Clock;
import dev.granary.net.message.Durability;
import dev.granary.storage.data.KeyedAccess;
import dev.granary.storage.probe.StorageProbe;
import dev.granary.storage.replicate.OwnedZone;
import dev.granary.storage.replicate.ZoneBatch;
import io.netty.buffer.ByteBufAllocator;
import java.util.function.ToIntFunction;

/**
 * Removes keys for which nobody has asked: those that have expired, and those that make way for others. The owner
 * decides, under the lock of the group's zone, and logs each removal, so that no copy brings a key back. Thread-safe.
 */
final class GroupRemovals {

    private final Clock clock;
    private final KeyedAccess access;
    private final KeyedGroups groups;
    private final ByteBufAllocator allocator;
    private final boolean sync;
    private final KeyedCounts counts;

    GroupRemovals(
            Clock clock,
            KeyedAccess access,
            KeyedGroups groups,
            ByteBufAllocator allocator,
            Durability durability,
            KeyedCounts counts) {
        this.clock = clock;
        this.access = access;
        this.groups = groups;
        this.allocator = allocator;
        this.sync = durability == Durability.SYNCED;
        this.counts = counts;
    }

    /**
     * Removes entries of a group that have expired, of those from a LID on.
     *
     * @param looks at how many entries to look
     * @return the LID to go on with; 0 at the end, or when nothing can be removed at present
     */
    int removeExpired(KeyedGroup group, int fromLid, int looks) {
        return remove(group, keys -> keys.removeExpired(fromLid, looks));
    }

    /**
     * Removes entries of a group that go first by a policy.
     *
     * @return how many; fewer than wanted when it would take too long to find more, or nothing can be removed now
     */
    int evict(KeyedGroup group, EvictionPolicy policy, int wanted) {
        return remove(group, keys -> new GroupEviction(group, keys, policy.way()).evict(wanted));
    }

    private int remove(KeyedGroup group, ToIntFunction<GroupKeyspace> work) {
        try (KeyedAccess.Inside inside = access.enter()) {
            if (inside == null
                    || inside.refusal(group.nid(), true) != null
                    || group.zone().refusal() != null
                    || inside.zones().admit(0, 0) != null) {
                return 0;
            }
            try {
                return remove(inside, group, work);
            } finally {
                inside.zones().carriedOut(0, 0);
                group.zone().send();
            }
        }
    }

    private int remove(KeyedAccess.Inside inside, KeyedGroup group, ToIntFunction<GroupKeyspace> work) {
        OwnedZone zone = group.zone();
        ZoneBatch batch = new ZoneBatch(allocator);
        zone.lock();
        try {
            if (zone.isEnded() || !groups.isPresent(group)) {
                return 0;
            }
            GroupKeyspace keys = new GroupKeyspace(group, clock.wallMillis(), sync);
            try {
                return work.applyAsInt(keys);
            } finally {
                // Also when the work throws: what is in memory must be in the log.
                keys.log(batch);
                long[] cids = keys.changedCids();
                inside.noteChanged(cids, cids.length);
                counts.removed(keys.expired(), keys.evicted());
                StorageProbe.EXPIRED_KEY_REMOVED.hitIf(keys.expired() > 0);
            }
        } finally {
            zone.unlock();
            batch.release();
        }
    }
}
