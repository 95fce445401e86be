package dev.granary.memory.paged;

import dev.granary.memory.ChunkAccess;
import dev.granary.memory.page.BatchSteps;
import dev.granary.memory.page.Space;
import java.lang.foreign.MemorySegment;

/** Changes and deletes many chunks, one after the other, when their bytes have been asked for by {@link BatchSteps}. */
final class BatchChanges {

    private final Space space;
    private final Changes changes;
    private final Removal removal;

    BatchChanges(Space space, Changes changes, Removal removal) {
        this.space = space;
        this.changes = changes;
        this.removal = removal;
    }

    /** See {@link ChunkAccess#replace(long[], int, int, MemorySegment, long, int[], boolean[])}. */
    int replace(long[] cids, int from, int to, MemorySegment source, long offset, int[] sizes, boolean[] replaced) {
        BatchSteps steps = new BatchSteps(space);
        long at = offset;
        int count = 0;
        for (int i = from; i < to; i++) {
            long page = prepared(steps, cids, i, from, to);
            replaced[i] = page != 0 && changes.replace(page, cids[i], source, at, sizes[i]);
            count += replaced[i] ? 1 : 0;
            at += sizes[i];
        }
        return count;
    }

    /** See {@link ChunkAccess#delete(long[], int, int, boolean[])}. */
    int delete(long[] cids, int from, int to, boolean[] deleted) {
        BatchSteps steps = new BatchSteps(space);
        int count = 0;
        for (int i = from; i < to; i++) {
            deleted[i] = removal.delete(prepared(steps, cids, i, from, to), cids[i]);
            count += deleted[i] ? 1 : 0;
        }
        return count;
    }

    /** The page of the next chunk; at the first of each group, everything that the group needs is asked for. */
    private static long prepared(BatchSteps steps, long[] cids, int index, int from, int to) {
        int inGroup = (index - from) % BatchSteps.GROUP;
        if (inGroup == 0) {
            int count = Math.min(BatchSteps.GROUP, to - index);
            steps.findPages(cids, index, count);
            if (steps.locate(cids, index, count) && steps.touch(count) == Long.MIN_VALUE) {
                // Practically never: it keeps the compiler from dropping the loops.
                Thread.onSpinWait();
            }
        }
        return steps.pages[inGroup];
    }
}
