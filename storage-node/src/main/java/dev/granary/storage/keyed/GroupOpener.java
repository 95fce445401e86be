package dev.granary.storage.keyed;

import dev.granary.env.Confined;
import dev.granary.memory.ChunkMemoryException;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.SlotGroupMessages.ExtendSlotGroup;
import dev.granary.net.message.SlotGroupMessages.OpenSlotGroup;
import dev.granary.net.message.SlotGroupMessages.SlotGroupLimit;
import dev.granary.net.message.SlotGroupMessages.SlotGroupPlace;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Placement;
import dev.granary.overlay.SlotGroup;
import dev.granary.storage.data.KeyedAccess;
import dev.granary.storage.lease.ArcCalls;
import dev.granary.storage.probe.StorageProbe;
import dev.granary.storage.replicate.OwnedZone;
import dev.granary.storage.replicate.Replication;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks arcs for slot groups: who owns them, to own one that nobody has, and for more LIDs of one that this peer owns.
 * Tasks of the scheduler.
 */
final class GroupOpener {

    private static final Logger LOG = LoggerFactory.getLogger(GroupOpener.class);

    private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

    private final Confined confined = new Confined();
    private final ArcCalls arcs;
    private final Replication replication;
    private final KeyedAccess access;
    private final RpcIdentity identity;

    /** By the NID of a group, who waits for the answer to a question about it. */
    private final Map<Integer, List<Consumer<@Nullable SlotGroupPlace>>> asking = new TreeMap<>();

    private final Map<Integer, List<Runnable>> opening = new TreeMap<>();
    /** Groups that this process has asked to own, and does not serve yet: there was no answer, or no memory. */
    private final Set<Integer> wanted = new HashSet<>();

    private final Set<Integer> extending = new HashSet<>();

    GroupOpener(ArcCalls arcs, Replication replication, KeyedAccess access, RpcIdentity identity) {
        this.arcs = arcs;
        this.replication = replication;
        this.access = access;
        this.identity = identity;
    }

    /** Returns the NID of this peer. */
    int nid() {
        return identity.nid();
    }

    /** Asks who owns a group, or should open it. Many may wait for one answer; it is null when there was none. */
    void ask(int groupNid, Consumer<@Nullable SlotGroupPlace> then) {
        assert confined.here() : confined;
        List<Consumer<@Nullable SlotGroupPlace>> waiting = asking.get(groupNid);
        if (waiting != null) {
            waiting.add(then);
            return;
        }
        asking.put(groupNid, new ArrayList<>(List.of(then)));
        arcs.callArc(
                groupNid,
                MessageType.OPEN_SLOT_GROUP,
                new OpenSlotGroup(groupNid, 0, 0),
                place -> told(groupNid, place),
                failure -> told(groupNid, null));
    }

    private void told(int groupNid, @Nullable SlotGroupPlace place) {
        List<Consumer<@Nullable SlotGroupPlace>> waiting = asking.remove(groupNid);
        if (waiting != null) {
            waiting.forEach(each -> each.accept(place));
        }
    }

    /**
     * Asks to own a group, if nobody has it.
     *
     * @param then runs when that is decided, one way or the other
     */
    void open(int groupNid, Runnable then) {
        assert confined.here() : confined;
        List<Runnable> waiting = opening.get(groupNid);
        if (waiting != null) {
            waiting.add(then);
            return;
        }
        long epoch = epoch();
        if (epoch == 0) {
            then.run();
            return;
        }
        opening.put(groupNid, new ArrayList<>(List.of(then)));
        wanted.add(groupNid);
        arcs.callArc(
                groupNid,
                MessageType.OPEN_SLOT_GROUP,
                new OpenSlotGroup(groupNid, nid(), epoch),
                place -> {
                    try {
                        opened(groupNid, place);
                    } finally {
                        decided(groupNid);
                    }
                },
                failure -> decided(groupNid));
    }

    /**
     * Returns whether this process has asked to own a group and does not serve it yet. If the arc says that this peer
     * owns it, asking once more lets it serve. Other groups that the arc names come by a recovery or a migration.
     */
    boolean isWanted(int groupNid) {
        assert confined.here() : confined;
        return wanted.contains(groupNid);
    }

    /** Returns whether this peer owns a group as far as it knows. */
    boolean isOwned(int groupNid) {
        try (KeyedAccess.Inside inside = access.enter()) {
            return inside != null && inside.owned(groupNid).isPresent();
        }
    }

    private void decided(int groupNid) {
        List<Runnable> waiting = opening.remove(groupNid);
        if (waiting != null) {
            waiting.forEach(Runnable::run);
        }
    }

    private long epoch() {
        try (KeyedAccess.Inside inside = access.enter()) {
            return inside == null ? 0 : inside.epoch();
        }
    }

    /**
     * Begins to serve a group that the arc has just given to this peer. A zone that this peer knows came by a
     * migration, and one that was recovered comes by its recovery.
     */
    private void opened(int groupNid, SlotGroupPlace place) {
        Placement placement = place.placement();
        if (placement == null || placement.owner() != nid() || !place.opened()) {
            wanted.remove(groupNid);
            return;
        }
        try (KeyedAccess.Inside inside = access.enter()) {
            if (inside == null) {
                return;
            }
            if (replication.zones().byId(placement.zone()) != null) {
                wanted.remove(groupNid);
                return;
            }
            long first = Cid.firstOf(groupNid);
            // This makes the page table for chunks of this creator.
            if (inside.memory().insert(first, NOTHING, 0, 0)) {
                inside.memory().delete(first);
            }
            OwnedZone zone = replication.open(placement);
            if (zone == null) {
                return;
            }
            long last = Cid.of(groupNid, place.lidLimit() - 1);
            replication.take(zone, first, last);
            inside.learn(new CidRange(first, last, Placement.unreplicated(nid(), placement.epoch())));
            LOG.atInfo()
                    .addKeyValue("slotGroup", SlotGroup.nameOf(groupNid))
                    .addKeyValue("epoch", placement.epoch())
                    .log("this storage peer owns a new slot group");
            wanted.remove(groupNid);
            StorageProbe.SLOT_GROUP_OPENED.hit();
        } catch (ChunkMemoryException e) {
            LOG.atWarn()
                    .addKeyValue("slotGroup", SlotGroup.nameOf(groupNid))
                    .log("there is no memory for a slot group: {}", e.getMessage());
        }
    }

    /** Asks for twice as many LIDs of a group, unless that is being asked. */
    void extend(KeyedGroup group) {
        assert confined.here() : confined;
        long epoch = epoch();
        int limit = group.lidLimit();
        if (epoch == 0 || limit > KeyIndex.MAX_LID || !extending.add(group.nid())) {
            return;
        }
        arcs.callArc(
                group.nid(),
                MessageType.EXTEND_SLOT_GROUP,
                new ExtendSlotGroup(group.nid(), nid(), epoch, limit, Math.min(2L * limit, KeyIndex.MAX_LID + 1L)),
                reply -> {
                    extending.remove(group.nid());
                    extended(group, reply);
                },
                failure -> extending.remove(group.nid()));
    }

    private void extended(KeyedGroup group, SlotGroupLimit reply) {
        try (KeyedAccess.Inside inside = access.enter()) {
            CidRange range = inside == null ? null : inside.owned(group.nid()).orElse(null);
            if (inside == null || range == null || group.zone().isEnded() || reply.lidLimit() <= group.lidLimit()) {
                return;
            }
            long last = Cid.of(group.nid(), reply.lidLimit() - 1);
            replication.take(group.zone(), range.startCid(), last);
            inside.learn(new CidRange(range.startCid(), last, range.placement()));
            group.zone().lock();
            try {
                group.lidLimit((int) reply.lidLimit());
            } finally {
                group.zone().unlock();
            }
        }
    }
}
