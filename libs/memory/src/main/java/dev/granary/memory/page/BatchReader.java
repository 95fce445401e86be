package dev.granary.memory.page;

import dev.granary.memory.ChunkAccess;
import dev.granary.memory.lock.Latch;
import dev.granary.memory.os.Vmb;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/** Copies many chunks out, by {@link BatchSteps}; a few of them one by one, which allocates nothing. */
public final class BatchReader {

    /** From so many chunks on it pays to do each step for all of them. */
    static final int FEWEST_IN_STEPS = 4;

    private final Space space;
    private final Vmb vmb;
    private final Reader reader;

    public BatchReader(Space space, Reader reader) {
        this.space = space;
        this.vmb = space.vmb;
        this.reader = reader;
    }

    /** See {@link ChunkAccess#get(long[], int, int, MemorySegment, long, long, int[])}. */
    public int get(long[] cids, int from, int to, MemorySegment target, long offset, long capacityBytes, int[] sizes) {
        if (to - from < FEWEST_IN_STEPS) {
            return getFew(cids, from, to, target, offset, capacityBytes, sizes);
        }
        BatchSteps steps = new BatchSteps(space);
        long written = 0;
        for (int first = from; first < to; first += BatchSteps.GROUP) {
            int count = Math.min(BatchSteps.GROUP, to - first);
            long copied = -1;
            steps.findPages(cids, first, count);
            if (steps.locate(cids, first, count) && steps.touch(count) != Long.MIN_VALUE) {
                copied = copy(steps, count, target, offset + written, capacityBytes - written);
            }
            if (copied >= 0) {
                System.arraycopy(steps.sizes, 0, sizes, first, count);
                written += copied;
                continue;
            }
            for (int i = first; i < first + count; i++) {
                int size = reader.read(
                        steps.pages[i - first], Page.slot(cids[i]), target, offset + written, capacityBytes - written);
                if (size == Reader.DOES_NOT_FIT) {
                    return i;
                }
                sizes[i] = size;
                written += Math.max(size, 0);
            }
        }
        return to;
    }

    private int getFew(
            long[] cids, int from, int to, MemorySegment target, long offset, long capacityBytes, int[] sizes) {
        long written = 0;
        for (int i = from; i < to; i++) {
            int size = reader.read(
                    space.pageOf(cids[i]), Page.slot(cids[i]), target, offset + written, capacityBytes - written);
            if (size == Reader.DOES_NOT_FIT) {
                return i;
            }
            sizes[i] = size;
            written += Math.max(size, 0);
        }
        return to;
    }

    /** Returns the bytes written, or -1 if there is not room for all, or something was changed meanwhile. */
    private long copy(BatchSteps steps, int count, MemorySegment target, long offset, long capacityBytes) {
        long written = 0;
        for (int i = 0; i < count; i++) {
            int size = steps.sizes[i];
            if (size > capacityBytes - written) {
                return -1;
            }
            if (size > 0) {
                vmb.copyOut(steps.addresses[i], target, offset + written, size);
                written += size;
            }
        }
        VarHandle.acquireFence();
        boolean unchanged = true;
        for (int i = 0; i < count; i++) {
            long page = steps.pages[i];
            unchanged &= page == 0 || Latch.isUnchanged(vmb, page + Page.LATCH, steps.latches[i]);
        }
        return unchanged ? written : -1;
    }
}
