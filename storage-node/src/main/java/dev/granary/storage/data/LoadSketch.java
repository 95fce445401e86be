package dev.granary.storage.data;

import dev.granary.net.message.LeaseMessages.ReportLoad.HotChunk;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * How often chunks are used, and which are used most: one use in {@value #SAMPLED} is looked at, and falls into one of
 * {@value #SLOTS} slots by its CID, where the CID that comes most often prevails (the majority vote of Boyer and Moore,
 * slot by slot). Halved at intervals, so that it follows what happens now. Thread-safe; counts may be off by what
 * threads do at the same moment.
 */
final class LoadSketch {

    static final int SAMPLED = 16;
    static final int SLOTS = 1024;

    private final LongAdder uses = new LongAdder();
    private final AtomicLongArray cids = new AtomicLongArray(SLOTS);
    private final AtomicLongArray counts = new AtomicLongArray(SLOTS);

    /** Chunks are used. */
    void note(long[] used, int count, Scratch scratch) {
        uses.add(count);
        scratch.untilSample -= count;
        if (scratch.untilSample <= 0 && count > 0) {
            // Anywhere in a batch, as it happens to come.
            sample(used[Math.floorMod(scratch.untilSample, count)]);
            scratch.untilSample = SAMPLED;
        }
    }

    private void sample(long cid) {
        int slot = (int) ((cid * 0x9E3779B97F4A7C15L) >>> 54);
        if (cids.get(slot) == cid) {
            counts.incrementAndGet(slot);
        } else if (counts.get(slot) <= 0) {
            cids.set(slot, cid);
            counts.set(slot, 1);
        } else {
            counts.decrementAndGet(slot);
        }
    }

    /** The uses since the last halving, of which {@link #halve} leaves a half. */
    long uses() {
        return uses.sum();
    }

    /** The chunks that are used most, the busiest first. */
    List<HotChunk> hottest(int most, double perSecond) {
        List<HotChunk> hot = new ArrayList<>();
        for (int slot = 0; slot < SLOTS; slot++) {
            long count = counts.get(slot);
            if (count > 1) {
                hot.add(new HotChunk(cids.get(slot), (long) (count * SAMPLED * perSecond)));
            }
        }
        hot.sort(Comparator.comparingLong(HotChunk::perSecond).reversed().thenComparingLong(HotChunk::cid));
        return hot.subList(0, Math.min(most, hot.size()));
    }

    /** Forgets half of what was seen. */
    void halve() {
        uses.add(-(uses.sum() / 2));
        for (int slot = 0; slot < SLOTS; slot++) {
            counts.addAndGet(slot, -(counts.get(slot) / 2));
        }
    }
}
