package dev.granary.client.internal;

import dev.granary.client.ChunkOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Asks the owners of a batch's chunks, pass by pass, until each chunk has an answer. A pass groups the chunks without
 * an answer by their owners and sends all requests, several at once. It leaves chunks that have moved to the next pass.
 */
final class OwnerPasses {

    /** The requests to the owners. */
    interface Requests {

        /** Takes the outcome of a chunk that nobody owns. */
        void unowned(int index, ChunkOutcome outcome);

        /** Cuts the chunks of one owner, by their indexes, into requests. */
        void cut(int nid, int[] group, Consumer<Supplier<CompletableFuture<Void>>> sink);
    }

    private final BatchContext context;
    private final long[] cids;
    private final MovedChunks moved;
    private final long deadlineNanos;
    private final Requests requests;

    private OwnerPasses(BatchContext context, long[] cids, MovedChunks moved, long deadlineNanos, Requests requests) {
        this.context = context;
        this.cids = cids;
        this.moved = moved;
        this.deadlineNanos = deadlineNanos;
        this.requests = requests;
    }

    /**
     * Asks until each chunk has an answer.
     *
     * @param what the operation, for messages
     * @param moved first all chunks; requests add chunks that have moved
     */
    static CompletableFuture<Void> run(
            BatchContext context,
            Supplier<String> what,
            long[] cids,
            MovedChunks moved,
            long deadlineNanos,
            Requests requests) {
        OwnerPasses passes = new OwnerPasses(context, cids, moved, deadlineNanos, requests);
        return Retry.run(context.retry(), what, deadlineNanos, _ -> passes.pass());
    }

    private CompletableFuture<Void> pass() {
        return OwnerGroups.of(context.directory(), cids, moved.take(), deadlineNanos)
                .thenCompose(groups -> Window.run(
                        context.options().requestsInFlight() * Math.max(1, groups.size()),
                        requestsOf(groups).iterator()))
                .thenCompose(_ -> moved.isEmpty()
                        ? CompletableFuture.<Void>completedFuture(null)
                        : CompletableFuture.failedFuture(new Retry.AgainException("chunks have moved")));
    }

    private List<Supplier<CompletableFuture<Void>>> requestsOf(Map<Integer, int[]> groups) {
        List<Supplier<CompletableFuture<Void>>> all = new ArrayList<>();
        groups.forEach((nid, group) -> {
            if (OwnerGroups.isNobody(nid)) {
                for (int index : group) {
                    requests.unowned(index, OwnerGroups.outcomeOf(nid));
                }
            } else {
                requests.cut(nid, group, all::add);
            }
        });
        return all;
    }
}
