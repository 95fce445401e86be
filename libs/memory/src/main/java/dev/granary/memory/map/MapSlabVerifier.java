package dev.granary.memory.map;

import java.util.function.Consumer;

/** Checks the invariants of {@link MapSlabs}. */
final class MapSlabVerifier {

    private static final int NONE = MapSlabTable.NONE;

    private final MapSlabs slabs;
    private final MapSlabTable table;
    private final int[] liveInSlab;
    private final Consumer<String> complain;
    private final boolean[] listed;
    private long freeBlocks;

    /** @param liveInSlab how many blocks somebody has in each slab */
    MapSlabVerifier(MapSlabs slabs, int[] liveInSlab, Consumer<String> complain) {
        this.slabs = slabs;
        this.table = slabs.table();
        this.liveInSlab = liveInSlab;
        this.complain = complain;
        this.listed = new boolean[liveInSlab.length];
    }

    /** Returns how many free blocks there are. */
    long verify() {
        for (int i = 0; i < MapBlockSizes.COUNT; i++) {
            list(slabs.sizeClass(i), i);
        }
        long[] live = new long[MapBlockSizes.COUNT];
        long[] room = new long[MapBlockSizes.COUNT];
        int free = slabs.count() - liveInSlab.length;
        for (int slab = 0; slab < liveInSlab.length; slab++) {
            int sizeClass = table.sizeClass(slab);
            if (sizeClass == NONE) {
                free++;
                check(liveInSlab[slab] == 0, "slab " + slab + " is free, but somebody has blocks of it");
                continue;
            }
            slab(slab, slabs.sizeClass(sizeClass));
            live[sizeClass] += table.live(slab);
            room[sizeClass] += slabs.sizeClass(sizeClass).perSlab() - table.live(slab);
        }
        for (int i = 0; i < MapBlockSizes.COUNT; i++) {
            MapSlabClass each = slabs.sizeClass(i);
            check(live[i] == each.live(), "class " + i + " has " + live[i] + " blocks, counted were " + each.live());
            check(room[i] == each.room(), "class " + i + " has room " + room[i] + ", counted was " + each.room());
        }
        long taken = slabs.liveBytes();
        check(taken == slabs.takenBytes(), "blocks take " + taken + " B, counted were " + slabs.takenBytes());
        check(free == slabs.freeSlabs(), free + " slabs are free, counted were " + slabs.freeSlabs());
        return freeBlocks;
    }

    private void list(MapSlabClass each, int sizeClass) {
        int before = NONE;
        for (int slab = each.first(); slab != NONE; slab = table.next(slab)) {
            if (slab >= listed.length || listed[slab]) {
                complain.accept("the list of class " + sizeClass + " is broken");
                return;
            }
            listed[slab] = true;
            check(table.previous(slab) == before, "slab " + slab + " does not know the one before it");
            check(table.sizeClass(slab) == sizeClass, "slab " + slab + " is in the list of class " + sizeClass);
            before = slab;
        }
    }

    private void slab(int slab, MapSlabClass each) {
        int live = table.live(slab);
        check(live == liveInSlab[slab], "slab " + slab + " counts " + live + " blocks, used are " + liveInSlab[slab]);
        check(live > 0, "slab " + slab + " has no blocks, but is not free");
        boolean shouldBeListed = live < each.perSlab() && each.draining() != slab;
        check(listed[slab] == shouldBeListed, "slab " + slab + " is in its class' list, or not, wrongly");
        long start = slabs.address(slab);
        int found = 0;
        long block = table.firstFree(slab);
        while (block != 0 && found <= each.perSlab()) {
            long offset = block - start;
            boolean inside = offset >= 0 && offset < (long) table.cut(slab) * each.blockBytes();
            if (!inside || offset % each.blockBytes() != 0) {
                complain.accept("slab " + slab + " has a free block where none is");
                return;
            }
            found++;
            block = slabs.memory().word(block) >>> 8;
        }
        freeBlocks += found;
        check(found + live == table.cut(slab), "slab " + slab + " has lost blocks");
    }

    private void check(boolean holds, String violation) {
        if (!holds) {
            complain.accept(violation);
        }
    }
}
