package dev.granary.memory.paged;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.memory.MemoryLayout;
import dev.granary.memory.arena.Chunks;
import dev.granary.memory.arena.EntryLayout;
import dev.granary.memory.lock.Latch;
import dev.granary.memory.page.Meta;
import dev.granary.memory.page.Page;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(MemoryLayout.class)
class ResizerTest {

    private static final int[] SIZES = {16, 0, 1000, 1001, 3000, 10, 40_000, 17, 300, 16};

    private final MemoryLayout layout;
    private final OpenMemory open;
    private final Resizer resizer;

    ResizerTest(MemoryLayout layout) {
        this.layout = layout;
        this.open = new OpenMemory(layout, 4 << 20, 1);
        this.resizer = new Resizer(open.space, open.stripes);
    }

    @AfterEach
    void close() {
        open.close();
    }

    @Test
    void resize_fromAnySizeToAnyOther_keepsTheFirstBytes() {
        long[] cids = new long[20];
        for (int i = 0; i < cids.length; i++) {
            cids[i] = open.create(100 + 40 * i);
        }
        long cid = cids[9];
        for (int from : SIZES) {
            for (int to : SIZES) {
                resize(cid, from);
                open.put(cid, from);
                resize(cid, to);
                int kept = Math.min(from, to);
                assertThat(Arrays.copyOf(open.get(cid), kept))
                        .as("%d to %d B", from, to)
                        .isEqualTo(OpenMemory.content(cid, kept));
            }
        }
        for (int i = 0; i < cids.length; i++) {
            if (i != 9) {
                assertThat(open.get(cids[i])).isEqualTo(OpenMemory.content(cids[i], 100 + 40 * i));
            }
        }
        assertThat(open.stripes.get(0).books().payloadBytes()).isEqualTo(20 * 100 + 40 * 190 - (100 + 40 * 9) + 16);
    }

    @Test
    void resize_chunkOfATypedPage_liesElsewhereUntilItHasTheSizeAgain() {
        long cid = RemovalTest.fullPage(open);
        long before = open.allocatedBytes();
        resize(cid, 500);
        open.put(cid, 500);
        assertThat(open.get(cid)).isEqualTo(OpenMemory.content(cid, 500));
        resize(cid, 2000);
        assertThat(open.allocatedBytes()).isBetween(before + 1900, before + 2300);
        resize(cid, 16);
        assertThat(open.get(cid)).isEqualTo(OpenMemory.content(cid, 16));
        assertThat(open.get(cid - 1)).isEqualTo(OpenMemory.content(cid - 1, 16));
        // A typed page keeps its larger meta block.
        assertThat(open.allocatedBytes()).isBetween(before, before + Meta.EXTENDED_BYTES - Meta.TYPED_BYTES + 16);
    }

    @Test
    void resize_manyChunksOfATypedPage_makeItAPackedOne() {
        long first = RemovalTest.fullPage(open) & -Page.SLOTS;
        for (int i = 0; i < 20; i++) {
            resize(first + 7L * i, 50);
            open.put(first + 7L * i, 50);
            int kind = layout == MemoryLayout.CLASSIC ? Page.ENTRIES : i < 16 ? Page.TYPED : Page.PACKED;
            assertThat(open.kind(first)).as("after %d", i).isEqualTo(kind);
        }
        for (int i = 0; i < Page.SLOTS; i++) {
            int size = i % 7 == 0 && i < 140 ? 50 : 16;
            assertThat(open.get(first + i)).isEqualTo(OpenMemory.content(first + i, size));
        }
    }

    @Test
    void resize_noRoom_leavesTheChunkAsItWas() {
        long typed = RemovalTest.fullPage(open);
        long cid = open.create(200);
        long large = open.create(5000);
        open.takeAll(100);
        for (long each : new long[] {typed, cid, large}) {
            open.latched(each, () -> assertThat(resizer.resize(open.page(each), Page.slot(each), entry(each), 90_000))
                    .isZero());
        }
        assertThat(open.get(typed)).isEqualTo(OpenMemory.content(typed, 16));
        assertThat(open.get(cid)).isEqualTo(OpenMemory.content(cid, 200));
        assertThat(open.get(large)).isEqualTo(OpenMemory.content(large, 5000));
        assertThat(open.memory.statistics().chunks())
                .isEqualTo(open.stripes.get(0).books().chunks());
    }

    @Test
    void moveOut_packedChunk_liesInABlockOfItsOwn() {
        if (layout == MemoryLayout.CLASSIC) {
            return;
        }
        long[] cids = {open.create(200), open.create(0), open.create(5000), open.create(210)};
        for (long cid : cids) {
            long before = entry(cid);
            open.latched(cid, () -> {
                long moved = resizer.moveOut(open.page(cid), Page.slot(cid), entry(cid));
                assertThat(moved).isEqualTo(entry(cid));
                boolean stays = cid == cids[1] || cid == cids[2];
                assertThat(EntryLayout.address(moved) == EntryLayout.address(before))
                        .isEqualTo(stays);
                assertThat(resizer.moveOut(open.page(cid), Page.slot(cid), moved))
                        .isEqualTo(moved);
            });
        }
        assertThat(open.get(cids[0])).isEqualTo(OpenMemory.content(cids[0], 200));
        assertThat(open.get(cids[3])).isEqualTo(OpenMemory.content(cids[3], 210));
    }

    @Test
    void extend_pagesOfAllStates_haveAllBitmapsAndStayListed() {
        if (layout == MemoryLayout.CLASSIC) {
            return;
        }
        long listed = RemovalTest.fullPage(open);
        long full = RemovalTest.fullPage(open);
        open.memory.delete(listed);
        long packed = open.create(300);
        for (long cid : new long[] {full, listed, packed}) {
            long flags = open.state(cid) & (Page.OPEN | Page.LISTED);
            for (int i = 0; i < 2; i++) {
                open.latched(
                        cid, () -> assertThat(resizer.extend(open.page(cid))).isTrue());
                assertThat(open.state(cid) & Page.EXTENDED).isNotZero();
                assertThat(open.state(cid) & (Page.OPEN | Page.LISTED)).isEqualTo(flags);
                assertThat(open.violations()).isEmpty();
            }
        }
        assertThat(open.state(listed) & Page.LISTED).isNotZero();
        assertThat(open.get(full)).isEqualTo(OpenMemory.content(full, 16));
        assertThat(open.create(16)).isEqualTo(listed);
    }

    private void resize(long cid, int size) {
        open.latched(cid, () -> {
            long payload = resizer.resize(open.page(cid), Page.slot(cid), entry(cid), size);
            assertThat(payload).isNotZero();
            assertThat(size == 0 ? payload : Chunks.payloadOf(entry(cid), size)).isEqualTo(payload);
        });
        assertThat(open.memory.sizeOf(cid)).isEqualTo(size);
    }

    private long entry(long cid) {
        return open.space.locator.locate(open.page(cid), Latch.HELD, open.form(cid), Page.slot(cid));
    }
}
