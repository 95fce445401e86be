package dev.granary.superpeer;

import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.LeaseMessages.PeerStatistics;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import dev.granary.superpeer.LoneNode.Answers;
import dev.granary.superpeer.lease.ArcService;
import dev.granary.superpeer.lease.Leases;
import dev.granary.superpeer.node.ArcCaller;
import dev.granary.superpeer.node.Committer;
import dev.granary.superpeer.node.SuperPeerConfig;
import dev.granary.superpeer.peer.Loads;
import dev.granary.superpeer.peer.PeerCatalog;
import dev.granary.superpeer.placement.ZonePlanner;
import dev.granary.superpeer.state.ArcCommand;
import dev.granary.superpeer.state.ArcResult;
import dev.granary.superpeer.state.NewZone;
import dev.granary.superpeer.state.PeerCommand;
import dev.granary.superpeer.state.ZoneMember;
import dev.granary.superpeer.state.ZoneRecord;
import dev.granary.superpeer.state.arc.ArcState;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** The state of the only arc of a ring, and storage peers that answer as a test says. */
public final class LoneArc implements Committer<ArcCommand, ArcResult> {

    private static final long INCARNATION = 7;
    private static final int LIDS = 100;

    public final LoneNode lone;

    /** The ring as this super-peer knows it: of one super-peer at first. */
    public Ring ring;

    /** For how many milliseconds the newest super-peer has been on the ring. */
    public long grownMillis = Long.MAX_VALUE;

    public final ArcState state = new ArcState();

    /** What was committed, in this order. */
    public final List<ArcCommand> committed = new ArrayList<>();

    public final ArcCaller arcs;
    public final PeerCatalog catalog;
    public final ZonePlanner planner;

    /** Grants leases once it has begun. */
    public final ArcService service;

    /** The arcs whose storage peers have been reported. */
    public List<Integer> reported = List.of(LoneNode.NID);

    private final TreeMap<Integer, PeerInfo> peers = new TreeMap<>();

    /** @param backups how many copies each zone should have */
    public LoneArc(int backups) {
        this(SimulatedRing.withBackups(SimulatedRing.config("s0"), backups));
    }

    /** @param config of the super-peer */
    public LoneArc(SuperPeerConfig config) {
        lone = new LoneNode(config);
        ring = ringWith();
        arcs = new ArcCaller(lone.node(), () -> ring);
        catalog = new PeerCatalog(
                lone.node(),
                arcs,
                () -> ring,
                () -> List.copyOf(peers.values()),
                nid -> peers.get(nid),
                () -> reported);
        planner = new ZonePlanner(lone.node(), state, catalog);
        service = new ArcService(
                lone.node(),
                state,
                this,
                new Leases(lone.node(), () -> {}),
                planner,
                () -> ring,
                within -> grownMillis < within,
                new Loads(lone.node()));
    }

    /** Returns a ring of this super-peer and others, in ascending order. */
    public static Ring ringWith(int... others) {
        List<RingMember> members = new ArrayList<>();
        HostAddress self = LoneNode.address("s0");
        members.add(new RingMember(LoneNode.NID, "s0", self, self));
        for (int nid : others) {
            HostAddress address = LoneNode.address("s" + nid);
            members.add(new RingMember(nid, "s" + nid, address, address));
        }
        return new Ring(LoneNode.CLUSTER, members.size(), members.size(), true, members);
    }

    /** This super-peer has just been elected, and serves. A task of the scheduler. */
    public void begin() {
        service.begin(lone.node().nanoTime());
    }

    /** A storage peer in its first incarnation, with a lease. */
    public void serve(int nid, Answers answers) {
        lone.serve("p" + nid, nid, answers);
        report(nid, 1, true, PeerInfo.Drain.NONE);
    }

    /** What is known of a storage peer from now on. */
    public void report(int nid, long epoch, boolean live, PeerInfo.Drain drain) {
        report(nid, epoch, live, drain, new PeerStatistics(0, 0, 0, 0, 1 << 20, 0, 0));
    }

    /** The same of a storage peer that has room for so many bytes and nothing in memory. */
    public void reportRoom(int nid, long roomBytes) {
        // Recoveries fill a memory to 95 percent.
        long capacityBytes = (long) (roomBytes / 0.95) + 2;
        report(nid, 1, true, PeerInfo.Drain.NONE, new PeerStatistics(0, 0, 0, 0, capacityBytes, 0, 0));
    }

    private void report(int nid, long epoch, boolean live, PeerInfo.Drain drain, PeerStatistics statistics) {
        HostAddress address = LoneNode.address("p" + nid);
        peers.put(
                nid,
                new PeerInfo(
                        nid,
                        "p",
                        address,
                        address,
                        live,
                        0,
                        epoch,
                        1,
                        0,
                        drain,
                        0,
                        statistics,
                        0,
                        "",
                        "",
                        false,
                        null));
        catalog.ownChanged();
    }

    /** Commits a command; a later task applies it. */
    @Override
    public CompletableFuture<ArcResult> commit(ArcCommand command) {
        committed.add(command);
        CompletableFuture<ArcResult> done = new CompletableFuture<>();
        lone.node().environment().scheduler().execute(() -> done.complete(state.apply(command)));
        // A stage of its own, as a replica returns: whoever waits for it goes on in the order of waiting.
        return done.thenApply(result -> result);
    }

    @Override
    public CompletableFuture<Void> confirm() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        lone.node().environment().scheduler().execute(() -> done.complete(null));
        return done;
    }

    /** Admits a creator with this many zones, each of which has these members; returns the first zone. */
    public int open(int nid, int zones, int... members) {
        List<ZoneMember> list = new ArrayList<>();
        for (int member : members) {
            list.add(new ZoneMember(member, 1));
        }
        List<NewZone> added = new ArrayList<>();
        for (int i = 0; i < zones; i++) {
            added.add(new NewZone(LIDS, list, list.size()));
        }
        HostAddress address = LoneNode.address("p" + nid);
        state.apply(new PeerCommand.OpenPeer(
                nid,
                new UUID(1, nid),
                INCARNATION,
                "p",
                address,
                address,
                1,
                (long) zones * LIDS,
                "",
                "",
                added,
                0,
                null));
        return BackupZone.id(nid, 1);
    }

    /** Ends the incarnation of a creator: its zones need other owners. */
    public void end(int nid) {
        state.apply(new PeerCommand.CloseLease(nid, INCARNATION));
    }

    public ZoneRecord zone(int id) {
        return Objects.requireNonNull(state.zone(id));
    }
}
