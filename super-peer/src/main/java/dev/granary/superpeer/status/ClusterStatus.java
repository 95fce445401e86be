package dev.granary.superpeer.status;

import dev.granary.net.Transport;
import dev.granary.net.message.Empty;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.LeaseMessages.PeerList;
import dev.granary.net.message.LeaseMessages.PeerList.GroupVoters;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.ZoneMessages.ZoneStatus;
import dev.granary.overlay.HostAddress;
import dev.granary.superpeer.arc.ArcReplica;
import dev.granary.superpeer.arc.Arcs;
import dev.granary.superpeer.node.Node;
import dev.granary.superpeer.ring.RingBook;
import dev.granary.superpeer.ring.RingMembership;
import dev.granary.superpeer.state.ring.RingView;
import dev.granary.superpeer.state.ring.SuperPeerRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Puts the status of the whole cluster together: asks every other super-peer for the arcs that it serves, and leaves
 * out super-peers that do not answer soon. Runs as tasks of the node's scheduler.
 */
public final class ClusterStatus {

    /** A super-peer that takes longer is shown as unreachable. */
    private static final long ASK_TIMEOUT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final Node node;
    private final Transport transport;
    private final RingBook book;
    private final RingMembership membership;
    private final Arcs arcs;

    public ClusterStatus(Node node, Transport transport, RingBook book, RingMembership membership, Arcs arcs) {
        this.node = node;
        this.transport = transport;
        this.book = book;
        this.membership = membership;
        this.arcs = arcs;
    }

    /**
     * Returns the status as {@link StatusJson} writes it. Completes on the scheduler, and never fails because another
     * node does.
     */
    public CompletableFuture<String> gather() {
        return new Round(book.view()).begin();
    }

    private final class Round {
        private final @Nullable RingView current;
        private final CompletableFuture<String> json = new CompletableFuture<>();
        private final Set<Integer> reachable = new TreeSet<>();
        private final TreeMap<Integer, Integer> servedBy = new TreeMap<>();
        private final TreeMap<Integer, PeerInfo> peers = new TreeMap<>();
        private final TreeMap<Integer, List<Integer>> voters = new TreeMap<>();
        private final List<ZoneStatus> zones = new ArrayList<>();
        private int outstanding;

        private Round(@Nullable RingView current) {
            this.current = current;
        }

        private CompletableFuture<String> begin() {
            int ownNid = node.rpcIdentity().nid();
            List<SuperPeerRecord> others = current == null
                    ? List.of()
                    : current.superPeers().stream()
                            .filter(superPeer -> superPeer.nid() != ownNid)
                            .toList();
            reachable.add(ownNid);
            take(ownNid, arcs.served().stream().map(ArcReplica::ownerNid).toList(), arcs.peerInfos(), arcs.ledGroups());
            zones.add(arcs.zoneStatus());
            outstanding = 2 * others.size();
            for (SuperPeerRecord other : others) {
                HostAddress address = book.addressOf(other.nid());
                node.ask(
                        address == null ? other.address() : address,
                        other.nid(),
                        MessageType.LIST_PEERS,
                        new Empty(),
                        ASK_TIMEOUT_NANOS,
                        (list, failure) -> answered(other.nid(), list));
                node.ask(
                        address == null ? other.address() : address,
                        other.nid(),
                        MessageType.ZONE_STATUS,
                        new Empty(),
                        ASK_TIMEOUT_NANOS,
                        (told, failure) -> answered(told));
            }
            endIfComplete();
            return json;
        }

        private void take(int from, List<Integer> served, List<PeerInfo> list, List<GroupVoters> groups) {
            groups.forEach(group -> voters.put(group.nid(), group.voters()));
            served.forEach(arc -> servedBy.put(arc, from));
            list.forEach(peer -> peers.merge(peer.nid(), peer, (one, other) -> one.live() ? one : other));
        }

        private void answered(int from, @Nullable PeerList list) {
            if (list != null) {
                reachable.add(from);
                take(from, list.arcs(), list.peers(), list.groups());
            }
            outstanding--;
            endIfComplete();
        }

        private void answered(@Nullable ZoneStatus told) {
            if (told != null) {
                zones.add(told);
            }
            outstanding--;
            endIfComplete();
        }

        private void endIfComplete() {
            if (outstanding > 0) {
                return;
            }
            try {
                StatusJson.Seen seen = new StatusJson.Seen(membership.leaderNid(), reachable, servedBy, voters, zones);
                json.complete(StatusJson.write(
                        node.config().version(),
                        current,
                        seen,
                        List.copyOf(peers.values()),
                        node.config().memory(),
                        node.memory().bytes(transport)));
            } catch (RuntimeException e) {
                json.completeExceptionally(e);
            }
        }
    }
}
