package dev.granary.client.admin;

import dev.granary.client.internal.BatchContext;
import dev.granary.client.internal.ClusterDirectory;
import dev.granary.net.cluster.Inquiry.Rules;
import dev.granary.net.message.Empty;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RingMessages.ResizeRing;
import dev.granary.net.message.StatusText;
import dev.granary.net.rpc.RpcClient;
import dev.granary.overlay.RingMember;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Calls to any super-peer, or to all: status, rebalance plans, and the size of the ring. Thread-safe. */
final class RingCalls {

    private final ClusterDirectory directory;
    private final RpcClient rpc;

    RingCalls(BatchContext context) {
        this.directory = context.directory();
        this.rpc = context.rpc();
    }

    /** Fetches the status of the cluster from any super-peer, which may wait for silent ones. */
    CompletableFuture<StatusText> status(long timeoutNanos) {
        return directory
                .ringNow(timeoutNanos)
                .thenCompose(fresh -> directory.inquire(
                        fresh.members(),
                        MessageType.CLUSTER_STATUS,
                        Empty::new,
                        Rules.inTurn(timeoutNanos, 0).until(failure -> false)));
    }

    /** Fetches the rebalance plans, from each super-peer those of the arcs that it serves. */
    CompletableFuture<List<String>> plans(long timeoutNanos) {
        return directory.ringNow(timeoutNanos).thenCompose(fresh -> {
            List<CompletableFuture<String>> lists = new ArrayList<>();
            for (RingMember member : fresh.members()) {
                lists.add(rpc.call(member.address(), member.nid(), MessageType.LIST_PLANS, new Empty(), timeoutNanos)
                        .thenApply(StatusText::json)
                        .exceptionally(failure -> "{}"));
            }
            return CompletableFuture.allOf(lists.toArray(CompletableFuture[]::new))
                    .thenApply(_ -> lists.stream().map(CompletableFuture::join).toList());
        });
    }

    /** Sets the number of super-peers on the ring. Asks any super-peer, which refers to the leader of the ring. */
    CompletableFuture<Empty> resizeRing(int size, long timeoutNanos) {
        return directory
                .ringNow(timeoutNanos)
                .thenCompose(fresh -> directory.inquire(
                        fresh.members(),
                        MessageType.RESIZE_RING,
                        () -> new ResizeRing(size),
                        Rules.inTurn(timeoutNanos, 1)));
    }
}
