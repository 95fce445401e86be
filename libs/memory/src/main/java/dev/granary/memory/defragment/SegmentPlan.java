package dev.granary.memory.defragment;

import dev.granary.memory.MemoryLayout;
import dev.granary.memory.arena.Extents;
import dev.granary.memory.arena.Segments;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;

/**
 * Which segments are worth emptying (DXRAM section III-B), by what is free in them: free blocks, and slots without
 * chunks in typed pages that would be packed. Those that hold what cannot move (nodes of tables, pinned chunks) are
 * left out. Made before a round, from figures of segments that others change meanwhile:
 * a wrong choice costs time only. Looks at no page.
 */
final class SegmentPlan {

    /** What moved blocks take, by what they took: packed groups have headers. */
    private static final double COST_OF_MOVING = 1.05;

    /** Fewer small free blocks than these are no reason to empty a segment. */
    private static final int MIN_SMALL_BLOCKS = 16;

    private final Extents extents;
    private final Segments segments;
    private final MemoryLayout layout;
    private final int arenas;

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

    /**
     * A plan.
     *
     * @param arenas of chunks: the one behind them has nodes only
     */
    SegmentPlan(Extents extents, MemoryLayout layout, int arenas) {
        this.extents = extents;
        this.segments = extents.segments();
        this.layout = layout;
        this.arenas = arenas;
    }

    /** How much of the segments in use is free and could be put together, as a share. */
    double reclaimableShare() {
        long usedBytes = 0;
        long reclaimableBytes = 0;
        for (int i = 0; i < extents.count(); i++) {
            int arena = extents.arenaOf(i);
            if (arena != Extents.NONE && arena < arenas) {
                long size = extents.end(i) - extents.start(i);
                long free = segments.freeBytes(i);
                if (free < size - 2) {
                    usedBytes += size;
                    reclaimableBytes += free + segments.deadBytes(i);
                }
            }
        }
        return usedBytes == 0 ? 0 : (double) reclaimableBytes / usedBytes;
    }

    /**
     * Chooses segments, those that are cheapest to empty first, as far as there is room for what is in them, and as
     * they are worth it.
     *
     * @param skip segments that are not to be chosen
     */
    List<Choice> choose(Aim aim, BitSet skip) {
        List<Candidate> candidates = new ArrayList<>();
        long[] holes = new long[arenas];
        for (int i = 0; i < extents.count(); i++) {
            int arena = extents.arenaOf(i);
            if (arena != Extents.NONE && arena < arenas) {
                holes[arena] += segments.freeBytes(i);
                if (!segments.isFixed(i) && !skip.get(i)) {
                    addIfWorthIt(new Choice(i, arena), aim, candidates);
                }
            }
        }
        candidates.sort(Comparator.comparingLong(Candidate::liveBytes));
        List<Candidate> fitting = fitting(candidates, holes, aim.maxExtents());
        return aim.forGainOnly()
                ? worthwhile(fitting, holes)
                : fitting.stream().map(Candidate::choice).toList();
    }

    private void addIfWorthIt(Choice choice, Aim aim, List<Candidate> candidates) {
        int segment = choice.segment();
        long size = extents.end(segment) - extents.start(segment);
        long free = segments.freeBytes(segment);
        long dead = segments.deadBytes(segment);
        boolean fragmented = segments.smallFreeBlocks(segment) >= MIN_SMALL_BLOCKS
                && segments.fragmentation(segment) >= aim.minFragmentation();
        boolean wanted = fragmented || free + dead >= aim.minFreeShare() * size;
        if (wanted && free < size - 2) {
            int count = (int) ((size - 1) / extents.extentBytes()) + 1;
            candidates.add(new Candidate(choice, count, size - free - dead, free, fragmented));
        }
    }

    /** Takes what is chosen out of the holes of its arena. */
    private List<Candidate> fitting(List<Candidate> candidates, long[] holes, int maxExtents) {
        List<Candidate> chosen = new ArrayList<>();
        long freeExtentBytes = (long) extents.freeExtents() * extents.extentBytes();
        long allHoles = Arrays.stream(holes).sum();
        double moved = 0;
        int chosenExtents = 0;
        for (Candidate candidate : candidates) {
            allHoles -= candidate.freeBytes;
            moved += candidate.liveBytes * COST_OF_MOVING;
            if (chosenExtents >= maxExtents || moved > freeExtentBytes + usableHoles(allHoles)) {
                break;
            }
            chosen.add(candidate);
            chosenExtents += candidate.extents;
            holes[candidate.choice.arena()] -= candidate.freeBytes;
        }
        return chosen;
    }

    /**
     * How much of free blocks beside what is chosen counts as room: for single chunks half, the rest may be of the
     * wrong sizes; for pages and groups, which need large ones, only as much as is tried when there is nothing else.
     */
    private long usableHoles(long holes) {
        if (layout == MemoryLayout.CLASSIC) {
            return holes / 2;
        }
        return extents.freeExtents() == 0 ? holes / 4 : 0;
    }

    /**
     * Blocks stay in their arena. What an arena gives up only to fill as many new segments with it is left out, unless
     * it is fragmented: else a segment that is just being filled would be moved for ever.
     */
    private List<Choice> worthwhile(List<Candidate> fitting, long[] holes) {
        long[] emptied = new long[arenas];
        long[] liveBytes = new long[arenas];
        for (Candidate candidate : fitting) {
            emptied[candidate.choice.arena()] += candidate.extents;
            liveBytes[candidate.choice.arena()] += candidate.liveBytes;
        }
        List<Choice> chosen = new ArrayList<>();
        for (Candidate candidate : fitting) {
            int arena = candidate.choice.arena();
            long extentBytes = extents.extentBytes();
            long needed = Math.max(0, liveBytes[arena] - usableHoles(holes[arena]) + extentBytes - 1) / extentBytes;
            if (candidate.fragmented || emptied[arena] > needed) {
                chosen.add(candidate.choice);
            }
        }
        return chosen;
    }
}
