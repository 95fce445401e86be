package dev.granary.memory.paged;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.MemoryLayout;
import dev.granary.memory.lock.Latch;
import dev.granary.memory.os.Vmb;
import dev.granary.memory.page.Page;
import dev.granary.memory.page.Reader;
import dev.granary.memory.page.Space;
import dev.granary.memory.page.Stripes;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How often gets copy while a neighbour in the page is written whenever that is possible. */
class LargeReadsTest {

    @ParameterizedTest
    @CsvSource({
        "CLASSIC, 1048576, 2", "TYPED, 1048576, 2", "CLASSIC, 16385, 2", "TYPED, 16385, 2",
        "CLASSIC, 16384, 65", "TYPED, 16384, 65", "CLASSIC, 2049, 65", "TYPED, 2049, 65"
    })
    void read_neighbourIsWrittenDuringEachCopy_largeChunksAreCopiedTwice(
            MemoryLayout layout, int sizeBytes, int copies) {
        Space space = Space.make(MemoryTests.config(layout, 16 << 20), 1);
        try (PagedChunkMemory memory = PagedChunkMemory.of(space, Stripes.make(space, 1))) {
            memory.reserveLids(ChunkMemory.MAX_LID + 1);
            byte[] content = new byte[sizeBytes];
            Arrays.fill(content, (byte) 7);
            long large = memory.create(MemorySegment.ofArray(content), 0, sizeBytes);
            long neighbour = memory.create(sizeBytes);
            assertThat(neighbour >>> Page.SLOT_BITS).isEqualTo(large >>> Page.SLOT_BITS);
            long page = space.table.find(large & ChunkMemory.MAX_LID);
            BusyReader reader = new BusyReader(space, memory, neighbour, page);
            byte[] room = new byte[sizeBytes];

            int size = reader.read(page, Page.slot(large), MemorySegment.ofArray(room), 0, sizeBytes);

            assertThat(size).isEqualTo(sizeBytes);
            assertThat(room).isEqualTo(content);
            assertThat(reader.copies).isEqualTo(copies);
            assertThat(Latch.isHeld(space.vmb.getAcquire(page + Page.LATCH))).isFalse();
        }
    }

    /** Writes to a neighbour after each copy, unless the latch prevents it. */
    private static final class BusyReader extends Reader {

        private final Vmb vmb;
        private final ChunkMemory memory;
        private final long neighbour;
        private final long page;
        private int copies;

        BusyReader(Space space, ChunkMemory memory, long neighbour, long page) {
            super(space);
            this.vmb = space.vmb;
            this.memory = memory;
            this.neighbour = neighbour;
            this.page = page;
        }

        @Override
        public void copyBlockOut(long payload, MemorySegment target, long offset, int sizeBytes) {
            copies++;
            super.copyBlockOut(payload, target, offset, sizeBytes);
            if (!Latch.isHeld(vmb.getAcquire(page + Page.LATCH))) {
                memory.put(neighbour, target, 0, sizeBytes);
            }
        }
    }
}
