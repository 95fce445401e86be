package dev.granary.memory.dump;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.InvalidDumpException;
import dev.granary.memory.MemoryLayout;
import dev.granary.memory.arena.BlockArena;
import dev.granary.memory.arena.Chunks;
import dev.granary.memory.arena.EntryLayout;
import dev.granary.memory.arena.Extents;
import dev.granary.memory.arena.FreeCounts;
import dev.granary.memory.arena.FreeLists;
import dev.granary.memory.arena.Marker;
import dev.granary.memory.arena.Segments;
import dev.granary.memory.os.Vmb;
import dev.granary.memory.page.Group;
import dev.granary.memory.page.Meta;
import dev.granary.memory.page.NidTables;
import dev.granary.memory.page.PackedFiller;
import dev.granary.memory.page.Page;
import dev.granary.memory.page.PageTable;
import dev.granary.memory.page.Space;
import dev.granary.memory.page.TypedFiller;
import java.util.HashSet;
import java.util.Set;

/**
 * Looks at what lies in the segments of a dump before anything is done with it: checksums say that it is as it was
 * written, not that a chunk memory has written it (ADR 0215). Each block that is led to lies inside one segment, each
 * walk ends, and the counts that are walked by are true. That two blocks do not overlap is the verifier's to say.
 */
public final class DumpCheck {

    private static final int ROOT_BITS = 47;
    private static final int LEVELS_SHIFT = 44;

    private final Space space;
    private final Vmb vmb;
    private final Extents extents;
    private final Segments segments;
    private final int stripeCount;
    private final long[] listedBytes;

    /** Nodes that were met: each belongs to one place. */
    private final Set<Long> nodes = new HashSet<>();

    public DumpCheck(Space space, int stripeCount) {
        this.space = space;
        this.vmb = space.vmb;
        this.extents = space.extents;
        this.segments = space.extents.segments();
        this.stripeCount = stripeCount;
        this.listedBytes = new long[extents.count()];
    }

    /** Checks the figures of a segment that has been taken. */
    public void segment(int segment) {
        long size = extents.end(segment) - extents.start(segment);
        require(
                size >= 2
                        && segments.freeBlocks(segment) >= 0
                        && segments.smallFreeBlocks(segment) >= 0
                        && segments.smallFreeBlocks(segment) <= segments.freeBlocks(segment)
                        && segments.tailBytes(segment) >= 0
                        && segments.tailBytes(segment) <= Segments.SMALL_BYTES
                        && segments.freeBytes(segment) >= 0
                        && segments.freeBytes(segment) <= size - 2,
                "segment %d has impossible figures",
                segment);
    }

    /**
     * Checks the free lists of an arena, and that its counts are those of the blocks in them. Each block leads back to
     * the one that led to it, so none is met twice.
     */
    public void freeLists(BlockArena arena) {
        FreeCounts found = new FreeCounts();
        FreeLists lists = arena.lists();
        for (int list = 0; list <= FreeLists.PARKED; list++) {
            long previous = 0;
            for (long block = lists.first(list); block != 0; block = lists.next(block)) {
                long size = freeBlock(arena, list, block, previous);
                found.add(size);
                listedBytes[extents.segmentOf(block)] += size;
                previous = block;
            }
        }
        for (int i = 0; i < FreeCounts.CLASSES; i++) {
            boolean listed = FreeCounts.minBytes(i) >= Marker.MIN_TRACKED_BYTES;
            long blocks = arena.freeCounts().blocks(i);
            long bytes = arena.freeCounts().bytes(i);
            require(
                    listed ? blocks == found.blocks(i) && bytes == found.bytes(i) : blocks >= 0 && bytes >= 0,
                    "arena %d does not have the free blocks that it should",
                    arena.id());
        }
    }

    private long freeBlock(BlockArena arena, int list, long block, long previous) {
        requireBlock(block, Marker.MIN_TRACKED_BYTES, "a free block");
        int kind = Marker.right(vmb.getByte(block - 1));
        if (Marker.isTracked(kind) && extents.owner(block) == arena.id()) {
            requireBlock(block, FreeLists.fieldBytes(kind), "a free block");
            long size = arena.lists().sizeBytes(block);
            requireBlock(block, size, "a free block");
            if (arena.lists().previous(block) == previous
                    && Marker.free(size) == kind
                    && (list == FreeLists.PARKED || FreeLists.listOf(size) == list)) {
                return size;
            }
        }
        throw damaged("free list %d of arena %d leads to %x", list, arena.id(), block);
    }

    /** Checks that segments have the free blocks that were found in lists. */
    public void segments() {
        for (int i = 0; i < extents.count(); i++) {
            long free = segments.freeBytes(i);
            boolean whole = extents.arenaOf(i) != Extents.NONE && free == extents.end(i) - extents.start(i) - 2;
            require(
                    whole ? listedBytes[i] == free : listedBytes[i] <= free,
                    "segment %d does not have the free blocks that it should",
                    i);
        }
    }

    /** Checks the tables of all NIDs, down to the directory entries. */
    void tables() {
        root(vmb.getAcquire(Space.ROOT), false);
        long upper = vmb.getAcquire(Space.NIDS);
        for (long i = 0; upper != 0 && i < NidTables.FANOUT; i++) {
            requireNew(i == 0 ? upper : 0, NidTables.BLOCK_BYTES, Meta.ALIGNMENT);
            long lower = vmb.getAcquire(upper + 8 * i);
            for (long k = 0; lower != 0 && k < NidTables.FANOUT; k++) {
                requireNew(k == 0 ? lower : 0, NidTables.BLOCK_BYTES, Meta.ALIGNMENT);
                long word = vmb.getAcquire(lower + 8 * k);
                require(word == 0 || (i << 8 | k) != space.nid, "the own NID has two tables");
                root(word, true);
            }
        }
    }

    private void root(long word, boolean foreign) {
        int levels = (int) (word >>> LEVELS_SHIFT);
        require(
                word >>> ROOT_BITS == 0
                        && levels <= PageTable.mostLevels(foreign)
                        && (word == 0 || EntryLayout.address(word) == (word & ((1L << LEVELS_SHIFT) - 1))),
                "a root word is %x",
                word);
        if (word != 0) {
            node(EntryLayout.address(word), levels, 0, foreign);
        }
    }

    private void node(long node, int level, long index, boolean foreign) {
        requireNew(node, PageTable.nodeBytes(foreign, level), PageTable.ALIGNMENT);
        if (level == 0) {
            for (int i = 0; i < PageTable.LEAF_PAGES; i++) {
                long number = Page.number(vmb.getAcquire(node + (long) i * Page.BYTES + Page.NUMBER));
                require(
                        number == index * PageTable.LEAF_PAGES + i && number <= ChunkMemory.MAX_LID >>> Page.SLOT_BITS,
                        "page %d is in the place of another",
                        number);
            }
            return;
        }
        int words = PageTable.words(foreign, level);
        for (long i = 0; i < words; i++) {
            long below = vmb.getAcquire(node + 8 * i);
            if (below != 0) {
                node(below, level - 1, index * words + i, foreign);
            }
        }
    }

    /** Checks the directory entry of a page, and everything that it leads to. */
    void page(long form, long state, long number) {
        int kind = Page.kind(form);
        boolean entries = space.layout == MemoryLayout.CLASSIC;
        require(
                kind == Page.NONE
                        ? form == 0 && state == 0
                        : entries ? kind == Page.ENTRIES : kind == Page.TYPED || kind == Page.PACKED,
                "page %d has the form %x",
                number,
                form);
        require(Page.owner(state) < stripeCount, "page %d is owned by stripe %d", number, Page.owner(state));
        switch (kind) {
            case Page.ENTRIES -> entries(form, state, number);
            case Page.TYPED -> typed(form, state, number);
            case Page.PACKED -> packed(form, state, number);
            default -> {
                // Nothing is there.
            }
        }
    }

    private void entries(long form, long state, long number) {
        requireNode(Page.base(form), Space.ENTRY_TABLE_BYTES, EntryLayout.BYTES);
        int live = 0;
        for (int i = 0; i < Page.SLOTS; i++) {
            long entry = vmb.getAcquire(Page.base(form) + (long) i * EntryLayout.BYTES);
            if (entry != EntryLayout.NO_CHUNK) {
                entry(entry, number);
                live++;
            }
        }
        requireLive(live, state, number);
    }

    private void typed(long form, long state, long number) {
        int stride = Page.stride(form);
        boolean forwards = (form & Page.HAS_FORWARDS) != 0;
        require(
                stride >= TypedFiller.MIN_STRIDE
                        && stride <= TypedFiller.MAX_STRIDE
                        && (!forwards || (state & Page.EXTENDED) != 0),
                "page %d has the form %x",
                number,
                form);
        requireBlock(Page.base(form), Space.typedBytes(stride), "a typed page");
        int live = meta(form, state, number);
        require(
                (form & Page.ALL_LIVE) == 0 || (live == Page.SLOTS && !forwards),
                "page %d says that it is full and has %d chunks",
                number,
                live);
        for (int i = 0; forwards && i < Page.SLOTS; i++) {
            if (Meta.isSet(vmb, Page.meta(state) + Meta.FORWARDS, i)) {
                require(Meta.isSet(vmb, Page.meta(state), i), "page %d forwards what is not there", number);
                entry(vmb.getLong(Page.base(form) + (long) i * stride), number);
            }
        }
    }

    private void packed(long form, long state, long number) {
        require(
                Page.base(form) == Page.meta(state) && Page.stride(form) < PackedFiller.BANDS,
                "page %d has the form %x",
                number,
                form);
        meta(form, state, number);
        for (int group = 0; group < Group.PER_PAGE; group++) {
            long word = vmb.getAcquire(Page.meta(state) + Meta.GROUPS + 8L * group);
            long live = vmb.getAcquire(Page.meta(state) + 8L * group);
            if (word == 0) {
                require(live == 0, "page %d has chunks in a group without a block", number);
            } else {
                group(word, live, number);
            }
        }
    }

    private void group(long word, long live, long number) {
        long block = EntryLayout.address(word);
        requireBlock(block, Group.headerBytes(word), "a group");
        requireBlock(block, Group.blockBytes(vmb, word), "a group");
        int end = 0;
        for (int i = 0; i < Group.LIDS; i++) {
            int code = Group.code(vmb, word, i);
            boolean isLive = (live & 1L << i) != 0;
            if ((code == 0 && isLive) || ((i & 7) == 0 && Group.offset(vmb, word, i) != end)) {
                throw damaged("a group of page %d has other sizes than offsets", number);
            }
            int bytes = Group.bytes(word, code);
            if (end + bytes > space.groups.capacity(word)) {
                throw damaged("a group of page %d is too full", number);
            }
            if (isLive && code == Group.forwardCode(word)) {
                entry(vmb.getLong(Group.payload(word) + end), number);
            }
            end += bytes;
        }
        require(end == space.groups.end(word), "a group of page %d has another end than sizes", number);
    }

    /** Checks the meta block. Returns how many chunks it says are live. */
    private int meta(long form, long state, long number) {
        requireNode(Page.meta(state), Meta.sizeBytes(form, state), Meta.ALIGNMENT);
        int live = 0;
        for (int i = 0; i < Meta.WORDS; i++) {
            live += Long.bitCount(vmb.getAcquire(Page.meta(state) + 8L * i));
        }
        requireLive(live, state, number);
        return live;
    }

    /**
     * The block of a chunk. Where the size is in the entry alone, the block is not looked at: there may be very many.
     */
    private void entry(long entry, long number) {
        long address = EntryLayout.address(entry);
        if (address == EntryLayout.EMPTY_CHUNK) {
            if (!EntryLayout.hasEmbeddedSize(entry)) {
                throw damaged("page %d has the entry %x", number, entry);
            }
            return;
        }
        requireBlock(address, 1, "a chunk");
        int size = Chunks.size(vmb, entry);
        if (size < 1 || (!EntryLayout.hasEmbeddedSize(entry) && size <= EntryLayout.MAX_EMBEDDED_SIZE)) {
            throw damaged("page %d has a chunk of %d B", number, size);
        }
        requireBlock(address, Chunks.blockBytes(size), "a chunk");
    }

    private static void requireLive(int found, long state, long number) {
        require(found == Page.live(state), "page %d has %d chunks, counted are %d", number, found, Page.live(state));
    }

    /** A node that was not met before, unless it is 0. */
    private void requireNew(long address, long sizeBytes, int alignment) {
        if (address != 0) {
            requireNode(address, sizeBytes, alignment);
            require(nodes.add(address), "two tables lead to %x", address);
        }
    }

    private void requireNode(long address, long sizeBytes, int alignment) {
        if ((address & (alignment - 1)) != 0) {
            throw damaged("a table lies at %x", address);
        }
        requireBlock(address, sizeBytes, "a table");
    }

    /** A block lies inside one segment, between its markers. */
    private void requireBlock(long address, long sizeBytes, String what) {
        boolean inside = extents.isTaken(address);
        int segment = inside ? extents.segmentOf(address) : 0;
        if (!inside || address <= extents.start(segment) || sizeBytes >= extents.end(segment) - address) {
            throw damaged("%s of %d B lies at %x", what, sizeBytes, address);
        }
    }

    private static void require(boolean right, String what, Object... numbers) {
        if (!right) {
            throw damaged(what, numbers);
        }
    }

    /**
     * The annotation that would have formats checked at compile time is in a library that this module does not have.
     */
    @SuppressWarnings("AnnotateFormatMethod")
    private static InvalidDumpException damaged(String what, Object... numbers) {
        return new InvalidDumpException(
                "the dump is damaged, though its checksums are right: " + what.formatted(numbers));
    }
}
