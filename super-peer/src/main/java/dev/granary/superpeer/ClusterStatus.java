package dev.granary.superpeer;

import dev.granary.net.message.Empty;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.PeerInfo;
import dev.granary.net.message.PeerList;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Puts the status of the whole cluster together: asks every other super-peer for its arc and leaves out what does not
 * answer soon. Runs as tasks of the node's scheduler.
 */
final class ClusterStatus {

    /** A super-peer that takes longer is shown as unreachable. */
    private static final long ASK_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Node node;
    private final Supplier<@Nullable Ring> ring;
    private final Supplier<List<PeerInfo>> ownPeers;

    /**
     * @param ring the ring as it is known now
     * @param ownPeers the storage peers of the own arc
     */
    ClusterStatus(Node node, Supplier<@Nullable Ring> ring, Supplier<List<PeerInfo>> ownPeers) {
        this.node = node;
        this.ring = ring;
        this.ownPeers = ownPeers;
    }

    /** The status as {@link StatusJson} writes it; completes on the scheduler, never with a failure of another node. */
    CompletableFuture<String> gather() {
        return new Round(ring.get()).begin();
    }

    private final class Round {
        private final @Nullable Ring current;
        private final CompletableFuture<String> json = new CompletableFuture<>();
        private final Set<Integer> reachable = new TreeSet<>();
        private final List<PeerInfo> peers = new ArrayList<>(ownPeers.get());
        private int outstanding;

        private Round(@Nullable Ring current) {
            this.current = current;
        }

        private CompletableFuture<String> begin() {
            int ownNid = node.rpcIdentity().nid();
            List<RingMember> others = current == null
                    ? List.of()
                    : current.members().stream()
                            .filter(member -> member.nid() != ownNid)
                            .toList();
            reachable.add(ownNid);
            outstanding = others.size();
            for (RingMember other : others) {
                node.ask(
                        other.address(),
                        other.nid(),
                        MessageType.LIST_PEERS,
                        new Empty(),
                        ASK_TIMEOUT_NANOS,
                        (list, failure) -> answered(other, list));
            }
            endIfComplete();
            return json;
        }

        private void answered(RingMember from, @Nullable PeerList list) {
            if (list != null) {
                reachable.add(from.nid());
                peers.addAll(list.peers());
            }
            outstanding--;
            endIfComplete();
        }

        private void endIfComplete() {
            if (outstanding > 0) {
                return;
            }
            try {
                json.complete(StatusJson.write(node.config().version(), current, reachable, peers));
            } catch (RuntimeException e) {
                json.completeExceptionally(e);
            }
        }
    }
}
