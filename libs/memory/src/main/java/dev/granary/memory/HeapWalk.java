package dev.granary.memory;

/** Walks the regions and free lists of one arena, block by block, and checks the invariants of {@link BlockArena}. */
final class HeapWalk {

    private final Vmb vmb;
    private final BlockArena arena;
    private final Findings findings;
    private final LongList tracked = new LongList();
    private long allocatedBytes;

    HeapWalk(Vmb vmb, BlockArena arena, Findings findings) {
        this.vmb = vmb;
        this.arena = arena;
        this.findings = findings;
    }

    /** After the tables were walked: the size of an allocated block is in its entry. */
    void walk() {
        for (BlockArena.Region region : arena.regions()) {
            walk(region);
        }
        if (allocatedBytes != arena.allocatedBytes()) {
            findings.violation(
                    "allocated are %d B, counted are %d B".formatted(allocatedBytes, arena.allocatedBytes()));
        }
        tracked.sort();
        long inLists = 0;
        for (int list = 0; list < FreeLists.COUNT; list++) {
            inLists += walkList(list);
        }
        if (inLists != tracked.size()) {
            findings.violation("%d free blocks are in lists, %d should be".formatted(inLists, tracked.size()));
        }
    }

    private void walk(BlockArena.Region region) {
        long marker = region.start();
        int left = Marker.EDGE;
        while (true) {
            int value = vmb.getByte(marker);
            if (Marker.left(value) != left) {
                findings.violation(
                        "marker 0x%x says %d of its left, which is %d".formatted(marker, Marker.left(value), left));
                return;
            }
            int kind = Marker.right(value);
            long block = marker + 1;
            if (kind == Marker.EDGE) {
                if (block != region.end()) {
                    findings.violation("region ends at 0x%x, not at 0x%x".formatted(block, region.end()));
                }
                return;
            }
            if (Marker.isFree(kind) && Marker.isFree(left)) {
                findings.violation("two free blocks are neighbours at 0x%x".formatted(marker));
            }
            long size = Marker.isFree(kind) ? checkFree(block, kind) : checkAllocated(block, kind);
            if (size < 0 || size > region.end() - 1 - block) {
                findings.violation("block 0x%x of kind %d: the walk ends here".formatted(block, kind));
                return;
            }
            marker = block + size;
            left = kind;
        }
    }

    /** Returns the size, or -1 if it cannot be told. */
    private long checkAllocated(long block, int kind) {
        findings.blocks++;
        long size;
        if (kind == Marker.TABLE) {
            size = CidTable.TABLE_BLOCK_BYTES;
            if (!findings.tableAddresses.contains(CidTable.align(block))) {
                findings.violation("table block 0x%x: the tree does not reach it".formatted(block));
            }
        } else {
            long entry = findings.entryOf(block);
            if (!Marker.isChunk(kind) || entry == 0) {
                findings.violation("block 0x%x of kind %d belongs to no chunk".formatted(block, kind));
                return -1;
            }
            int payload = Chunks.size(vmb, entry);
            if (kind != Marker.chunk(payload)) {
                findings.violation("block 0x%x has kind %d, its chunk %d B".formatted(block, kind, payload));
            }
            findings.payloadBytes += payload;
            size = BlockArena.blockBytes(payload);
        }
        allocatedBytes += size + 1;
        return size;
    }

    private long checkFree(long block, int kind) {
        findings.freeBlocks++;
        long size = arena.freeSizeAtFront(block, kind);
        if (Marker.free(size) != kind) {
            findings.violation("free block 0x%x of %d B has kind %d".formatted(block, size, kind));
            return -1;
        }
        if (arena.freeSizeAtEnd(block + size, kind) != size) {
            findings.violation("free block 0x%x has two sizes".formatted(block));
        }
        if (Marker.isTracked(kind)) {
            tracked.add(block);
        }
        return size;
    }

    private long walkList(int list) {
        FreeLists lists = arena.lists();
        long count = 0;
        long previous = 0;
        for (long block = lists.first(list); block != 0; block = lists.next(block)) {
            count++;
            if (count > tracked.size() || !tracked.contains(block)) {
                findings.violation("list %d has 0x%x, which is no free block".formatted(list, block));
                return count;
            }
            if (FreeLists.listOf(lists.sizeBytes(block)) != list) {
                findings.violation("list %d has 0x%x of %d B".formatted(list, block, lists.sizeBytes(block)));
            }
            if (lists.previous(block) != previous) {
                findings.violation("list %d: 0x%x does not point back to 0x%x".formatted(list, block, previous));
            }
            previous = block;
        }
        if (count > 0 != lists.isFilled(list)) {
            findings.violation("list %d has %d blocks, its bit says otherwise".formatted(list, count));
        }
        return count;
    }
}
