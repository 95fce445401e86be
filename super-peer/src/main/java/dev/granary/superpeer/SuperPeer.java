package dev.granary.superpeer;

import dev.granary.env.Environment;
import dev.granary.net.Transport;
import dev.granary.net.message.NodeRole;
import dev.granary.net.rpc.RpcClient;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.net.rpc.RpcServer;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Ring;
import dev.granary.process.NodeIdentity;
import dev.granary.process.ProcessControl;
import dev.granary.superpeer.state.ArcCommand;
import dev.granary.superpeer.state.ArcResult;
import dev.granary.superpeer.state.ArcState;
import dev.granary.superpeer.state.Journal;
import dev.granary.superpeer.state.RingCommand;
import dev.granary.superpeer.state.RingResult;
import dev.granary.superpeer.state.RingState;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * One super-peer. It opens its two logs, listens, founds or joins the ring, and answers for its arc. All its work runs
 * as tasks of the environment's scheduler; the methods here may be called by any thread.
 *
 * <p>Environment and transport belong to the caller, who closes them after {@link #stop}.
 */
public final class SuperPeer {

    private static final String RING_LOG = "ring";
    private static final String ARC_LOG = "arc";

    private final Node node;
    private final Transport transport;
    private final Journal<RingCommand, RingResult> ringJournal;
    private final Journal<ArcCommand, ArcResult> arcJournal;
    private final ArcState arcState;
    private final RingMembership membership;
    private final Leases leases;
    private final ArcService arc;
    private final NameService names;
    private final LockService locks;
    private final ClusterStatus status;
    private final RequestRouter router;

    private volatile int livePeers;
    private volatile int knownPeers;
    private volatile long ranges;

    private SuperPeer(
            Node node,
            Transport transport,
            RingState ringState,
            Journal<RingCommand, RingResult> ringJournal,
            ArcState arcState,
            Journal<ArcCommand, ArcResult> arcJournal) {
        this.node = node;
        this.transport = transport;
        this.ringJournal = ringJournal;
        this.arcJournal = arcJournal;
        this.arcState = arcState;
        this.leases = new Leases(node, this::refreshView);
        this.membership = new RingMembership(node, ringState, ringJournal, this::refreshView);
        this.arc = new ArcService(node, arcState, arcJournal, leases, membership::ring);
        this.names = new NameService(arcState, arcJournal::commit, arc::answersFor, membership::ring);
        this.locks = new LockService(node, arcState, arcJournal::commit, arc::answersFor);
        this.status = new ClusterStatus(node, membership::ring, arc::peerInfos);
        this.router = new RequestRouter(node.environment().scheduler(), membership, arc, names, locks, status);
    }

    /**
     * Reads what the disk holds. Nothing is sent or listened to before {@link #start}.
     *
     * @param control told when the super-peer cannot go on: a log has failed, or it may not found or join a cluster
     * @param metrics made for this super-peer
     * @throws IOException when the disk fails or holds what no super-peer wrote
     */
    public static SuperPeer open(
            SuperPeerConfig config,
            Environment environment,
            Transport transport,
            ProcessControl control,
            SuperPeerMetrics metrics)
            throws IOException {
        NodeIdentity identity = NodeIdentity.open(environment);
        RpcIdentity rpcIdentity = new RpcIdentity(NodeRole.SUPER_PEER, identity.incarnation());
        RpcClient rpc = new RpcClient(transport, environment.clock(), environment.scheduler(), rpcIdentity);
        Node node = new Node(config, environment, identity, rpcIdentity, rpc, control, metrics);
        Consumer<Exception> onFailure =
                failure -> control.fail("the disk has failed, nothing can be committed any more", failure);
        RingState ringState = new RingState();
        var ringJournal = Journal.open(environment, RING_LOG, ringState, onFailure);
        try {
            ArcState arcState = new ArcState();
            var arcJournal = Journal.open(environment, ARC_LOG, arcState, onFailure);
            return new SuperPeer(node, transport, ringState, ringJournal, arcState, arcJournal);
        } catch (IOException | RuntimeException e) {
            ringJournal.close();
            throw e;
        }
    }

    /**
     * Listens and begins to work. Founding or joining a cluster goes on afterwards: see {@link #notReadyReason}.
     *
     * @param httpAddress where this super-peer serves HTTP, for others to know
     * @return the address that is listened on
     */
    public CompletableFuture<HostAddress> start(HostAddress httpAddress) {
        CompletableFuture<HostAddress> started = new CompletableFuture<>();
        node.metrics().show(node.config().version(), this::view);
        RpcServer server = new RpcServer(node.rpcIdentity(), router);
        CompletableFuture<HostAddress> listening =
                transport.listen(node.config().listen(), server);
        Async.whenDone(listening, node.environment().scheduler(), (bound, failure) -> {
            if (bound == null) {
                started.completeExceptionally(failure == null ? new IllegalStateException("no address") : failure);
                return;
            }
            try {
                arc.begin();
                locks.begin();
                membership.begin(node.config().advertised(bound.port()), httpAddress);
                refreshView();
                started.complete(bound);
            } catch (RuntimeException e) {
                started.completeExceptionally(e);
            }
        });
        return started;
    }

    /** Why clients and storage peers cannot use the cluster through this super-peer; empty when they can. */
    public Optional<String> notReadyReason() {
        return membership.notReadyReason();
    }

    /** The own NID, 0 while this super-peer belongs to no ring. */
    public int nid() {
        return node.rpcIdentity().nid();
    }

    /**
     * The ring as it is known here.
     *
     * @throws IllegalStateException while this super-peer belongs to none
     */
    public Ring ring() {
        Ring ring = membership.ring();
        if (ring == null) {
            throw new IllegalStateException("this super-peer belongs to no ring yet");
        }
        return ring;
    }

    /** The status of the whole cluster as docs/formats/status.md describes it. */
    public CompletableFuture<String> status() {
        CompletableFuture<String> json = new CompletableFuture<>();
        node.environment()
                .scheduler()
                .execute(() -> Async.whenDone(status.gather(), (text, failure) -> {
                    if (text != null) {
                        json.complete(text);
                    } else {
                        json.completeExceptionally(failure == null ? new IllegalStateException("no status") : failure);
                    }
                }));
        return json;
    }

    /** Refuses requests from now on, ends all timers, and closes the logs. Completes when that is done. */
    public CompletableFuture<Void> stop() {
        router.stop();
        return CompletableFuture.runAsync(
                () -> {
                    membership.stop();
                    leases.stop();
                    locks.stop();
                    node.rpc().close();
                    ringJournal.close();
                    arcJournal.close();
                },
                node.environment().scheduler());
    }

    private void refreshView() {
        knownPeers = arcState.peers().size();
        livePeers = leases.liveCount();
        ranges = arcState.rangeCount();
    }

    private SuperPeerMetrics.View view() {
        Ring ring = membership.ring();
        int live = livePeers;
        return new SuperPeerMetrics.View(
                nid() == Nid.NONE ? "" : Nid.toHex(nid()),
                ring == null ? 0 : ring.members().size(),
                ring == null ? 0 : ring.expectedSize(),
                ring == null ? 0 : ring.epoch(),
                live,
                Math.max(0, knownPeers - live),
                ranges);
    }
}
