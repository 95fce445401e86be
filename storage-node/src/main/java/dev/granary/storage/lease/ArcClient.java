package dev.granary.storage.lease;

import dev.granary.env.Confined;
import dev.granary.env.Scheduler;
import dev.granary.net.cluster.ArcRoute;
import dev.granary.net.cluster.Inquiry;
import dev.granary.net.cluster.Inquiry.Outcome;
import dev.granary.net.cluster.Inquiry.Rules;
import dev.granary.net.cluster.NodeCalls;
import dev.granary.net.cluster.Target;
import dev.granary.net.message.Empty;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.net.rpc.RpcClient;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.overlay.Ring;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks super-peers: the leader of the arc of a NID, or any super-peer for the ring. All methods run as tasks of the
 * node's scheduler.
 */
final class ArcClient implements ArcCalls {

    private static final Logger LOG = LoggerFactory.getLogger(ArcClient.class);

    private static final long ARC_TIMEOUT_NANOS = 500_000_000L;
    private static final long RING_TIMEOUT_NANOS = 2_000_000_000L;

    /** How many redirects in a row are followed before there is a pause. */
    static final int MAX_REFERRALS = 3;

    private final Confined confined = new Confined();
    private final NodeCalls calls;
    private final RpcIdentity identity;
    private final RingView ring;

    /** The routes to arcs, by the NID that is asked about. */
    private final Map<Integer, ArcRoute> routes = new TreeMap<>();

    ArcClient(RpcClient rpc, Scheduler scheduler, RpcIdentity identity, RingView ring) {
        this.calls = NodeCalls.asTasks(rpc, scheduler);
        this.identity = identity;
        this.ring = ring;
    }

    @Override
    public <Q extends Message, R extends Message> void callArc(
            int nid, MessageType<Q, R> type, Q request, Consumer<R> done, Consumer<Throwable> failed) {
        assert confined.here() : confined;
        ArcRoute route = routes.computeIfAbsent(nid, any -> new ArcRoute(ring::present));
        Target asked = route.target(nid);
        ask(asked, type, request, ARC_TIMEOUT_NANOS, (from, reply, failure) -> {
            if (reply != null) {
                route.answered(nid, from);
                done.accept(reply);
            } else if (failure != null) {
                route.failed(nid, asked);
                refreshRing();
                failed.accept(failure);
            }
        });
    }

    /** Asks one super-peer, and those to which it redirects. */
    <Q extends Message, R extends Message> Inquiry<Q, R> ask(
            Target superPeer, MessageType<Q, R> type, Q request, long timeoutNanos, Outcome<R> outcome) {
        return Inquiry.begin(
                calls, type, request, List.of(superPeer), Rules.inTurn(timeoutNanos, MAX_REFERRALS), outcome);
    }

    /** Asks some super-peer for the ring; a failure is ignored. */
    void refreshRing() {
        calls.ask(Target.at(ring.next()), MessageType.GET_RING, new Empty(), RING_TIMEOUT_NANOS, (reply, failure) -> {
            if (reply != null) {
                Ring newer = reply.ring();
                if (newer.clusterId().equals(identity.clusterId())) {
                    ring.update(newer);
                }
            } else if (failure != null) {
                LOG.debug("the ring could not be asked for: {}", failure.getMessage());
            }
        });
    }
}
