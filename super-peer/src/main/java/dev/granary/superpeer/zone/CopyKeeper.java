package dev.granary.superpeer.zone;

import dev.granary.env.Loop;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.ReplicationMessages.DropCopies;
import dev.granary.net.message.ReplicationMessages.FillCopy;
import dev.granary.net.message.ReplicationMessages.ListCopies;
import dev.granary.net.message.ZoneMessages.ReportLostCopies;
import dev.granary.net.message.ZoneMessages.WantedCopies;
import dev.granary.net.message.ZoneMessages.ZoneEpoch;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.superpeer.node.ArcCaller;
import dev.granary.superpeer.node.Async;
import dev.granary.superpeer.node.Node;
import dev.granary.superpeer.peer.PeerCatalog;
import dev.granary.superpeer.placement.ZonePlanner;
import dev.granary.superpeer.probe.SuperPeerProbe;
import dev.granary.superpeer.state.ArcCommand;
import dev.granary.superpeer.state.ArcResult;
import dev.granary.superpeer.state.ZoneMember;
import dev.granary.superpeer.state.ZoneRecord;
import dev.granary.superpeer.state.arc.ArcState;
import dev.granary.superpeer.state.arc.RangeResult;
import dev.granary.superpeer.state.arc.ZoneCommand;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the zones of an arc at as many copies as they should have. Tells owners to fill new copies. Drops members that
 * have restarted or lost their copies, that are being drained, or of which a zone has too many. Bounds the fills of
 * each owner and each target, so that both go on with their work; zones that take no writes come first. Runs as tasks
 * of the node's scheduler.
 *
 * <p>A member that has restarted still has on its disk what was synced. So no member is dropped before the zone's owner
 * has shown that it lives: after a loss of power all storage peers restart, and the zone is recovered from these
 * copies.
 */
final class CopyKeeper {

    private static final Logger LOG = LoggerFactory.getLogger(CopyKeeper.class);

    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** A fill that has not ended after this is given up, and the copy goes to another peer. */
    private static final long GIVE_UP_NANOS = TimeUnit.SECONDS.toNanos(60);

    /**
     * A zone that has lost a member, and has others, gets a new one after this. The storage peer that is gone had zones
     * of its own. Clients wait for the recovery of these, so it comes first: fills take the same cores and disks.
     */
    private static final long REPLACE_AFTER_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** After this, a fill on a member that has restarted ends, and the keeper looks for a better peer. */
    private static final long SECOND_BEST_NANOS = TimeUnit.SECONDS.toNanos(3);

    private static final int FILLS_PER_OWNER = 4;
    private static final int FILLS_PER_TARGET = 4;

    private final Node node;
    private final ArcState state;
    private final Function<ArcCommand, CompletableFuture<ArcResult>> commit;
    private final ArcCaller arcs;
    private final PeerCatalog catalog;
    private final ZonePlanner planner;

    /** By zone, the copy that its owner fills. */
    private final TreeMap<Integer, Fill> fills = new TreeMap<>();

    /** By zone, since when it has had too few members. */
    private final TreeMap<Integer, Long> lackingSince = new TreeMap<>();

    /** By zone, the peers on which the last fills have failed. */
    private final TreeMap<Integer, Set<Integer>> avoided = new TreeMap<>();

    /**
     * Owners and targets that have as many fills as they may, while zones that take no writes wait for one: no other
     * zone begins a fill with them.
     */
    private Set<Integer> crowded = Set.of();

    private final Set<Integer> dropping = new HashSet<>();

    /** The members that have lost their copies, as owners tell. */
    private final LostCopies lostCopies;

    private final Loop loop;
    private boolean stopped;

    /**
     * What stays the same during one look at all zones.
     *
     * @param knowsAll whether the storage peers of every arc are known
     * @param wanted by owner, how many members its zones should have
     * @param crowded collects what {@link CopyKeeper#crowded} is afterwards
     */
    private record Pass(
            Map<Integer, PeerInfo> peers, boolean knowsAll, Map<Integer, Integer> wanted, Set<Integer> crowded) {}

    /** A copy that is being filled. */
    private record Fill(int ownerNid, ZoneMember target, long sinceNanos, long saidNanos) {}

    CopyKeeper(
            Node node,
            ArcState state,
            Function<ArcCommand, CompletableFuture<ArcResult>> commit,
            ArcCaller arcs,
            PeerCatalog catalog,
            ZonePlanner planner) {
        this.node = node;
        this.state = state;
        this.commit = commit;
        this.arcs = arcs;
        this.catalog = catalog;
        this.planner = planner;
        this.lostCopies = new LostCopies(node, state::zone);
        this.loop = Loop.every(node.environment().scheduler(), "copies", TICK_NANOS, this::look)
                .vital();
    }

    void begin() {
        loop.begin();
    }

    void stop() {
        stopped = true;
        loop.stop();
    }

    /** The number of copies that are being filled. */
    int fillCount() {
        return fills.size();
    }

    /** Takes what an owner tells of members that have lost their copies. */
    void lost(ReportLostCopies report) {
        lostCopies.told(report);
    }

    /** Looks at all zones, and begins the fills and drops that can begin now. */
    void look() {
        Map<Integer, PeerInfo> peers = new TreeMap<>();
        catalog.all().forEach(peer -> peers.put(peer.nid(), peer));
        Set<Integer> served = new HashSet<>();
        // Computed once for all zones, as it takes a look at every storage peer that is known.
        Pass pass = new Pass(peers, catalog.knowsEveryArc(), new TreeMap<>(), new HashSet<>());
        for (ZoneRecord zone : state.zones()) {
            PeerInfo owner = peers.get(zone.placement().owner());
            if (owner == null || !owner.live() || owner.epoch() != zone.ownerEpoch()) {
                continue;
            }
            if (zone.placement().isServed() && !state.isMoving(zone.creatorNid())) {
                served.add(zone.id());
                look(zone, owner, pass);
            }
        }
        fills.keySet().retainAll(served);
        lackingSince.keySet().retainAll(served);
        avoided.keySet().retainAll(served);
        lostCopies.forgetOld();
        crowded = pass.crowded;
    }

    private void look(ZoneRecord zone, PeerInfo owner, Pass pass) {
        Map<Integer, PeerInfo> peers = pass.peers;
        List<ZoneMember> good = new ArrayList<>();
        List<ZoneMember> stale = new ArrayList<>();
        List<ZoneMember> leaving = new ArrayList<>();
        for (ZoneMember member : zone.members()) {
            PeerInfo peer = peers.get(member.nid());
            if (state.presentEpoch(member.nid()) > member.epoch()) {
                stale.add(member);
                SuperPeerProbe.MEMBER_STARTED_ANEW.hit();
            } else if (lostCopies.has(zone, member.nid())) {
                stale.add(member);
                SuperPeerProbe.MEMBER_LOST_ITS_COPY.hit();
            } else if (peer != null && peer.draining()) {
                leaving.add(member);
                SuperPeerProbe.MEMBER_LEAVING.hit();
            } else {
                good.add(member);
            }
        }
        int wanted = pass.wanted.computeIfAbsent(owner.nid(), planner::atLeastWanted);
        boolean knowsAll = pass.knowsAll;
        List<ZoneMember> over = new ArrayList<>();
        if (good.size() + leaving.size() > 0 && !isNeeded(zone, good.size() + leaving.size(), wanted)) {
            over.addAll(stale);
        }
        if (good.size() >= wanted && knowsAll) {
            over.addAll(leaving);
            over.addAll(good.subList(wanted, good.size()));
        } else if (good.size() < wanted
                && !leaving.isEmpty()
                && over.isEmpty()
                && zone.members().size() >= Placement.MAX_BACKUPS) {
            // The zone has no room for one more member: the member that leaves makes room for its successor.
            over.add(leaving.getLast());
            SuperPeerProbe.LEAVING_MEMBER_MADE_ROOM.hit();
        }
        // The last member goes only when all storage peers are known and none is left that could keep a copy.
        boolean mayDropAll = wanted == 0 && knowsAll;
        if ((!over.isEmpty() || good.size() < wanted) && state.isUnused(zone)) {
            close(zone);
            return;
        }
        if (!over.isEmpty()
                && knowsAll
                && (mayDropAll || over.size() < zone.members().size())) {
            drop(zone, owner, over, wanted);
        } else if (good.size() < wanted) {
            long sinceNanos = lackingSince.computeIfAbsent(zone.id(), id -> node.nanoTime());
            boolean urgent =
                    good.isEmpty() || !leaving.isEmpty() || node.nanoTime() - sinceNanos >= REPLACE_AFTER_NANOS;
            if (urgent || fills.containsKey(zone.id())) {
                fill(zone, owner, good, stale, pass);
            }
        } else {
            fills.remove(zone.id());
            lackingSince.remove(zone.id());
        }
    }

    /**
     * Whether members that have restarted stay for the moment: the zone has too few others to take writes, so nothing
     * is acknowledged without them, and a peer that is no member can be filled. If owner and others die before that
     * peer is filled, the zone is recovered from what the restarted members have on disk. Only for as long as one fill
     * may take: if the peer cannot be filled, a restarted member is, once it is no member.
     */
    private boolean isNeeded(ZoneRecord zone, int others, int wanted) {
        long sinceNanos = lackingSince.getOrDefault(zone.id(), node.nanoTime());
        if (others >= WantedCopies.floor(wanted) || node.nanoTime() - sinceNanos > GIVE_UP_NANOS) {
            return false;
        }
        return !planner.members(zone.id(), 1, holdersOf(zone)).isEmpty();
    }

    /** Returns the peers that have a zone: its owner and its members. */
    private static Set<Integer> holdersOf(ZoneRecord zone) {
        Set<Integer> holders = new HashSet<>();
        holders.add(zone.placement().owner());
        zone.members().forEach(member -> holders.add(member.nid()));
        return holders;
    }

    /**
     * Closes a zone without chunks, which needs no other members. Its owner may never have heard of the zone, if the
     * migration was aborted for which it was made, and would fill no copy of it.
     */
    private void close(ZoneRecord zone) {
        if (dropping.add(zone.id())) {
            ZoneCommand.ZoneAt at =
                    new ZoneCommand.ZoneAt(zone.id(), zone.placement().epoch());
            Async.whenDone(
                    commit.apply(new ZoneCommand.CloseZones(zone.creatorNid(), List.of(at))),
                    (result, problem) -> dropping.remove(zone.id()));
        }
    }

    // Filling.

    private void fill(ZoneRecord zone, PeerInfo owner, List<ZoneMember> good, List<ZoneMember> stale, Pass pass) {
        Map<Integer, PeerInfo> peers = pass.peers;
        long nowNanos = node.nanoTime();
        Fill fill = fills.get(zone.id());
        if (fill != null && isOver(zone, fill, good, peers.get(fill.target.nid()), nowNanos)) {
            fills.remove(zone.id());
            fill = null;
        }
        if (fill == null) {
            ZoneMember target = target(zone, stale, peers);
            if (target == null) {
                return;
            }
            boolean takesWrites = good.size() >= WantedCopies.floor(pass.wanted.getOrDefault(owner.nid(), 0));
            // The owner refuses to fill a member without which the zone would take no writes. Such orders do not end
            // by themselves, so they must not take the places of others (ADR 0356). If the owner tells that the copy
            // is lost it does fill it, and until then the zone takes no writes (ADR 0369).
            boolean isKept = stale.stream()
                    .anyMatch(member -> member.nid() == target.nid() && !lostCopies.has(zone, member.nid()));
            if (hasToWait(owner.nid(), target.nid(), takesWrites || isKept, pass)) {
                return;
            }
            fill = new Fill(owner.nid(), target, nowNanos, nowNanos - AGAIN_NANOS);
        }
        PeerInfo target = peers.get(fill.target.nid());
        if (target != null && nowNanos - fill.saidNanos >= AGAIN_NANOS) {
            fills.put(zone.id(), new Fill(fill.ownerNid, fill.target, fill.sinceNanos, nowNanos));
            FillCopy request = new FillCopy(
                    zone.id(), zone.placement().epoch(), zone.ownerEpoch(), target.nid(), target.address());
            arcs.callNode(owner.address(), owner.nid(), MessageType.FILL_COPY, request, (reply, failure) -> {
                if (failure != null) {
                    LOG.atDebug()
                            .addKeyValue("zone", BackupZone.nameOf(zone.id()))
                            .addKeyValue("ownerNid", Nid.toHex(owner.nid()))
                            .log("a copy is not being filled yet: {}", failure.getMessage());
                }
            });
        }
    }

    private boolean isOver(
            ZoneRecord zone, Fill fill, List<ZoneMember> good, @Nullable PeerInfo target, long nowNanos) {
        boolean given = nowNanos - fill.sinceNanos > GIVE_UP_NANOS;
        if (given) {
            avoided.computeIfAbsent(zone.id(), id -> new HashSet<>()).add(fill.target.nid());
        }
        // A member that has restarted is only second best: another peer may have come by now.
        boolean secondBest = nowNanos - fill.sinceNanos > SECOND_BEST_NANOS
                && zone.members().stream().anyMatch(member -> member.nid() == fill.target.nid());
        // If nothing in this arc depends on a target that is no member yet, its end is not committed in this arc. So
        // look at its lease.
        boolean ended = target != null && (!target.live() || target.epoch() != fill.target.epoch());
        return given
                || secondBest
                || ended
                || fill.ownerNid != zone.placement().owner()
                || state.presentEpoch(fill.target.nid()) > fill.target.epoch()
                || good.stream().anyMatch(member -> member.nid() == fill.target.nid());
    }

    /**
     * Returns where the next copy goes: to a peer that is no member, or else to a member that has restarted; null when
     * there is neither.
     */
    private @Nullable ZoneMember target(ZoneRecord zone, List<ZoneMember> stale, Map<Integer, PeerInfo> peers) {
        Set<Integer> holding = holdersOf(zone);
        holding.addAll(avoided.getOrDefault(zone.id(), Set.of()));
        List<ZoneMember> chosen = planner.members(zone.id(), 1, holding);
        if (!chosen.isEmpty()) {
            return chosen.getFirst();
        }
        avoided.remove(zone.id());
        for (ZoneMember member : stale) {
            PeerInfo peer = peers.get(member.nid());
            if (peer != null && peer.live() && !peer.draining()) {
                SuperPeerProbe.COPY_FILLED_ON_FORMER_MEMBER.hit();
                return ZonePlanner.memberOf(peer);
            }
        }
        return null;
    }

    /**
     * Returns whether a fill has to wait: for others of the same owner or target, or for zones that take no writes.
     *
     * @param yields whether it lets fills of zones that take no writes go first
     */
    private boolean hasToWait(int ownerNid, int targetNid, boolean yields, Pass pass) {
        boolean isFull = fillsOf(ownerNid, targetNid) > 0;
        if (isFull && !yields) {
            pass.crowded.add(ownerNid);
            pass.crowded.add(targetNid);
        }
        return isFull || (yields && (crowded.contains(ownerNid) || crowded.contains(targetNid)));
    }

    /** Returns by how many one more fill would exceed the limits of its owner and its target; 0 when it may begin. */
    private int fillsOf(int ownerNid, int targetNid) {
        int ofOwner = 0;
        int ofTarget = 0;
        for (Fill fill : fills.values()) {
            ofOwner += fill.ownerNid == ownerNid ? 1 : 0;
            ofTarget += fill.target.nid() == targetNid ? 1 : 0;
        }
        return Math.max(0, Math.max(ofOwner - FILLS_PER_OWNER + 1, ofTarget - FILLS_PER_TARGET + 1));
    }

    // Dropping.

    /** Drops members of a zone, once the owner has answered with the incarnation epoch that this arc knows. */
    private void drop(ZoneRecord zone, PeerInfo owner, List<ZoneMember> over, int wanted) {
        if (!dropping.add(zone.id())) {
            return;
        }
        arcs.callNode(owner.address(), owner.nid(), MessageType.LIST_COPIES, new ListCopies(0, 0), (reply, failure) -> {
            if (reply == null || reply.peerEpoch() != zone.ownerEpoch() || stopped) {
                dropping.remove(zone.id());
                return;
            }
            ZoneCommand.ChangeCopies change = new ZoneCommand.ChangeCopies(
                    zone.id(),
                    zone.placement().owner(),
                    zone.ownerEpoch(),
                    zone.placement().epoch(),
                    over.stream().map(ZoneMember::nid).toList(),
                    List.of(),
                    wanted);
            Async.whenDone(commit.apply(change), (result, problem) -> {
                dropping.remove(zone.id());
                if (result instanceof RangeResult.Zone(var placement)
                        && placement.epoch() == zone.placement().epoch() + 1) {
                    over.forEach(member -> tellDropped(member.nid(), zone.id(), placement.epoch()));
                }
            });
        });
    }

    /** Tells a storage peer that is no member of a zone any more to drop its copy. */
    void tellDropped(int nid, int zone, long epoch) {
        PeerInfo peer = catalog.find(nid);
        if (peer != null) {
            DropCopies request = new DropCopies(node.rpcIdentity().clusterId(), List.of(new ZoneEpoch(zone, epoch)));
            arcs.callNode(peer.address(), nid, MessageType.DROP_COPIES, request, (reply, failure) -> {});
        }
    }
}
