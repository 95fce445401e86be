package dev.granary.client.internal;

import dev.granary.client.ChunkLostException;
import dev.granary.client.ChunkNotFoundException;
import dev.granary.client.ChunkOutcome;
import dev.granary.client.internal.ClusterDirectory.Owner;
import dev.granary.env.Futures;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Nid;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Splits a batch by the owners of its chunks. Looks up owners that are not known. */
final class OwnerGroups {

    /** Stands in place of a NID for a lost chunk. */
    static final int LOST = -1;

    private final ClusterDirectory directory;
    private final long[] cids;
    private final int[] indexes;
    private final int[] owners;
    private final long deadlineNanos;

    /**
     * The range that a super-peer has called lost during this batch. It is not kept longer, because a creator that
     * comes back gives those CIDs of the lost range that it had not given before.
     */
    private @Nullable CidRange lost;

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
     * @return by NID the indexes of the peer's chunks, in their order; under {@link Nid#NONE} the chunks that nobody
     *     can own, under {@link #LOST} the lost ones
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
            if (lost != null && lost.contains(cid)) {
                owners[i] = LOST;
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
        return Retry.run(
                        directory.context(),
                        () -> "a lookup of chunk " + Cid.toHex(cid),
                        deadlineNanos,
                        directory.newsOf(cid),
                        timeout -> directory.owner(cid, timeout).thenApply(Owner::nid))
                .exceptionallyCompose(failure -> switch (Futures.causeOf(failure)) {
                    case ChunkNotFoundException _ -> CompletableFuture.completedFuture(Nid.NONE);
                    case ChunkLostException told -> {
                        lost = told.getCause() instanceof LostRangeException said ? said.range() : null;
                        yield CompletableFuture.completedFuture(LOST);
                    }
                    default -> CompletableFuture.failedFuture(Futures.causeOf(failure));
                });
    }

    /** Whether this number is not a NID but a reason why there is no owner. */
    static boolean isNobody(int owner) {
        return owner == Nid.NONE || owner == LOST;
    }

    /** Returns the outcome of chunks that have no owner for this reason. */
    static ChunkOutcome outcomeOf(int nobody) {
        return nobody == LOST ? ChunkOutcome.LOST : ChunkOutcome.NOT_FOUND;
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

    /** Returns all indexes from 0 to count − 1. */
    static int[] allIndexes(int count) {
        int[] indexes = new int[count];
        Arrays.setAll(indexes, i -> i);
        return indexes;
    }
}
