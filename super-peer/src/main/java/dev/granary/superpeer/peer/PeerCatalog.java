package dev.granary.superpeer.peer;

import dev.granary.env.Loop;
import dev.granary.net.message.Empty;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.LeaseMessages.PeerList;
import dev.granary.net.message.MessageType;
import dev.granary.overlay.Arc;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import dev.granary.superpeer.node.ArcCaller;
import dev.granary.superpeer.node.Node;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The storage peers of the whole cluster as their arcs report them. Asks the arcs again and again. In memory only. Its
 * knowledge may be old, but that an incarnation has ended stays true for ever. Runs as tasks of the node's scheduler.
 */
public final class PeerCatalog {

    private static final long MIN_PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /**
     * What each super-peer adds to the period. All super-peers ask each other, so the period grows with their number.
     */
    private static final long PERIOD_PER_MEMBER_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** Arcs are asked this many times more often until the storage peers of all arcs are known. */
    private static final int COLD_DIVISOR = 4;

    private final Node node;
    private final ArcCaller arcs;
    private final Supplier<@Nullable Ring> ring;
    private final Supplier<List<PeerInfo>> own;
    private final IntFunction<@Nullable PeerInfo> ownPeer;
    private final Supplier<List<Integer>> ownArcs;
    private final KnownPeers known = new KnownPeers();

    /** By super-peer, what it reported last. */
    private final Map<Integer, List<PeerInfo>> told = new TreeMap<>();

    /** What other super-peers reported last, by storage peer. */
    private final Map<Integer, PeerInfo> toldOf = new TreeMap<>();

    private boolean toldChanged;

    /** Whether the own arcs may have changed since {@link #known} took their storage peers. */
    private boolean ownChanged = true;

    private final Loop loop;
    private boolean stopped;

    /**
     * @param own the storage peers of the arcs that this super-peer serves; their numbers of ranges do not matter here
     * @param ownPeer gives one of these storage peers by its NID, or null, without a look at the others
     * @param ownArcs the NIDs of the super-peers whose arcs this super-peer serves
     */
    public PeerCatalog(
            Node node,
            ArcCaller arcs,
            Supplier<@Nullable Ring> ring,
            Supplier<List<PeerInfo>> own,
            IntFunction<@Nullable PeerInfo> ownPeer,
            Supplier<List<Integer>> ownArcs) {
        this.node = node;
        this.arcs = arcs;
        this.ring = ring;
        this.own = own;
        this.ownPeer = ownPeer;
        this.ownArcs = ownArcs;
        this.loop = Loop.every(node.environment().scheduler(), "storage-peers", this::periodNanos, this::poll)
                .vital();
    }

    /**
     * Begins to ask, unless it has begun. Called when the process starts, so that this super-peer knows the storage
     * peers before it leads.
     */
    public void begin() {
        if (!stopped) {
            loop.begin();
        }
    }

    public void stop() {
        stopped = true;
        loop.stop();
    }

    private long periodNanos() {
        Ring current = ring.get();
        int members = current == null ? 0 : current.members().size();
        long periodNanos = Math.max(MIN_PERIOD_NANOS, members * PERIOD_PER_MEMBER_NANOS);
        // Storage peers wait until all arcs are known.
        return knowsEveryArc() ? periodNanos : periodNanos / COLD_DIVISOR;
    }

    private void poll() {
        Ring current = ring.get();
        ownChanged = true;
        int self = node.rpcIdentity().nid();
        List<RingMember> members = current == null ? List.of() : current.members();
        toldChanged |= told.keySet().removeIf(nid -> members.stream().noneMatch(member -> member.nid() == nid));
        for (RingMember member : members) {
            if (member.nid() != self) {
                arcs.callNode(member.address(), member.nid(), MessageType.LIST_PEERS, new Empty(), (list, failure) -> {
                    if (list != null) {
                        told(member.nid(), list);
                    }
                });
            }
        }
    }

    private void told(int nid, PeerList list) {
        told.put(nid, list.peers());
        toldChanged = true;
        known.told(list.peers(), arcsOf(list.arcs(), list.ringEpoch()));
    }

    /** Returns the arcs of these super-peers; none when they belong to another ring, where they have other bounds. */
    private List<Arc> arcsOf(List<Integer> owners, long ringEpoch) {
        Ring current = ring.get();
        return current == null || current.epoch() != ringEpoch
                ? List.of()
                : owners.stream()
                        .filter(owner -> current.member(owner).isPresent())
                        .map(current::arcOf)
                        .toList();
    }

    /** Notes that the own arcs, or the committed facts about their storage peers, may have changed. */
    public void ownChanged() {
        ownChanged = true;
    }

    /**
     * Returns what was reported since the start, also for arcs that nobody serves now: while leaders change, no
     * super-peer reports an arc for a moment (ADR 0119).
     */
    private KnownPeers known() {
        if (ownChanged) {
            ownChanged = false;
            Ring current = ring.get();
            known.told(own.get(), current == null ? List.of() : arcsOf(ownArcs.get(), current.epoch()));
        }
        return known;
    }

    /** Returns how many other storage peers are known since the start, without those that are being drained. */
    public int stayingBeside(int nid) {
        return known().stayingBeside(nid);
    }

    /** Whether the storage peers of the whole ring have been reported at least once. */
    public boolean knowsEveryArc() {
        return known().knowWholeRing();
    }

    /**
     * Returns all storage peers that are known, by NID, each as reported by the arc that knows its latest incarnation.
     */
    public Collection<PeerInfo> all() {
        Map<Integer, PeerInfo> peers = new TreeMap<>(toldOf());
        own.get().forEach(info -> peers.merge(info.nid(), info, PeerCatalog::later));
        return peers.values();
    }

    /** Returns a storage peer, or null when it is not known. Does not look at the others. */
    @Nullable
    public PeerInfo find(int nid) {
        PeerInfo mine = ownPeer.apply(nid);
        PeerInfo theirs = toldOf().get(nid);
        return mine == null || theirs == null ? (mine == null ? theirs : mine) : later(theirs, mine);
    }

    private Map<Integer, PeerInfo> toldOf() {
        if (toldChanged) {
            toldChanged = false;
            toldOf.clear();
            told.values().forEach(list -> list.forEach(info -> toldOf.merge(info.nid(), info, PeerCatalog::later)));
        }
        return toldOf;
    }

    /**
     * Of two reports of one storage peer, returns that of the later incarnation, or of the same incarnation the one
     * that knows more.
     */
    public static PeerInfo later(PeerInfo before, PeerInfo next) {
        int byEpoch = Long.compare(next.epoch(), before.epoch());
        int byEnd = Long.compare(next.fencedEpoch(), before.fencedEpoch());
        int order = byEpoch != 0 ? byEpoch : byEnd != 0 ? byEnd : Boolean.compare(next.live(), before.live());
        return order > 0 ? next : before;
    }
}
