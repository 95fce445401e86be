package dev.granary.client;

import dev.granary.overlay.Cid;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One read of chunks and of what they refer to, breadth first: each step is one batch, which goes to all owners at
 * once. One step runs at a time, so that this needs no lock; the futures between them order memory.
 *
 * @param <T> the type of contents
 */
final class ReachableChunks<T> {

    private final Function<long[], CompletableFuture<List<@Nullable T>>> read;
    private final Function<? super T, long[]> references;
    private final Reach reach;

    private final Map<Long, T> found = new LinkedHashMap<>();

    /** The chunks that were asked for, also those that do not exist. */
    private final Set<Long> asked = new HashSet<>();

    ReachableChunks(
            Function<long[], CompletableFuture<List<@Nullable T>>> read,
            Function<? super T, long[]> references,
            Reach reach) {
        this.read = read;
        this.references = references;
        this.reach = reach;
    }

    /** Reads; the future fails as the reads do, or with what the function of references throws. */
    CompletableFuture<Map<Long, T>> from(long[] roots) {
        List<Long> first = new ArrayList<>();
        add(first, roots);
        return step(first, 0);
    }

    /** Adds those that nobody has asked for yet. */
    private void add(List<Long> next, long[] cids) {
        for (long cid : cids) {
            if (cid != Cid.NONE && asked.add(cid)) {
                next.add(cid);
            }
        }
    }

    private CompletableFuture<Map<Long, T>> step(List<Long> cids, int step) {
        if (asked.size() > reach.mostChunks()) {
            return CompletableFuture.failedFuture(new InvalidRequestException("the roots and what they refer to in "
                    + step + " steps are " + asked.size() + " chunks or more, but at most " + reach.mostChunks()
                    + " may be read: follow fewer steps or allow more chunks"));
        }
        if (cids.isEmpty()) {
            return CompletableFuture.completedFuture(Collections.unmodifiableMap(found));
        }
        return read.apply(cids.stream().mapToLong(Long::longValue).toArray()).thenCompose(contents -> {
            List<Long> next = new ArrayList<>();
            for (int i = 0; i < cids.size(); i++) {
                T content = contents.get(i);
                if (content != null) {
                    found.put(cids.get(i), content);
                    if (step < reach.steps() && asked.size() <= reach.mostChunks()) {
                        add(next, references.apply(content));
                    }
                }
            }
            return step(next, step + 1);
        });
    }
}
