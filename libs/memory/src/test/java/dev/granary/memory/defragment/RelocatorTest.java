package dev.granary.memory.defragment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.memory.MemoryLayout;
import dev.granary.memory.arena.EntryLayout;
import dev.granary.memory.arena.Extents;
import dev.granary.memory.arena.Segments;
import dev.granary.memory.lock.Latch;
import dev.granary.memory.page.Page;
import dev.granary.memory.page.Stripe;
import dev.granary.memory.paged.OpenMemory;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(MemoryLayout.class)
class RelocatorTest {

    private final MemoryLayout layout;
    private final OpenMemory open;
    private final Relocator relocator;
    private final Map<Long, Integer> sizes = new LinkedHashMap<>();

    RelocatorTest(MemoryLayout layout) {
        this.layout = layout;
        this.open = new OpenMemory(layout, 8 << 20, 2);
        this.relocator = new Relocator(open.space, open.stripes);
    }

    @AfterEach
    void close() {
        sizes.forEach(
                (cid, size) -> assertThat(open.get(cid)).as("0x%016x", cid).isEqualTo(OpenMemory.content(cid, size)));
        open.close();
    }

    @Test
    void relocate_everySegmentInTurn_isEmptiedAndAllChunksStay() {
        fill();
        Extents extents = open.space.extents;
        int emptied = 0;
        for (int i = 0; i < extents.count(); i++) {
            int arena = extents.arenaOf(i);
            if (arena != Extents.NONE
                    && arena < open.stripes.count()
                    && !segments().isFixed(i)) {
                evacuate(i, arena);
                assertThat(relocateAll()).as("segment %d", i).isTrue();
                assertThat(segments().isEvacuating(i)).isFalse();
                emptied++;
            }
        }
        assertThat(emptied).isGreaterThan(5);
        assertThat(relocator.movedBlocks()).isGreaterThan(emptied);
        assertThat(relocator.movedBytes()).isGreaterThan(100_000);
    }

    @Test
    void relocate_noSegmentIsEvacuated_movesNothing() {
        fill();
        assertThat(relocateAll()).isTrue();
        assertThat(relocator.movedBlocks()).isZero();
        assertThat(relocator.movedBytes()).isZero();
        assertThat(relocator.packedPages()).isZero();
    }

    @Test
    void relocate_pageIsLatched_isLeftForLater() {
        long cid = create(5000);
        int segment = evacuateSegmentOf(cid);
        Latch.lockShared(open.vmb, open.page(cid) + Page.LATCH);
        assertThat(relocator.relocate(open.page(cid), open.space.nid)).isFalse();
        assertThat(relocator.movedBlocks()).isZero();
        Latch.unlockShared(open.vmb, open.page(cid) + Page.LATCH);
        assertThat(relocator.relocate(open.page(cid), open.space.nid)).isTrue();
        assertThat(segmentOf(cid)).isNotEqualTo(segment);
    }

    @Test
    void relocate_chunkIsPinned_staysAndOthersMove() {
        long pinned = create(5000);
        long other = create(5000);
        long address = open.memory.pin(pinned);
        int segment = evacuateSegmentOf(pinned);
        assertThat(segmentOf(other)).isEqualTo(segment);
        assertThat(relocator.relocate(open.page(pinned), open.space.nid)).isFalse();
        assertThat(segmentOf(other)).isNotEqualTo(segment);
        assertThat(segmentOf(pinned)).isEqualTo(segment);
        open.memory.unpin(pinned);
        assertThat(address).isEqualTo(open.memory.pin(pinned));
        open.memory.unpin(pinned);
        assertThat(relocator.relocate(open.page(pinned), open.space.nid)).isTrue();
        assertThat(segmentOf(pinned)).isNotEqualTo(segment);
    }

    @Test
    void relocate_pageInWhichChunksAreCreated_nextOneIsThereToo() {
        long cid = create(100);
        evacuate(open.space.extents.segmentOf(Page.base(open.form(cid))), 0);
        assertThat(relocateAll()).isTrue();
        for (int i = 1; i < 100; i++) {
            assertThat(create(100)).isEqualTo(cid + i);
        }
    }

    @Test
    void relocate_sparseTypedPage_becomesAPackedOne() {
        if (layout == MemoryLayout.CLASSIC) {
            return;
        }
        long last = createTypedPages();
        long first = (last & -Page.SLOTS) - Page.SLOTS;
        assertThat(open.kind(first)).isEqualTo(Page.TYPED);
        for (int i = 0; i < Page.SLOTS; i++) {
            if (i % 8 != 0) {
                delete(first + i);
            }
        }
        int segment = open.space.extents.segmentOf(Page.base(open.form(first)));
        evacuate(segment, 0);
        assertThat(relocateAll()).isTrue();
        assertThat(open.kind(first)).isEqualTo(Page.PACKED);
        assertThat(relocator.packedPages()).isEqualTo(1);
        assertThat(create(16) & -Page.SLOTS).isEqualTo(last & -Page.SLOTS);
    }

    @Test
    void relocate_noRoom_leavesEverythingInPlace() {
        long cid = create(5000);
        int segment = evacuateSegmentOf(cid);
        open.takeAll(100);
        assertThat(relocator.relocate(open.page(cid), open.space.nid)).isFalse();
        assertThat(segmentOf(cid)).isEqualTo(segment);
        open.giveAll();
        assertThat(relocator.relocate(open.page(cid), open.space.nid)).isFalse();
        relocator.startPass();
        assertThat(relocator.relocate(open.page(cid), open.space.nid)).isTrue();
        assertThat(segmentOf(cid)).isNotEqualTo(segment);
    }

    /** Chunks of all kinds, own and foreign ones, in pages of all kinds. */
    private void fill() {
        long last = createTypedPages();
        for (int i = 0; i < 20; i++) {
            assertThat(open.memory.resize(last - 10L * i, 70)).isTrue();
            open.put(last - 10L * i, 70);
            sizes.put(last - 10L * i, 70);
        }
        for (int i = 0; i < 600; i++) {
            create(i % 30 == 0 ? 3000 : i);
        }
        for (int i = 0; i < 300; i++) {
            long cid = OpenMemory.foreign(600 + 3L * i);
            open.insert(cid, 4 * i);
            sizes.put(cid, 4 * i);
        }
        sizes.keySet().stream().filter(cid -> cid % 5 == 0).toList().forEach(this::delete);
    }

    /** Returns the last of some thousand chunks of 16 B. */
    private long createTypedPages() {
        long last = 0;
        for (int i = 0; i < 5000; i++) {
            last = create(16);
        }
        return last;
    }

    private long create(int size) {
        long cid = open.create(size);
        sizes.put(cid, size);
        return cid;
    }

    private void delete(long cid) {
        assertThat(open.memory.delete(cid)).isTrue();
        sizes.remove(cid);
    }

    private boolean relocateAll() {
        boolean[] complete = {true};
        relocator.startPass();
        open.space.nids.forEach(
                (nid, table) -> table.forEachPage(page -> complete[0] &= relocator.relocate(page, nid)));
        return complete[0];
    }

    private int evacuateSegmentOf(long cid) {
        int segment = segmentOf(cid);
        evacuate(segment, 0);
        return segment;
    }

    /** The segment in which a large chunk lies. */
    private int segmentOf(long cid) {
        long entry = open.space.locator.locate(open.page(cid), Latch.HELD, open.form(cid), Page.slot(cid));
        return open.space.extents.segmentOf(EntryLayout.address(entry));
    }

    private void evacuate(int segment, int arena) {
        Stripe stripe = open.stripes.get(arena);
        stripe.lock.lock();
        assertThat(stripe.arena.startEvacuation(segment)).isTrue();
        stripe.lock.unlock();
    }

    private Segments segments() {
        return open.space.extents.segments();
    }
}
