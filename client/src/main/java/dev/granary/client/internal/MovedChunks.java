package dev.granary.client.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.client.ChunkLostException;
import dev.granary.client.internal.BatchContext.OwnerChangedException;
import dev.granary.env.Futures;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;

/**
 * The chunks of a batch without an answer from their owner: first all of them, later those that have moved.
 * Thread-safe.
 */
final class MovedChunks {

    @GuardedBy("this")
    private int[] indexes;

    @GuardedBy("this")
    private int count;

    /** Starts with all chunks of a batch. */
    MovedChunks(int batchCount) {
        indexes = OwnerGroups.allIndexes(batchCount);
        count = batchCount;
    }

    synchronized void add(int index) {
        if (count == indexes.length) {
            indexes = Arrays.copyOf(indexes, Math.max(16, 2 * count));
        }
        indexes[count++] = index;
    }

    synchronized int[] take() {
        int[] taken = Arrays.copyOf(indexes, count);
        indexes = new int[0];
        count = 0;
        return taken;
    }

    synchronized boolean isEmpty() {
        return count == 0;
    }

    /** Notes the chunks of a request that have another owner now. The future fails for any other failure. */
    CompletableFuture<Void> orFail(Throwable failure, int[] group, int from, int to) {
        Throwable cause = Futures.causeOf(failure);
        // When the batch groups its chunks again, it learns whether the range is lost.
        if (!(cause instanceof OwnerChangedException || cause instanceof ChunkLostException)) {
            return CompletableFuture.failedFuture(cause);
        }
        for (int i = from; i < to; i++) {
            add(group[i]);
        }
        return CompletableFuture.completedFuture(null);
    }
}
