package dev.granary.memory.dump;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.InvalidDumpException;
import dev.granary.memory.MemoryLayout;
import dev.granary.memory.arena.BlockArena;
import dev.granary.memory.arena.Extents;
import dev.granary.memory.arena.FreeCounts;
import dev.granary.memory.arena.Segments;
import dev.granary.memory.lock.Latch;
import dev.granary.memory.page.Page;
import dev.granary.memory.page.Space;
import dev.granary.memory.page.Stripes;
import dev.granary.memory.page.Verifier;
import dev.granary.memory.paged.OpenMemory;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Restores a memory whose bytes were copied from another one. */
@ParameterizedClass
@EnumSource(MemoryLayout.class)
class RestorerTest {

    private static final int CAPACITY = 4 << 20;
    private static final int STRIPES = 2;

    private final OpenMemory open;
    private final Space space;
    private final Stripes stripes;

    RestorerTest(MemoryLayout layout) {
        open = new OpenMemory(layout, CAPACITY, STRIPES);
        ChunkMemoryConfig config = ChunkMemoryConfig.of(open.space.nid, CAPACITY)
                .withLayout(layout)
                .withHugePages(false);
        space = Space.make(config, STRIPES);
        stripes = Stripes.make(space, STRIPES);
    }

    @BeforeEach
    void fill() {
        long cid = 0;
        for (int i = 0; i < 4000; i++) {
            cid = open.create(16);
        }
        open.memory.resize(cid, 90);
        for (int i = 0; i < 100; i++) {
            open.create(31 * i);
        }
        open.insert(OpenMemory.foreign(700), 300);
        open.insert(OpenMemory.foreign(701), 3000);
        open.memory.setReadOnly(OpenMemory.foreign(701));
    }

    @AfterEach
    void close() {
        space.vmb.close();
        open.close();
    }

    @Test
    void restore_countsOfTheHeader_makesASoundMemory() {
        copy();
        restore(header(0, 0));
        assertThat(new Verifier(space, stripes).verify().violations()).isEmpty();
        for (int i = 0; i < STRIPES; i++) {
            assertThat(stripes.get(i).books().chunks())
                    .isEqualTo(open.stripes.get(i).books().chunks());
            assertThat(stripes.get(i).books().payloadBytes())
                    .isEqualTo(open.stripes.get(i).books().payloadBytes());
        }
        assertThat(space.metaBytes.get()).isEqualTo(open.space.metaBytes.get());
        assertThat(space.numbers.lidMark()).isEqualTo(open.space.numbers.lidMark());
    }

    @Test
    void restore_pinsAndLatchesOfOthers_areForgotten() {
        long pinned = OpenMemory.foreign(700);
        open.memory.pin(pinned);
        Latch.lockShared(open.vmb, open.page(pinned) + Page.LATCH);
        copy();
        Latch.unlockShared(open.vmb, open.page(pinned) + Page.LATCH);
        restore(header(0, 0));
        open.memory.unpin(pinned);
        assertThat(new Verifier(space, stripes).verify().violations()).isEmpty();
    }

    @Test
    void restore_ownPagesWithFreeLids_areListed() {
        copy();
        restore(header(0, 0));
        int listed = 0;
        for (long number = 0; number < open.space.numbers.next(); number++) {
            long page = space.table.find(number * Page.SLOTS);
            long state = space.vmb.getAcquire(page + Page.STATE);
            assertThat(state & Page.OPEN).isZero();
            boolean hasFree = Page.live(state) < space.numbers.slots(number);
            boolean there = Page.kind(space.vmb.getAcquire(page)) != Page.NONE;
            assertThat((state & Page.LISTED) != 0).as("page %d", number).isEqualTo(there && hasFree);
            listed += there && hasFree ? 1 : 0;
        }
        assertThat(listed).isPositive();
    }

    @Test
    void restore_otherCountsThanFound_isRefused() {
        copy();
        assertThatThrownBy(() -> restore(header(1, 0)))
                .isInstanceOf(InvalidDumpException.class)
                .hasMessageContaining("found are 4102 of");
    }

    @Test
    void restore_otherBytesThanFound_isRefused() {
        copy();
        assertThatThrownBy(() -> restore(header(0, -1))).isInstanceOf(InvalidDumpException.class);
    }

    private void restore(DumpHeader header) {
        new Restorer(space, stripes, new DumpCheck(space, STRIPES)).restore(header);
    }

    private DumpHeader header(int moreChunks, int moreBytes) {
        return new DumpHeader(
                space.nid,
                space.layout,
                STRIPES,
                space.extents.extentBytes(),
                CAPACITY,
                1,
                1,
                1,
                open.space.numbers.endLid(),
                open.space.numbers.next(),
                open.memory.statistics().chunks() + moreChunks,
                open.memory.statistics().payloadBytes() + moreBytes);
    }

    /** What a loader does before. */
    private void copy() {
        copyBytes(0, Space.headerBytes(STRIPES));
        Extents from = open.space.extents;
        Segments figures = from.segments();
        for (int i = 0; i < from.count(); i++) {
            if (from.span(i) > 0) {
                assertThat(space.extents.restore(i, from.span(i), from.arenaOf(i)))
                        .isTrue();
                space.extents
                        .segments()
                        .restore(
                                i,
                                figures.freeBlocks(i),
                                figures.smallFreeBlocks(i),
                                figures.freeBytes(i),
                                figures.tailBytes(i));
                copyBytes(from.start(i), from.end(i));
            }
        }
        for (int i = 0; i <= STRIPES; i++) {
            BlockArena arena = open.stripes.arena(i);
            for (int k = 0; k < FreeCounts.CLASSES; k++) {
                stripes.arena(i)
                        .freeCounts()
                        .restore(
                                k,
                                arena.freeCounts().blocks(k),
                                arena.freeCounts().bytes(k));
            }
            stripes.arena(i).restore(arena.allocatedBytes());
        }
    }

    private void copyBytes(long from, long to) {
        MemorySegment bytes = MemorySegment.ofArray(new byte[(int) (to - from)]);
        open.vmb.copyOut(from, bytes, 0, (int) (to - from));
        space.vmb.copyIn(bytes, 0, from, (int) (to - from));
    }
}
