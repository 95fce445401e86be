package dev.granary.client.internal;

import dev.granary.client.view.ClusterView;
import dev.granary.net.cluster.Inquiry;
import dev.granary.net.cluster.Inquiry.Rules;
import dev.granary.net.cluster.NodeCalls;
import dev.granary.net.cluster.Target;
import dev.granary.net.message.Empty;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.LeaseMessages.PeerList;
import dev.granary.net.message.MessageType;
import dev.granary.net.rpc.RpcClient;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Fetches the ring from one super-peer, and the storage peers from all super-peers together. Thread-safe. */
final class ViewFetcher {

    private final RpcClient rpc;
    private final NodeCalls calls;
    private final RpcIdentity identity;
    private final List<HostAddress> seeds;
    private final AtomicInteger turn;

    /**
     * @param firstTurn the super-peer that is asked for the ring first; a different one for each client, so that not
     *     all ask the same
     */
    ViewFetcher(RpcClient rpc, NodeCalls calls, RpcIdentity identity, List<HostAddress> seeds, int firstTurn) {
        this.rpc = rpc;
        this.calls = calls;
        this.identity = identity;
        this.seeds = seeds;
        this.turn = new AtomicInteger(firstTurn);
    }

    /** Fetches the ring from any known super-peer or seed; the first answer counts. */
    CompletableFuture<Ring> ring(@Nullable ClusterView known, long timeoutNanos) {
        Rules rules = Rules.inTurn(timeoutNanos, 0).until(failure -> false).hedged(ClusterDirectory.HEDGE_NANOS);
        return Inquiry.future(calls, MessageType.GET_RING, Empty::new, candidates(known), rules, (number, named) -> {})
                .thenApply(reply -> {
                    identity.joinCluster(reply.ring().clusterId());
                    return reply.ring();
                });
    }

    /** Fetches the ring and all storage peers. Keeps known storage peers of arcs that no super-peer reports now. */
    CompletableFuture<ClusterView> view(@Nullable ClusterView known, long timeoutNanos) {
        return ring(known, timeoutNanos).thenCompose(ring -> fetchPeers(ring, known, timeoutNanos));
    }

    private List<Target> candidates(@Nullable ClusterView known) {
        List<Target> candidates = new ArrayList<>();
        if (known != null) {
            candidates.addAll(Target.of(known.ring().members()));
            Collections.rotate(candidates, Math.floorMod(turn.getAndIncrement(), Math.max(1, candidates.size())));
        }
        seeds.forEach(seed -> candidates.add(Target.at(seed)));
        if (candidates.size() == 1) {
            // Behind one address there may be all super-peers, as in Kubernetes, and the connection may lead to one
            // that has lost its power: it is silent until the time limit for connections is over.
            candidates.add(candidates.getFirst().besideTheFirst());
        }
        return candidates;
    }

    /**
     * Asks every super-peer for the storage peers of the arcs that it serves. Keeps known storage peers of arcs that no
     * super-peer reports now.
     */
    private CompletableFuture<ClusterView> fetchPeers(Ring ring, @Nullable ClusterView known, long timeoutNanos) {
        List<CompletableFuture<PeerList>> lists = new ArrayList<>();
        long limitNanos =
                ring.members().size() == 1 ? timeoutNanos : Math.min(timeoutNanos, ClusterDirectory.SILENCE_NANOS);
        for (RingMember member : ring.members()) {
            lists.add(rpc.call(member.address(), member.nid(), MessageType.LIST_PEERS, new Empty(), limitNanos)
                    .exceptionally(failure -> new PeerList(0, List.of(), List.of(), List.of())));
        }
        return CompletableFuture.allOf(lists.toArray(CompletableFuture[]::new)).thenApply(_ -> {
            TreeMap<Integer, PeerInfo> peers = new TreeMap<>();
            Set<Integer> unserved = ConcurrentHashMap.newKeySet();
            ring.members().forEach(member -> unserved.add(member.nid()));
            for (CompletableFuture<PeerList> list : lists) {
                // Another ring has other arcs: a storage peer that is missing here may be in the next list.
                if (list.join().ringEpoch() == ring.epoch()) {
                    unserved.removeAll(list.join().arcs());
                }
                list.join().peers().forEach(peer -> peers.merge(peer.nid(), peer, (a, b) -> a.live() ? a : b));
            }
            knownPeersOf(known, ring, unserved).forEach(peer -> peers.putIfAbsent(peer.nid(), peer));
            return new ClusterView(ring, List.copyOf(peers.values()));
        });
    }

    private static List<PeerInfo> knownPeersOf(@Nullable ClusterView known, Ring ring, Set<Integer> arcs) {
        return known == null
                ? List.of()
                : known.peers().stream()
                        .filter(peer -> arcs.contains(ring.ownerOf(peer.nid()).nid()))
                        .toList();
    }
}
