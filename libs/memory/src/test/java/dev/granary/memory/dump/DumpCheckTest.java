package dev.granary.memory.dump;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.memory.InvalidDumpException;
import dev.granary.memory.MemoryLayout;
import dev.granary.memory.arena.BlockArena;
import dev.granary.memory.arena.EntryLayout;
import dev.granary.memory.arena.FreeCounts;
import dev.granary.memory.arena.Segments;
import dev.granary.memory.page.Group;
import dev.granary.memory.page.Meta;
import dev.granary.memory.page.Page;
import dev.granary.memory.page.PageTable;
import dev.granary.memory.page.Space;
import dev.granary.memory.paged.OpenMemory;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Looks at a memory as if it had been loaded, which it may be: whole, then damaged in one place after the other. */
@ParameterizedClass
@EnumSource(MemoryLayout.class)
class DumpCheckTest {

    private static final long FOREIGN = OpenMemory.foreign(64);

    private final MemoryLayout layout;
    private final OpenMemory open;
    private long typed;

    DumpCheckTest(MemoryLayout layout) {
        this.layout = layout;
        this.open = new OpenMemory(layout, 4 << 20, 2);
    }

    @BeforeEach
    void fill() {
        for (int i = 0; i < 4000; i++) {
            typed = open.create(16);
        }
        for (int i = 0; i < 200; i++) {
            open.create(37 * i);
        }
        for (int i = 0; i < 70; i++) {
            open.insert(FOREIGN + i, 300);
        }
        open.insert(FOREIGN + 100, 3000);
        for (int i = 0; i < 70; i += 3) {
            open.memory.delete(FOREIGN + i);
        }
    }

    @AfterEach
    void close() {
        open.close();
    }

    @Test
    void check_soundMemory_findsNothing() {
        DumpCheck check = check();
        for (int i = 0; i < open.space.extents.count(); i++) {
            if (open.space.extents.span(i) > 0) {
                check.segment(i);
            }
        }
        for (int i = 0; i <= open.stripes.count(); i++) {
            check.freeLists(open.stripes.arena(i));
        }
        check.segments();
        check.tables();
        List<Long> pages = new ArrayList<>();
        open.space.nids.forEach((nid, table) -> table.forEachPage(pages::add));
        assertThat(pages).hasSizeGreaterThanOrEqualTo(2 * PageTable.LEAF_PAGES);
        for (long page : pages) {
            long number = Page.number(open.vmb.getAcquire(page + Page.NUMBER));
            check.page(open.vmb.getAcquire(page), open.vmb.getAcquire(page + Page.STATE), number);
        }
    }

    @Test
    void segment_impossibleFigures_areRefused() {
        Segments segments = open.space.extents.segments();
        int segment = open.space.extents.segmentOf(Page.base(open.form(typed)));
        int free = segments.freeBlocks(segment);
        int small = segments.smallFreeBlocks(segment);
        long bytes = segments.freeBytes(segment);
        int tail = segments.tailBytes(segment);
        long size = open.space.extents.end(segment) - open.space.extents.start(segment);
        segments.restore(segment, -1, small, bytes, tail);
        assertRefused(() -> check().segment(segment));
        segments.restore(segment, free, free + 1, bytes, tail);
        assertRefused(() -> check().segment(segment));
        segments.restore(segment, free, small, size - 1, tail);
        assertRefused(() -> check().segment(segment));
        segments.restore(segment, free, small, bytes, -1);
        assertRefused(() -> check().segment(segment));
        segments.restore(segment, free, small, bytes, tail);
        assertThatCode(() -> check().segment(segment)).doesNotThrowAnyException();
    }

    @Test
    void freeLists_countsAreOthers_areRefused() {
        BlockArena arena = open.stripes.get(0).arena;
        for (int i = 0; i < FreeCounts.CLASSES; i++) {
            long blocks = arena.freeCounts().blocks(i);
            long bytes = arena.freeCounts().bytes(i);
            arena.freeCounts().restore(i, -1, bytes);
            assertRefused(() -> check().freeLists(arena));
            arena.freeCounts().restore(i, blocks, -1);
            assertRefused(() -> check().freeLists(arena));
            arena.freeCounts().restore(i, blocks, bytes);
        }
        assertThatCode(() -> check().freeLists(arena)).doesNotThrowAnyException();
    }

    @Test
    void tables_rootsAndNodesThatLeadAstray_areRefused() {
        assertDamageIsFound(Space.ROOT, 1L << 47, () -> check().tables());
        assertDamageIsFound(Space.ROOT, PageTable.root(1 << 20, 4), () -> check().tables());
        assertDamageIsFound(Space.ROOT, PageTable.root(open.space.vmb.capacityBytes(), 0), () -> check().tables());
        assertDamageIsFound(Space.ROOT, PageTable.root(leaf(typed) + 8, 0), () -> check().tables());
        // The foreign leaf has the same numbers: it may not be met twice.
        assertDamageIsFound(Space.ROOT, PageTable.root(leaf(FOREIGN), 0), () -> check().tables());
        long number = leaf(typed) + 5 * Page.BYTES + Page.NUMBER;
        assertDamageIsFound(number, 6, () -> check().tables());
        long upper = open.vmb.getAcquire(Space.NIDS);
        assertDamageIsFound(upper, upper, () -> check().tables());
        assertDamageIsFound(upper, 4, () -> check().tables());
    }

    @Test
    void page_formsAndStates_areRefusedIfTheyCannotBe() {
        long form = open.form(FOREIGN);
        long state = open.state(FOREIGN);
        long number = 0;
        check().page(form, state, number);
        check().page(0, 0, number);
        assertRefused(() -> check().page(0, state, number));
        assertRefused(() -> check().page(Page.form(7, Page.base(form), 1), state, number));
        assertRefused(() -> check().page(form, state + Page.ONE_LIVE, number));
        assertRefused(() -> check().page(form, state | 0xffL << 53, number));
        assertRefused(() -> check().page(form + (layout == MemoryLayout.CLASSIC ? 4 : 8), state, number));
        assertRefused(() -> check().page(form | 7L << 40, state | 7L << 40, number));
        int otherKind = layout == MemoryLayout.CLASSIC ? Page.PACKED : Page.ENTRIES;
        assertRefused(() -> check().page(Page.form(otherKind, Page.base(form), 0), state, number));
    }

    @Test
    void page_typed_flagsAndStrideAreChecked() {
        if (layout == MemoryLayout.CLASSIC) {
            return;
        }
        assertThat(open.kind(typed)).isEqualTo(Page.TYPED);
        long form = open.form(typed) & ~Page.ALL_LIVE;
        long state = open.state(typed);
        check().page(form, state, 1);
        open.memory.delete(typed);
        long fewer = open.state(typed);
        check().page(form, fewer, 1);
        assertRefused(() -> check().page(form | Page.ALL_LIVE, fewer, 1));
        assertRefused(() -> check().page(form | Page.HAS_FORWARDS, fewer, 1));
        assertRefused(() -> check().page(Page.form(Page.TYPED, Page.base(form), 7), fewer, 1));
        assertRefused(() -> check().page(Page.form(Page.TYPED, Page.base(form), 257), fewer, 1));
    }

    @Test
    void page_whatChunksLieIn_isChecked() {
        ThrowingCallable check = () -> check().page(open.form(FOREIGN), open.state(FOREIGN), 0);
        if (layout == MemoryLayout.CLASSIC) {
            long at = Page.base(open.form(FOREIGN)) + (long) Page.slot(FOREIGN + 1) * EntryLayout.BYTES;
            assertDamageIsFound(at, EntryLayout.entry(3, 300), check);
            assertDamageIsFound(at, EntryLayout.entry(open.vmb.capacityBytes() - 1, 300), check);
            assertDamageIsFound(at, EntryLayout.entry(EntryLayout.EMPTY_CHUNK, 3000), check);
            assertDamageIsFound(at, EntryLayout.NO_CHUNK, check);
            return;
        }
        long at = Page.base(open.form(FOREIGN)) + Meta.GROUPS + 8;
        long word = open.vmb.getAcquire(at);
        assertDamageIsFound(at, 0, check);
        assertDamageIsFound(at, 5, check);
        assertDamageIsFound(at, word + (1L << 30), check);
        long block = EntryLayout.address(word);
        // Capacity and end, then a code.
        assertDamageIsFound(block, open.vmb.getLong(block) - 1000, check);
        assertDamageIsFound(block, open.vmb.getLong(block) - (1 << 16), check);
        long codes = block + Group.CODES;
        assertDamageIsFound(codes, open.vmb.getLong(codes) + 0x100, check);
        assertDamageIsFound(codes, open.vmb.getLong(codes) & ~0xff00L, check);
        long forwarded = open.vmb.getAcquire(at + 8);
        long slot = Group.payload(forwarded) + Group.offset(open.vmb, forwarded, Page.slot(FOREIGN + 100) & 63);
        assertDamageIsFound(slot, EntryLayout.entry(2, 3000), check);
        assertDamageIsFound(slot, EntryLayout.NO_CHUNK, check);
    }

    /** The leaf that has a chunk's page. */
    private long leaf(long cid) {
        return open.page(cid) - ((cid >>> Page.SLOT_BITS) & (PageTable.LEAF_PAGES - 1)) * Page.BYTES;
    }

    private DumpCheck check() {
        return new DumpCheck(open.space, open.stripes.count());
    }

    private void assertDamageIsFound(long address, long value, ThrowingCallable check) {
        assertThatCode(check).doesNotThrowAnyException();
        long before = open.vmb.getLong(address);
        open.vmb.setLong(address, value);
        try {
            assertRefused(check);
        } finally {
            open.vmb.setLong(address, before);
        }
    }

    private static void assertRefused(ThrowingCallable check) {
        assertThatThrownBy(check).isInstanceOf(InvalidDumpException.class);
    }
}
