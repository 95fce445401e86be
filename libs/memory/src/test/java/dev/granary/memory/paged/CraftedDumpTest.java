package dev.granary.memory.paged;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.InvalidDumpException;
import dev.granary.memory.MemoryLayout;
import dev.granary.memory.arena.EntryLayout;
import dev.granary.memory.arena.FreeLists;
import dev.granary.memory.arena.Marker;
import dev.granary.memory.dump.DumpOutput;
import dev.granary.memory.os.Vmb;
import dev.granary.memory.page.Page;
import dev.granary.memory.page.Space;
import dev.granary.memory.page.Stripes;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.Channels;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Dumps that no chunk memory has written, with correct checksums: loading them ends, and nothing leads it astray.
 */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class CraftedDumpTest {

    private static final int CAPACITY = 4 << 20;

    private int openBefore;

    @BeforeEach
    void countMemories() {
        openBefore = Vmb.openCount();
    }

    @AfterEach
    void noMemoryIsLeft() {
        assertThat(Vmb.openCount()).isEqualTo(openBefore);
    }

    @Test
    void load_ofASealedDumpThatWasNotChanged_succeeds() throws IOException {
        for (MemoryLayout layout : MemoryLayout.values()) {
            try (ChunkMemory memory = load(layout, new DumpForge(dump(layout)).seal())) {
                MemoryTests.assertSound(memory);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(MemoryLayout.class)
    void load_freeListThatIsALoop_isRefused(MemoryLayout layout) throws IOException {
        DumpForge forge = new DumpForge(dump(layout));
        long block = freeBlock(forge);
        forge.setPointer(block + Marker.lengthBytes(Marker.right(forge.getByte(block - 1))), block);
        refused(layout, forge, "free list");
    }

    @Test
    void load_parkedBlocksThatAreALoop_isRefused() throws IOException {
        DumpForge forge = new DumpForge(dump(MemoryLayout.TYPED));
        long block = freeBlock(forge);
        forge.setPointer(block + Marker.lengthBytes(Marker.right(forge.getByte(block - 1))), block);
        forge.setLong(anchorOf(forge, block), 0);
        forge.setLong(Space.anchors(0) + 8L * FreeLists.PARKED, block);
        refused(MemoryLayout.TYPED, forge, "free list");
    }

    @Test
    void load_freeListThatLeadsOutside_isRefused() throws IOException {
        for (long address : new long[] {1, 63, 3 << 20, 1L << 42, -1L >>> 21, -1}) {
            DumpForge forge = new DumpForge(dump(MemoryLayout.TYPED));
            forge.setLong(Space.anchors(1) + 8L * 20, address);
            refused(MemoryLayout.TYPED, forge, "free block");
        }
    }

    @Test
    void load_tableThatLeadsToItself_isRefused() throws IOException {
        DumpForge forge = new DumpForge(dump(MemoryLayout.TYPED));
        long table = EntryLayout.address(forge.getLong(Space.ROOT));
        assertThat(forge.getLong(Space.ROOT) >>> 44).isEqualTo(2);
        forge.setLong(table + 8, table);
        refused(MemoryLayout.TYPED, forge, "two tables lead to");
    }

    @Test
    void load_twoLidsOfOneLeaf_isRefused() throws IOException {
        DumpForge forge = new DumpForge(dump(MemoryLayout.TYPED));
        long table = EntryLayout.address(forge.getLong(Space.ROOT));
        forge.setLong(table + 16, forge.getLong(table));
        refused(MemoryLayout.TYPED, forge, "two tables lead to");
    }

    @Test
    void load_rootOfTooManyLevelsOrElsewhere_isRefused() throws IOException {
        for (long flipped : new long[] {7L << 44, 4L << 44, 1L << 43, 1L << 60, 1L << 40, 8, 1}) {
            DumpForge forge = new DumpForge(dump(MemoryLayout.TYPED));
            forge.setLong(Space.ROOT, forge.getLong(Space.ROOT) ^ flipped);
            refused(MemoryLayout.TYPED, forge, "");
        }
    }

    @ParameterizedTest
    @EnumSource(MemoryLayout.class)
    void load_formOrStateThatIsImpossible_isRefused(MemoryLayout layout) throws IOException {
        long base = 1L << 41;
        long kind = 5L << 61;
        long stride = 0xfffL << 43;
        for (long flipped : new long[] {base, kind, layout == MemoryLayout.TYPED ? stride : kind}) {
            DumpForge forge = new DumpForge(dump(layout));
            long page = firstPage(forge);
            forge.setLong(page, forge.getLong(page) ^ flipped);
            refused(layout, forge, "");
        }
        for (long flipped :
                new long[] {0xffL << 53, Page.ONE_LIVE, layout == MemoryLayout.TYPED ? 1L << 41 : 1L << 60}) {
            DumpForge forge = new DumpForge(dump(layout));
            long page = firstPage(forge);
            forge.setLong(page + Page.STATE, forge.getLong(page + Page.STATE) ^ flipped);
            refused(layout, forge, "page");
        }
    }

    @Test
    void load_entryOfAChunkThatIsTooLong_isRefused() throws IOException {
        DumpForge forge = new DumpForge(dump(MemoryLayout.CLASSIC));
        long table = Page.base(forge.getLong(firstPage(forge)));
        long extentEnd = (EntryLayout.address(forge.getLong(table + 8)) & -(64L << 10)) + (64 << 10);
        forge.setLong(table + 8, EntryLayout.entry(extentEnd - 100, 2000));
        refused(MemoryLayout.CLASSIC, forge, "a chunk of 2000 B");
    }

    @Test
    void load_figuresOfSegmentsThatAreImpossible_isRefused() throws IOException {
        DumpForge free = new DumpForge(dump(MemoryLayout.TYPED));
        free.file().putLong(free.segmentRow(0) + 24, 1L << 40);
        refused(MemoryLayout.TYPED, free, "segment 0 has impossible figures");
        DumpForge tail = new DumpForge(dump(MemoryLayout.TYPED));
        tail.file().putInt(tail.segmentRow(1) + 20, 100);
        refused(MemoryLayout.TYPED, tail, "has impossible figures");
        DumpForge whole = new DumpForge(dump(MemoryLayout.TYPED));
        whole.file().putInt(whole.segmentRow(1) + 12, 1).putInt(whole.segmentRow(1) + 16, 0);
        whole.file().putLong(whole.segmentRow(1) + 24, (64 << 10) - 2);
        refused(MemoryLayout.TYPED, whole, "segment");
        DumpForge counts = new DumpForge(dump(MemoryLayout.TYPED));
        counts.file().putLong(counts.stripeRow(0) + 8 + 16 * 20, 1_000_000);
        refused(MemoryLayout.TYPED, counts, "does not have the free blocks");
    }

    @Test
    void load_nextPageFarBehindTheLast_endsAndGivesNewLids() throws IOException {
        DumpForge forge = new DumpForge(dump(MemoryLayout.TYPED));
        forge.file().putLong(64, (ChunkMemory.MAX_LID >>> Page.SLOT_BITS) + 1);
        try (ChunkMemory memory = load(MemoryLayout.TYPED, forge.seal())) {
            long before = memory.statistics().chunks();
            memory.create(16);
            assertThat(memory.statistics().chunks()).isEqualTo(before + 1);
            MemoryTests.assertSound(memory);
        }
    }

    /** Whatever word is changed, the load is refused or gives a memory. */
    @ParameterizedTest
    @EnumSource(MemoryLayout.class)
    void load_anyWordChanged_endsWithAMemoryOrIsRefused(MemoryLayout layout) throws IOException {
        byte[] dump = dump(layout);
        Random random = new Random(5);
        int refused = 0;
        for (int i = 0; i < 400; i++) {
            DumpForge forge = new DumpForge(dump);
            // Half of them in headers and tables, which are a small part.
            int to = random.nextBoolean() ? forge.endOfTables() + 1000 : dump.length - DumpOutput.TRAILER_BYTES - 8;
            int at = 12 + random.nextInt(to - 12);
            switch (random.nextInt(4)) {
                case 0 -> forge.file().put(at, (byte) random.nextInt());
                case 1 -> forge.file().putLong(at & -8, random.nextLong());
                case 2 -> forge.file().putLong(at & -8, random.nextInt(CAPACITY));
                default -> forge.file().put(at, (byte) (forge.file().get(at) ^ 1 << random.nextInt(8)));
            }
            try (ChunkMemory memory = load(layout, forge.seal())) {
                assertThat(memory.nid()).isEqualTo(MemoryTests.NID);
            } catch (InvalidDumpException e) {
                refused++;
            }
        }
        System.out.printf("%s: %d of 400 refused%n", layout, refused);
        assertThat(refused).isGreaterThan(20);
    }

    /** A block of a list of the first stripe that is neither empty nor parked. */
    private static long freeBlock(DumpForge forge) {
        for (int list = 0; list < FreeLists.COUNT; list++) {
            long block = forge.getLong(Space.anchors(0) + 8L * list);
            if (block != 0) {
                return block;
            }
        }
        throw new AssertionError("no block is free");
    }

    private static long anchorOf(DumpForge forge, long block) {
        for (int list = 0; list < FreeLists.COUNT; list++) {
            if (forge.getLong(Space.anchors(0) + 8L * list) == block) {
                return Space.anchors(0) + 8L * list;
            }
        }
        throw new AssertionError("no list has this block");
    }

    /** The directory entry of the first page that has chunks. */
    private static long firstPage(DumpForge forge) {
        long node = EntryLayout.address(forge.getLong(Space.ROOT));
        for (long level = forge.getLong(Space.ROOT) >>> 44; level > 0; level--) {
            node = forge.getLong(node);
        }
        return node;
    }

    private static byte[] dump(MemoryLayout layout) throws IOException {
        Space space = Space.make(MemoryTests.config(layout, CAPACITY), 2);
        try (PagedChunkMemory memory = PagedChunkMemory.of(space, Stripes.make(space, 2))) {
            memory.reserveLids(ChunkMemory.MAX_LID + 1);
            long[] cids = new long[5000];
            for (int i = 0; i < cids.length; i++) {
                cids[i] = memory.create(i % 10 == 0 ? i % 200 : 16);
            }
            for (int i = 1000; i < 4000; i += 3) {
                memory.delete(cids[i]);
            }
            memory.resize(cids[4500], 5000);
            memory.create(100_000);
            memory.create(0);
            MemorySegment three = MemorySegment.ofArray(new byte[3]);
            memory.insert(7L << 48 | 12345, three, 0, 3);
            memory.insert(7L << 48 | 1L << 45, three, 0, 3);
            memory.insert((long) MemoryTests.NID << 48 | 1L << 38, three, 0, 3);
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            memory.dump(Channels.newChannel(bytes));
            return bytes.toByteArray();
        }
    }

    private static ChunkMemory load(MemoryLayout layout, byte[] dump) throws IOException {
        return ChunkMemories.load(
                MemoryTests.config(layout, CAPACITY), Channels.newChannel(new ByteArrayInputStream(dump)));
    }

    private static void refused(MemoryLayout layout, DumpForge forge, String why) {
        assertThatThrownBy(() -> load(layout, forge.seal()))
                .isInstanceOf(InvalidDumpException.class)
                .hasMessageContaining(why);
    }
}
