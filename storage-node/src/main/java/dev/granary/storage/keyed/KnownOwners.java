package dev.granary.storage.keyed;

import dev.granary.env.Loop;
import dev.granary.env.Scheduler;
import dev.granary.net.cluster.NodeCalls;
import dev.granary.net.cluster.Target;
import dev.granary.net.message.Empty;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.LeaseMessages.PeerList;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.SlotGroupMessages.SlotGroupList;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import dev.granary.overlay.SlotGroup;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Learns from the super-peers of the ring who owns which slot group, and where the doors are: every two seconds, and
 * soon after somebody has found that it has changed. Tasks of the scheduler ask; any thread reads.
 */
final class KnownOwners implements SlotOwners {

    private static final long LOOK_NANOS = 2_000_000_000;
    private static final long SOON_NANOS = 50_000_000;
    private static final long TIMEOUT_NANOS = 1_000_000_000;

    private final NodeCalls calls;
    private final RpcIdentity identity;
    private final Supplier<@Nullable Ring> ring;
    private final Loop looks;
    private final Scheduler scheduler;
    private final AtomicReferenceArray<Owned> groups = new AtomicReferenceArray<>(SlotGroup.COUNT);

    /** By the NID of each super-peer, the doors of the storage peers of its arc. Touched by tasks only. */
    private final Map<Integer, List<Door>> byArc = new HashMap<>();

    private volatile List<Door> doors = List.of();
    private boolean lookIsComing;

    private record Owned(int nid, long epoch) {}

    KnownOwners(NodeCalls calls, Scheduler scheduler, RpcIdentity identity, Supplier<@Nullable Ring> ring) {
        this.calls = calls;
        this.scheduler = scheduler;
        this.identity = identity;
        this.ring = ring;
        this.looks = Loop.every(scheduler, "slot-owners", LOOK_NANOS, this::look);
    }

    void begin() {
        looks.begin();
    }

    void stop() {
        looks.stop();
    }

    /** Asks again soon, because an owner has changed. */
    void lookSoon() {
        scheduler.execute(() -> {
            if (!lookIsComing && looks.isRunning()) {
                lookIsComing = true;
                scheduler.schedule(SOON_NANOS, () -> {
                    lookIsComing = false;
                    look();
                });
            }
        });
    }

    /** Notes where a slot group is, before super-peers are asked. Tasks of the scheduler only. */
    void moved(int group, int ownerNid, long epoch) {
        learn(group, ownerNid, epoch);
    }

    private void look() {
        Ring present = ring.get();
        if (present == null) {
            return;
        }
        List<RingMember> members = present.members();
        byArc.keySet().retainAll(members.stream().map(RingMember::nid).toList());
        for (RingMember member : members) {
            Target target = Target.of(member);
            calls.ask(target, MessageType.LIST_SLOT_GROUPS, new Empty(), TIMEOUT_NANOS, (list, failure) -> {
                if (list != null) {
                    list.groups().forEach(this::learn);
                }
            });
            calls.ask(target, MessageType.LIST_PEERS, new Empty(), TIMEOUT_NANOS, (list, failure) -> {
                if (list != null) {
                    learn(member.nid(), list);
                }
            });
        }
    }

    private void learn(SlotGroupList.Group group) {
        learn(SlotGroup.of(group.groupNid()), group.ownerNid(), group.epoch());
    }

    private void learn(int index, int ownerNid, long epoch) {
        Owned known = groups.get(index);
        if (known == null || epoch >= known.epoch) {
            groups.set(index, new Owned(ownerNid, epoch));
        }
    }

    private void learn(int superPeerNid, PeerList list) {
        byArc.put(
                superPeerNid,
                list.peers().stream()
                        .filter(PeerInfo::live)
                        .<Door>mapMulti((peer, out) -> {
                            HostAddress address = peer.redisAddress();
                            if (address != null) {
                                out.accept(new Door(peer.nid(), address));
                            }
                        })
                        .toList());
        TreeMap<Integer, Door> all = new TreeMap<>();
        byArc.values().forEach(each -> each.forEach(door -> all.put(door.nid(), door)));
        doors = List.copyOf(all.values());
    }

    @Override
    public int nid() {
        return identity.nid();
    }

    @Override
    public int owner(int group) {
        Owned known = groups.get(group);
        return known == null ? Nid.NONE : known.nid;
    }

    @Override
    public List<Door> doors() {
        return doors;
    }
}
