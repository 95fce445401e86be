package dev.granary.superpeer;

import dev.granary.env.Environment;
import dev.granary.env.Loop;
import dev.granary.env.Scheduler;
import dev.granary.net.Transport;
import dev.granary.net.access.AccessLog;
import dev.granary.net.access.Credentials;
import dev.granary.net.access.Users;
import dev.granary.net.message.NodeRole;
import dev.granary.net.message.ZoneMessages.ZoneStatus;
import dev.granary.net.rpc.RpcClient;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.net.rpc.RpcServer;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.overlay.Ring;
import dev.granary.process.AccessMetrics;
import dev.granary.process.MemoryPlanMetrics;
import dev.granary.process.NodeIdentity;
import dev.granary.process.ProcessControl;
import dev.granary.superpeer.arc.ArcReplica;
import dev.granary.superpeer.arc.Arcs;
import dev.granary.superpeer.migration.PlanService;
import dev.granary.superpeer.node.Async;
import dev.granary.superpeer.node.GroupId;
import dev.granary.superpeer.node.Node;
import dev.granary.superpeer.node.SuperPeerConfig;
import dev.granary.superpeer.node.SuperPeerMetrics;
import dev.granary.superpeer.rebuild.RingRebuilder;
import dev.granary.superpeer.replicated.EndedMemberships;
import dev.granary.superpeer.replicated.RaftHost;
import dev.granary.superpeer.ring.RingBook;
import dev.granary.superpeer.ring.RingMembership;
import dev.granary.superpeer.ring.RingRequests;
import dev.granary.superpeer.state.ZoneRecord;
import dev.granary.superpeer.state.arc.ArcState;
import dev.granary.superpeer.status.ClusterOverview;
import dev.granary.superpeer.status.ClusterStatus;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One super-peer. It listens, founds or joins the ring, takes part in the Raft groups of the ring and of arcs, and
 * answers for the arcs that it leads. All its work runs as tasks of the environment's scheduler;
 * the methods here may be called by any thread.
 *
 * <p>Environment and transport belong to the caller, who closes them after {@link #stop}.
 */
public final class SuperPeer {

    private static final Logger LOG = LoggerFactory.getLogger(SuperPeer.class);

    private static final long MEMORY_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final Node node;
    private final Transport transport;
    private final RingBook book;
    private final RaftHost host;
    private final RingMembership membership;
    private final Arcs arcs;
    private final ClusterStatus status;
    private final ClusterOverview overview;
    private final RequestRouter router;

    /**
     * Gives back the memory of requests whose callers are gone, and counts the memory that is taken without a request.
     */
    private final Loop memoryLook;

    private volatile @Nullable Users users;
    private volatile SuperPeerMetrics.PeerCounts peers = SuperPeerMetrics.PeerCounts.NONE;
    private volatile long ranges;
    private volatile long names;
    private volatile long unsavedNameChanges;
    private volatile long locks;
    private volatile int zoneNumbersLeft = BackupZone.MAX_NUMBER;
    private volatile ZoneStatus zones = new ZoneStatus(0, 0, 0, 0, 0, List.of(), List.of(), List.of());

    private SuperPeer(Node node, Transport transport, EndedMemberships ended) {
        this.node = node;
        this.transport = transport;
        this.book = new RingBook(node);
        this.host = new RaftHost(node, book::addressOf, ended);
        this.membership = new RingMembership(node, host, book);
        this.arcs = new Arcs(node, host, book, membership, this::refreshView);
        this.status = new ClusterStatus(node, transport, book, membership, arcs);
        this.overview = new ClusterOverview(node, book, arcs, status);
        RingRequests ring = new RingRequests(node, book, membership);
        RingRebuilder rebuilder = new RingRebuilder(node, book, membership, arcs);
        this.router = new RequestRouter(node, transport, host, membership, ring, arcs, status, rebuilder);
        this.memoryLook =
                Loop.every(node.environment().scheduler(), "memory-use", MEMORY_LOOK_NANOS, arcs::lookAtMemory);
        book.whenChanged(this::ringChanged);
        host.whenAdded((group, member) -> {
            if (group == GroupId.RING) {
                membership.openGroup(member);
            } else {
                arcs.openForOthers(group, member);
            }
        });
    }

    /**
     * Reads the disk. Sends nothing and does not listen before {@link #start}.
     *
     * @param control is told when the super-peer cannot go on: a disk has failed, or it may not found or join a cluster
     * @param metrics the metrics of this super-peer
     * @throws IOException when the disk fails, or holds files that no super-peer wrote
     */
    public static SuperPeer open(
            SuperPeerConfig config,
            Environment environment,
            Transport transport,
            ProcessControl control,
            SuperPeerMetrics metrics)
            throws IOException {
        NodeIdentity identity = NodeIdentity.open(environment);
        RpcIdentity rpcIdentity = new RpcIdentity(
                NodeRole.SUPER_PEER, identity.incarnation(), Credentials.of(config.secret(), environment.random()));
        RpcClient rpc =
                new RpcClient(transport, environment.clock(), environment.scheduler(), rpcIdentity, config.ports());
        Node node = new Node(config, environment, identity, rpcIdentity, rpc, control, metrics);
        SuperPeer superPeer = new SuperPeer(node, transport, EndedMemberships.open(environment.disk()));
        superPeer.membership.open();
        return superPeer;
    }

    /** Names the users that clients have to be. Call it before {@link #start}. */
    public void use(Users known) {
        users = known;
    }

    /**
     * Listens and begins to work. Founding or joining a cluster goes on afterwards: see {@link #notReadyReason}.
     *
     * @param httpAddress where this super-peer serves HTTP, for others to know
     * @return the address on which this super-peer listens
     */
    public CompletableFuture<HostAddress> start(HostAddress httpAddress) {
        CompletableFuture<HostAddress> started = new CompletableFuture<>();
        node.metrics().show(node.config().version(), this::view);
        MemoryPlanMetrics.register(
                node.metrics().registry(), node.config().memory().plan(), () -> node.memory()
                        .bytes(transport));
        AccessLog denials = new AccessLog(node.environment().clock());
        AccessMetrics.register(node.metrics().registry(), denials::counts);
        RpcServer server = new RpcServer(node.rpcIdentity(), router, denials, users);
        CompletableFuture<HostAddress> listening =
                server.listen(transport, node.config().listen(), node.config().ports());
        Async.whenDone(listening, node.environment().scheduler(), (bound, failure) -> {
            if (bound == null) {
                started.completeExceptionally(failure == null ? new IllegalStateException("no address") : failure);
                return;
            }
            try {
                arcs.begin();
                memoryLook.begin();
                membership.begin(node.config().advertised(bound.port()), httpAddress);
                refreshView();
                started.complete(bound);
            } catch (IOException e) {
                node.control().fail("the disk has failed", e);
                started.completeExceptionally(e);
            } catch (RuntimeException e) {
                started.completeExceptionally(e);
            }
        });
        return started;
    }

    /** Returns why this super-peer does nothing useful any more and is to be restarted; empty when all is well. */
    public Optional<String> notAliveReason() {
        return node.environment().scheduler().loops().stalled();
    }

    /** Returns why clients and storage peers cannot use the cluster through this super-peer; empty when they can. */
    public Optional<String> notReadyReason() {
        Optional<String> reason = membership.notReadyReason();
        return reason.isPresent() ? reason : arcs.notReadyReason();
    }

    /** Returns this super-peer's NID, 0 while it belongs to no ring. */
    public int nid() {
        return node.rpcIdentity().nid();
    }

    /**
     * Returns the newest ring that is known here.
     *
     * @throws IllegalStateException while this super-peer belongs to no ring
     */
    public Ring ring() {
        Ring ring = book.ring();
        if (ring == null) {
            throw new IllegalStateException("this super-peer belongs to no ring yet");
        }
        return ring;
    }

    /**
     * Returns the zones of the arcs that this super-peer serves, without the numbers of ranges, as of its last look.
     * Any thread.
     */
    public ZoneStatus zones() {
        return zones;
    }

    /**
     * Returns the placement of each zone of the arcs that this super-peer serves, but of zones without chunks: the
     * owner of such a zone may never have heard of it. A task of the scheduler.
     */
    public List<Placement> placements() {
        return arcs.served().stream()
                .flatMap(arc ->
                        arc.state().zones().stream().filter(zone -> !arc.state().isUnused(zone)))
                .map(ZoneRecord::placement)
                .toList();
    }

    /** Returns the NIDs of the super-peers whose arcs this one serves, ascending. A task of the scheduler. */
    public List<Integer> servedArcs() {
        return arcs.servedArcs();
    }

    /**
     * Whether copies on storage peers have all names of the arcs that this super-peer serves. A task of the scheduler.
     */
    public boolean namesAreSaved() {
        return arcs.served().stream().allMatch(arc -> arc.services().nameSaver().unsavedChanges() == 0);
    }

    /** Returns the status of the whole cluster as docs/formats/status.md describes it. */
    public CompletableFuture<String> status() {
        return gathered(status::gather);
    }

    /** Returns what the console shows of the whole cluster, as docs/formats/status.md describes it. */
    public CompletableFuture<String> overview() {
        return gathered(overview::gather);
    }

    private CompletableFuture<String> gathered(Supplier<CompletableFuture<String>> gather) {
        CompletableFuture<String> json = new CompletableFuture<>();
        node.environment().scheduler().execute(() -> {
            try {
                Async.whenDone(gather.get(), (text, failure) -> {
                    if (text != null) {
                        json.complete(text);
                    } else {
                        json.completeExceptionally(failure == null ? new IllegalStateException("no status") : failure);
                    }
                });
            } catch (RuntimeException e) {
                json.completeExceptionally(e);
            }
        });
        return json;
    }

    /**
     * Hands over the groups that this super-peer leads, then refuses requests, ends all timers, and closes the Raft
     * groups. Completes when that is done.
     */
    public CompletableFuture<Void> stop() {
        Scheduler scheduler = node.environment().scheduler();
        CompletableFuture<Void> handedOver = new CompletableFuture<>();
        scheduler.execute(() -> Async.whenDone(host.handOver(), (done, failure) -> handedOver.complete(null)));
        return handedOver.thenRunAsync(
                () -> {
                    router.stop();
                    memoryLook.stop();
                    membership.stop();
                    arcs.stop();
                    host.close();
                    node.rpc().close();
                },
                scheduler);
    }

    private void ringChanged() {
        Ring ring = ring();
        int self = nid();
        LOG.atInfo()
                .addKeyValue("nid", Nid.toHex(self))
                .addKeyValue("epoch", ring.epoch())
                .addKeyValue("ringSize", ring.members().size())
                .addKeyValue("expectedRingSize", ring.expectedSize())
                .addKeyValue("arcRange", ring.member(self).isPresent() ? ring.arcOf(self) : "none")
                .log("the ring has changed");
        arcs.ringChanged();
    }

    /** Refreshes the metrics with each tick of each lease table: one pass over the few arcs. */
    private void refreshView() {
        ZoneStatus seen = arcs.zoneStates();
        long allRanges = 0;
        long allNames = 0;
        long unsaved = 0;
        long allLocks = 0;
        int numbersLeft = BackupZone.MAX_NUMBER;
        for (ArcReplica arc : arcs.served()) {
            ArcState state = arc.state();
            allRanges += state.rangeCount();
            allNames += state.nameCount();
            unsaved += arc.services().nameSaver().unsavedChanges();
            allLocks += state.lockCount();
            numbersLeft = Math.min(numbersLeft, state.leastZoneNumbersLeft());
        }
        peers = arcs.countPeers(seen);
        ranges = allRanges;
        names = allNames;
        unsavedNameChanges = unsaved;
        zones = seen;
        zoneNumbersLeft = numbersLeft;
        locks = allLocks;
        host.showMetrics();
        node.metrics()
                .plans()
                .show(PlanService.view(
                        arcs.served().stream().map(ArcReplica::state).toList()));
    }

    private SuperPeerMetrics.View view() {
        Ring ring = book.ring();
        ZoneStatus now = zones;
        return new SuperPeerMetrics.View(
                nid() == Nid.NONE ? "" : Nid.toHex(nid()),
                ring == null ? 0 : ring.members().size(),
                ring == null ? 0 : ring.expectedSize(),
                ring == null ? 0 : ring.epoch(),
                peers,
                ranges,
                names,
                unsavedNameChanges,
                locks,
                now.inSync(),
                now.degraded(),
                now.recovering(),
                now.lost(),
                zoneNumbersLeft);
    }
}
