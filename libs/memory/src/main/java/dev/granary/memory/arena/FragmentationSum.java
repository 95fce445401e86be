package dev.granary.memory.arena;

import dev.granary.memory.FragmentationStatistics;
import java.util.ArrayList;
import java.util.List;

/** Adds up the figures of arenas, one after the other, each under its lock. */
public final class FragmentationSum {

    private final Extents extents;
    private final FreeCounts counts = new FreeCounts();
    private long used;
    private long evacuating;
    private long whollyFree;
    private long whollyFreeBytes;
    private long smallBlocks;

    public FragmentationSum(Extents extents) {
        this.extents = extents;
    }

    /** Under the arena's lock. */
    public void add(BlockArena arena) {
        arena.freeCounts().addTo(counts);
        Segments segments = extents.segments();
        for (int i = extents.next(0, arena.id()); i != Extents.NONE; i = extents.next(i + 1, arena.id())) {
            used++;
            smallBlocks += segments.smallFreeBlocks(i);
            evacuating += segments.isEvacuating(i) ? 1 : 0;
            if (arena.isWhollyFree(i)) {
                whollyFree++;
                whollyFreeBytes += segments.freeBytes(i);
            }
        }
    }

    public FragmentationStatistics result() {
        List<FragmentationStatistics.FreeClass> classes = new ArrayList<>();
        long blocks = 0;
        long bytes = 0;
        for (int i = 0; i < FreeCounts.CLASSES; i++) {
            blocks += counts.blocks(i);
            bytes += counts.bytes(i);
            if (counts.blocks(i) > 0) {
                classes.add(new FragmentationStatistics.FreeClass(
                        FreeCounts.minBytes(i), counts.blocks(i), counts.bytes(i)));
            }
        }
        return new FragmentationStatistics(
                extents.extentBytes(),
                extents.freeExtents(),
                used,
                evacuating,
                whollyFree,
                whollyFreeBytes,
                blocks,
                smallBlocks,
                bytes,
                classes);
    }
}
