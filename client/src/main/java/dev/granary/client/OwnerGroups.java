package dev.granary.client;

import dev.granary.client.ClusterDirectory.Owner;
import dev.granary.overlay.Nid;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/** Splits a batch by the storage peers that own its chunks, looking up what is not known. */
final class OwnerGroups {

    private final ClusterDirectory directory;
    private final long[] cids;
    private final int[] indexes;
    private final int[] owners;
    private final long deadlineNanos;

    private OwnerGroups(ClusterDirectory directory, long[] cids, int[] indexes, long deadlineNanos) {
        this.directory = directory;
        this.cids = cids;
        this.indexes = indexes;
        this.owners = new int[indexes.length];
        this.deadlineNanos = deadlineNanos;
    }

    /**
     * Groups the chunks at these indexes.
     *
     * @return by NID the indexes of the peer's chunks, in their order; under {@link Nid#NONE} those that nobody can own
     */
    static CompletableFuture<Map<Integer, int[]>> of(
            ClusterDirectory directory, long[] cids, int[] indexes, long deadlineNanos) {
        OwnerGroups groups = new OwnerGroups(directory, cids, indexes, deadlineNanos);
        return groups.resolveFrom(0).thenApply(_ -> groups.grouped());
    }

    private CompletableFuture<Void> resolveFrom(int start) {
        for (int i = start; i < indexes.length; i++) {
            long cid = cids[indexes[i]];
            Owner owner = directory.cachedOwner(cid);
            if (owner != null) {
                owners[i] = owner.nid();
                continue;
            }
            int next = i;
            return lookup(cid).thenCompose(nid -> {
                owners[next] = nid;
                return resolveFrom(next + 1);
            });
        }
        return CompletableFuture.completedFuture(null);
    }

    private CompletableFuture<Integer> lookup(long cid) {
        return Retry.run(directory.context(), () -> "a lookup", deadlineNanos, timeout -> directory
                        .owner(cid, timeout)
                        .thenApply(Owner::nid))
                .exceptionallyCompose(failure -> Retry.unwrap(failure) instanceof ChunkNotFoundException
                        ? CompletableFuture.completedFuture(Nid.NONE)
                        : CompletableFuture.failedFuture(Retry.unwrap(failure)));
    }

    private Map<Integer, int[]> grouped() {
        Map<Integer, IntStream.Builder> builders = new LinkedHashMap<>();
        for (int i = 0; i < owners.length; i++) {
            builders.computeIfAbsent(owners[i], _ -> IntStream.builder()).add(indexes[i]);
        }
        Map<Integer, int[]> groups = new LinkedHashMap<>();
        builders.forEach((owner, builder) -> groups.put(owner, builder.build().toArray()));
        return groups;
    }

    /** All indexes from 0 to count − 1. */
    static int[] allIndexes(int count) {
        int[] indexes = new int[count];
        Arrays.setAll(indexes, i -> i);
        return indexes;
    }
}
