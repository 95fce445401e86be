package dev.granary.superpeer;

import dev.granary.net.message.Empty;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.PeerInfo;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The storage peers of the whole cluster as their arcs tell, asked for again and again. In memory only; what is known may
 * be old, but that an incarnation has ended stays true for ever. Runs as tasks of the node's scheduler.
 */
final class PeerCatalog {

    private static final long MIN_PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** All ask all: the more super-peers there are the rarer. */
    private static final long PERIOD_PER_MEMBER_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Node node;
    private final ArcCaller arcs;
    private final Supplier<@Nullable Ring> ring;
    private final Supplier<List<PeerInfo>> own;
    private final Supplier<List<Integer>> ownArcs;
    private final KnownPeers known = new KnownPeers();

    /** By super-peer, what it told last. */
    private final Map<Integer, List<PeerInfo>> told = new TreeMap<>();

    /** Super-peers that were asked since the start, whether they have answered or not. */
    private final Set<Integer> asked = new HashSet<>();

    private final Map<Integer, PeerInfo> peers = new TreeMap<>();
    private boolean running;
    private boolean stopped;

    /**
     * @param own the storage peers of the arcs that this super-peer serves; their numbers of ranges do not matter here
     * @param ownArcs the NIDs of the super-peers whose arcs this super-peer serves
     */
    PeerCatalog(
            Node node,
            ArcCaller arcs,
            Supplier<@Nullable Ring> ring,
            Supplier<List<PeerInfo>> own,
            Supplier<List<Integer>> ownArcs) {
        this.node = node;
        this.arcs = arcs;
        this.ring = ring;
        this.own = own;
        this.ownArcs = ownArcs;
    }

    /** Begins to ask, if it has not begun. */
    void begin() {
        if (!running && !stopped) {
            running = true;
            poll();
        }
    }

    void stop() {
        stopped = true;
    }

    private void poll() {
        Ring current = ring.get();
        if (stopped) {
            return;
        }
        int self = node.rpcIdentity().nid();
        List<RingMember> members = current == null ? List.of() : current.members();
        told.keySet().removeIf(nid -> members.stream().noneMatch(member -> member.nid() == nid));
        for (RingMember member : members) {
            if (member.nid() == self) {
                asked.add(self);
                continue;
            }
            arcs.callNode(member.address(), member.nid(), MessageType.LIST_PEERS, new Empty(), (list, failure) -> {
                asked.add(member.nid());
                if (list != null) {
                    told.put(member.nid(), list.peers());
                    known.told(list.peers(), list.arcs());
                }
            });
        }
        long periodNanos = Math.max(MIN_PERIOD_NANOS, members.size() * PERIOD_PER_MEMBER_NANOS);
        node.environment().scheduler().schedule(periodNanos, this::poll);
    }

    /** Whether every super-peer of the ring has been asked at least once. */
    boolean isComplete() {
        Ring current = ring.get();
        return current != null && current.members().stream().allMatch(member -> asked.contains(member.nid()));
    }

    /**
     * All storage peers that were told of since the start, whether their arc is answered for now or not. A copy is one too many only
     * beside these: while leaders change nobody tells of an arc for a moment (ADR 0119).
     */
    Collection<PeerInfo> everKnown() {
        known.told(own.get(), ownArcs.get());
        return known.all();
    }

    /** Whether the storage peers of every arc of the ring have been told at least once. */
    boolean knowsEveryArc() {
        Ring current = ring.get();
        known.told(own.get(), ownArcs.get());
        return current != null && known.knowsArcsOf(current);
    }

    /** All storage peers that are known, by NID, each as the arc says that knows its latest incarnation. */
    Collection<PeerInfo> all() {
        peers.clear();
        told.values().forEach(list -> list.forEach(this::take));
        own.get().forEach(this::take);
        return peers.values();
    }

    private void take(PeerInfo info) {
        PeerInfo known = peers.get(info.nid());
        if (known == null || compare(info, known) > 0) {
            peers.put(info.nid(), info);
        }
    }

    private static int compare(PeerInfo left, PeerInfo right) {
        int byEpoch = Long.compare(left.epoch(), right.epoch());
        int byEnd = Long.compare(left.fencedEpoch(), right.fencedEpoch());
        return byEpoch != 0 ? byEpoch : byEnd != 0 ? byEnd : Boolean.compare(left.live(), right.live());
    }

    /** A storage peer, or null when it is not known. */
    @Nullable
    PeerInfo find(int nid) {
        PeerInfo best = null;
        for (List<PeerInfo> list : told.values()) {
            best = better(best, list, nid);
        }
        return better(best, own.get(), nid);
    }

    private static @Nullable PeerInfo better(@Nullable PeerInfo best, List<PeerInfo> list, int nid) {
        PeerInfo found = best;
        for (PeerInfo info : list) {
            if (info.nid() == nid && (found == null || compare(info, found) > 0)) {
                found = info;
            }
        }
        return found;
    }
}
