package dev.granary.memory.page;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.MemoryLayout;
import dev.granary.memory.ReservationException;
import dev.granary.memory.arena.BlockSource;
import dev.granary.memory.arena.EntryLayout;
import dev.granary.memory.arena.Extents;
import dev.granary.memory.arena.FreeLists;
import dev.granary.memory.arena.Marker;
import dev.granary.memory.os.Vmb;
import java.util.concurrent.atomic.AtomicLong;

/** What all parts of a chunk memory share. */
public final class Space {

    /** Address of the root word of the own page table. */
    public static final long ROOT = 0;

    /** Address of the word that leads to the page tables of other NIDs. */
    public static final long NIDS = 8;

    /** Address of the anchors of the stripes' free lists. */
    private static final long ANCHORS = 64;

    /** What the entries of a page take. */
    public static final int ENTRY_TABLE_BYTES = Page.SLOTS * EntryLayout.BYTES;

    public final int nid;
    public final MemoryLayout layout;
    public final Vmb vmb;
    public final Extents extents;
    public final SparsePages sparse;
    final NodeBlocks nodes;
    public final PageTable table;
    public final PageNumbers numbers;
    public final Locator locator;
    public final GroupEditor groups;
    public final GroupBlocks groupBlocks;
    public final NidTables nids;
    public final Pins pins = new Pins();

    /** What all meta blocks take. */
    public final AtomicLong metaBytes = new AtomicLong();

    private Space(ChunkMemoryConfig config, Vmb vmb, Extents extents, int stripeCount) {
        this.nid = config.nid();
        this.layout = config.layout();
        this.vmb = vmb;
        this.extents = extents;
        this.sparse = new SparsePages(vmb, extents);
        this.nodes = new NodeBlocks(vmb, extents, sparse, stripeCount, anchors(stripeCount));
        this.table = new PageTable(vmb, nodes, ROOT, false);
        this.nids = new NidTables(vmb, nodes, sparse, nid, table, NIDS);
        this.numbers = new PageNumbers(config.firstLid());
        this.locator = new Locator(vmb);
        this.groups = new GroupEditor(vmb);
        this.groupBlocks = new GroupBlocks(vmb, groups);
    }

    /**
     * Reserves a VMB and lays it out.
     *
     * @throws ReservationException if the operating system refuses
     */
    public static Space make(ChunkMemoryConfig config, int stripeCount) {
        Vmb vmb = new Vmb(config.capacityBytes(), config.system());
        return new Space(config, vmb, new Extents(vmb, headerBytes(stripeCount)), stripeCount);
    }

    /**
     * The same with extents of a given size.
     *
     * @throws ReservationException if the operating system refuses
     */
    public static Space make(ChunkMemoryConfig config, int stripeCount, long extentBytes) {
        Vmb vmb = new Vmb(config.capacityBytes(), config.system());
        return new Space(config, vmb, new Extents(vmb, headerBytes(stripeCount), extentBytes), stripeCount);
    }

    /** Returns the size of the VMB's header for a number of stripes. */
    public static long headerBytes(int stripeCount) {
        return anchors(stripeCount + 1);
    }

    /** Where the anchors of a stripe's free lists are; those behind the last stripe are for nodes. */
    public static long anchors(int stripe) {
        return ANCHORS + (long) stripe * FreeLists.ANCHOR_BYTES;
    }

    /** Makes a meta block of zeros. Returns its address, or 0 if there is no room. */
    public long makeMeta(BlockSource blocks, int sizeBytes) {
        long meta = blocks.allocate(sizeBytes, Meta.ALIGNMENT, Marker.OTHER);
        if (meta != 0) {
            vmb.zero(meta, sizeBytes);
            metaBytes.addAndGet(sizeBytes);
        }
        return meta;
    }

    public void freeMeta(BlockSource blocks, long meta, int sizeBytes) {
        blocks.free(meta, sizeBytes);
        metaBytes.addAndGet(-sizeBytes);
    }

    /** The directory entry of a chunk's page; 0 where there is none, or nobody knows its creator. */
    long pageOf(long cid) {
        PageTable pages = cid >>> 48 == nid ? table : nids.table((int) (cid >>> 48));
        return pages == null ? 0 : pages.find(cid & ChunkMemory.MAX_LID);
    }

    /** What the block of a typed page takes. */
    public static long typedBytes(int stride) {
        return (long) stride * Page.SLOTS;
    }

    /** The alignment that keeps slots from lying across cache lines where their size allows it. */
    public static int alignment(int stride) {
        return Math.min(64, Integer.lowestOneBit(stride));
    }
}
