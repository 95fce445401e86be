package dev.granary.memory.defragment;

import dev.granary.memory.MemoryLayout;
import dev.granary.memory.arena.Extents;
import dev.granary.memory.arena.Segments;
import dev.granary.memory.os.Vmb;
import dev.granary.memory.page.Page;
import dev.granary.memory.page.Pins;
import dev.granary.memory.page.Space;
import dev.granary.memory.page.Stripes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;

/**
 * Which segments are worth emptying (DXRAM section III-B), by what is free in them: free blocks, and slots without
 * chunks in typed pages that would be packed. Those that hold what cannot move (nodes of tables, pinned chunks) are left
 * out. Made before a round, from figures that others change meanwhile: a wrong choice costs time only.
 */
final class SegmentPlan {

    /** What moved blocks take, by what they took: packed groups have headers. */
    private static final double COST_OF_MOVING = 1.05;

    /** Fewer small free blocks than these are no reason to empty a segment. */
    private static final int MIN_SMALL_BLOCKS = 16;

    private final Space space;
    private final Stripes stripes;
    private final long[] deadBytes;
    private final BitSet fixed = new BitSet();
    private long usedBytes;
    private long reclaimableBytes;

    /** A segment to be emptied, and whose it is. */
    record Choice(int segment, int arena) {}

    /**
     * What a choice is to achieve.
     *
     * @param minFreeShare of a segment, from which on it is emptied
     * @param minFragmentation small free blocks by free blocks, from which on it is emptied in any case
     * @param maxExtents how many extents to empty at most
     * @param forGainOnly whether to leave out what would not give extents back
     */
    record Aim(double minFreeShare, double minFragmentation, int maxExtents, boolean forGainOnly) {}

    /** A segment that could be emptied. */
    private record Candidate(Choice choice, int extents, long liveBytes, long freeBytes, boolean fragmented) {}

    SegmentPlan(Space space, Stripes stripes) {
        this.space = space;
        this.stripes = stripes;
        this.deadBytes = new long[space.extents.count()];
        space.nids.forEach((nid, table) -> {
            table.forEachNode((node, size) -> fix(node));
            table.forEachPage(this::look);
        });
        space.nids.forEachBlock(this::fix);
        addUp();
    }

    /** How much of the segments in use is free and could be put together, as a share. */
    double reclaimableShare() {
        return usedBytes == 0 ? 0 : (double) reclaimableBytes / usedBytes;
    }

    /**
     * Chooses segments, those that are cheapest to empty first, as far as there is room for what is in them, and as
     * they are worth it.
     *
     * @param skip segments that are not to be chosen
     */
    List<Choice> choose(Aim aim, BitSet skip) {
        Extents extents = space.extents;
        Segments segments = extents.segments();
        List<Candidate> candidates = new ArrayList<>();
        long[] holes = new long[stripes.count()];
        for (int arena = 0; arena < stripes.count(); arena++) {
            for (int i = extents.next(0, arena); i != Extents.NONE; i = extents.next(i + 1, arena)) {
                long size = extents.end(i) - extents.start(i);
                long free = segments.freeBytes(i);
                holes[arena] += free;
                boolean fragmented = segments.smallFreeBlocks(i) >= MIN_SMALL_BLOCKS
                        && segments.fragmentation(i) >= aim.minFragmentation();
                boolean wanted = fragmented || free + deadBytes[i] >= aim.minFreeShare() * size;
                if (wanted && free < size - 2 && !fixed.get(i) && !skip.get(i)) {
                    int count = (int) ((size - 1) / extents.extentBytes()) + 1;
                    candidates.add(
                            new Candidate(new Choice(i, arena), count, size - free - deadBytes[i], free, fragmented));
                }
            }
        }
        candidates.sort(Comparator.comparingLong(Candidate::liveBytes));
        List<Candidate> fitting = fitting(candidates, holes, aim.maxExtents());
        return aim.forGainOnly()
                ? worthwhile(fitting, holes)
                : fitting.stream().map(Candidate::choice).toList();
    }

    /** Takes what is chosen out of the holes of its arena. */
    private List<Candidate> fitting(List<Candidate> candidates, long[] holes, int maxExtents) {
        List<Candidate> chosen = new ArrayList<>();
        long freeExtentBytes = (long) space.extents.freeExtents() * space.extents.extentBytes();
        long allHoles = Arrays.stream(holes).sum();
        double moved = 0;
        int extents = 0;
        for (Candidate candidate : candidates) {
            allHoles -= candidate.freeBytes;
            moved += candidate.liveBytes * COST_OF_MOVING;
            if (extents >= maxExtents || moved > freeExtentBytes + usableHoles(allHoles)) {
                break;
            }
            chosen.add(candidate);
            extents += candidate.extents;
            holes[candidate.choice.arena()] -= candidate.freeBytes;
        }
        return chosen;
    }

    /**
     * How much of free blocks beside what is chosen counts as room: for single chunks half, the rest may be of the wrong
     * sizes; for pages and groups, which need large ones, only as much as is tried when there is nothing else.
     */
    private long usableHoles(long holes) {
        if (space.layout == MemoryLayout.CLASSIC) {
            return holes / 2;
        }
        return space.extents.freeExtents() == 0 ? holes / 4 : 0;
    }

    /**
     * Blocks stay in their arena. What an arena gives up only to fill as many new segments with it is left out, unless
     * it is fragmented: else a segment that is just being filled would be moved for ever.
     */
    private List<Choice> worthwhile(List<Candidate> fitting, long[] holes) {
        long[] extents = new long[stripes.count()];
        long[] liveBytes = new long[stripes.count()];
        for (Candidate candidate : fitting) {
            extents[candidate.choice.arena()] += candidate.extents;
            liveBytes[candidate.choice.arena()] += candidate.liveBytes;
        }
        List<Choice> chosen = new ArrayList<>();
        for (Candidate candidate : fitting) {
            int arena = candidate.choice.arena();
            long extentBytes = space.extents.extentBytes();
            long needed = Math.max(0, liveBytes[arena] - usableHoles(holes[arena]) + extentBytes - 1) / extentBytes;
            if (candidate.fragmented || extents[arena] > needed) {
                chosen.add(candidate.choice);
            }
        }
        return chosen;
    }

    private void look(long page) {
        Vmb vmb = space.vmb;
        long form = vmb.getAcquire(page);
        boolean pinned = Pins.anyIn(vmb, page);
        if (Page.kind(form) == Page.TYPED) {
            long state = vmb.getAcquire(page + Page.STATE);
            int segment = space.extents.segmentOf(Page.base(form));
            if (pinned) {
                fixed.set(segment);
            } else if (Relocator.isSparse(form, state)) {
                deadBytes[segment] += (long) (Page.SLOTS - Page.live(state)) * Page.stride(form);
            }
        }
    }

    private void fix(long address) {
        fixed.set(space.extents.segmentOf(address));
    }

    private void addUp() {
        Extents extents = space.extents;
        for (int arena = 0; arena < stripes.count(); arena++) {
            for (int i = extents.next(0, arena); i != Extents.NONE; i = extents.next(i + 1, arena)) {
                long size = extents.end(i) - extents.start(i);
                long free = extents.segments().freeBytes(i);
                if (free < size - 2) {
                    usedBytes += size;
                    reclaimableBytes += free + deadBytes[i];
                }
            }
        }
    }
}
