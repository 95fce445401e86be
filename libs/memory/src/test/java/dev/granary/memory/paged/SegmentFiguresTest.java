package dev.granary.memory.paged;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.MemoryLayout;
import dev.granary.memory.OutOfChunkMemoryException;
import dev.granary.memory.arena.Segments;
import dev.granary.memory.page.Page;
import dev.granary.memory.page.Space;
import dev.granary.memory.page.Stripes;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.Channels;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The figures of segments that are kept without a look at pages equal those that a walk over all pages finds. */
class SegmentFiguresTest {

    private static final int SIZE = 8;

    /** A memory whose parts the test can look into. */
    private record Opened(Space space, PagedChunkMemory memory) implements AutoCloseable {

        static Opened of(long capacityBytes, int stripeCount) {
            Space space = Space.make(MemoryTests.config(MemoryLayout.TYPED, capacityBytes), stripeCount);
            PagedChunkMemory memory = PagedChunkMemory.of(space, Stripes.make(space, stripeCount));
            memory.reserveLids(ChunkMemory.MAX_LID + 1);
            return new Opened(space, memory);
        }

        long deadBytes() {
            long sum = 0;
            for (int i = 0; i < space.extents.count(); i++) {
                sum += space.extents.segments().deadBytes(i);
            }
            return sum;
        }

        @Override
        public void close() {
            memory.close();
        }
    }

    @Test
    void reclaimableShare_pageTablesHidden_isTheSame() {
        try (Opened opened = Opened.of(8 << 20, 2)) {
            ChunkMemory memory = opened.memory;
            long[] cids = new long[100_000];
            for (int i = 0; i < cids.length; i++) {
                cids[i] = memory.create(SIZE);
            }
            double full = memory.reclaimableShare();
            for (int i = 0; i < cids.length; i += 2) {
                memory.delete(cids[i]);
            }
            double half = memory.reclaimableShare();
            assertThat(half).isGreaterThan(full + 0.3);
            // Whoever looks at pages now finds none.
            long root = opened.space.vmb.getAcquire(0);
            opened.space.vmb.setRelease(0, 0);
            int[] pages = {0};
            opened.space.table.forEachPage(page -> pages[0]++);
            assertThat(pages[0]).isZero();
            assertThat(memory.reclaimableShare()).isEqualTo(half);
            opened.space.vmb.setRelease(0, root);
            memory.defragment(Long.MAX_VALUE);
            assertThat(memory.reclaimableShare()).isLessThan(half - 0.3);
            MemoryTests.assertSound(memory);
        }
    }

    @Test
    void figures_ofAPinnedPage_sayThatItCannotMove() {
        try (Opened opened = Opened.of(8 << 20, 1)) {
            ChunkMemory memory = opened.memory;
            long[] cids = new long[10_000];
            for (int i = 0; i < cids.length; i++) {
                cids[i] = memory.create(SIZE);
            }
            long sparse = cids[8000];
            long page = opened.space.table.find(sparse & ChunkMemory.MAX_LID);
            int segment = opened.space.extents.segmentOf(Page.base(opened.space.vmb.getAcquire(page)));
            for (int i = 7000; i < 9000; i++) {
                if (i != 8000) {
                    memory.delete(cids[i]);
                }
            }
            Segments segments = opened.space.extents.segments();
            int fixedBefore = segments.fixed(segment);
            long deadBefore = segments.deadBytes(segment);
            memory.pin(sparse);
            assertThat(segments.fixed(segment)).isEqualTo(fixedBefore + 1);
            assertThat(deadBefore - segments.deadBytes(segment)).isEqualTo((Page.SLOTS - 1L) * SIZE);
            memory.unpin(sparse);
            assertThat(segments.fixed(segment)).isEqualTo(fixedBefore);
            assertThat(segments.deadBytes(segment)).isEqualTo(deadBefore);
        }
    }

    /** The verifier walks over all pages after each operation. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void operations_ofAllKinds_leaveTheFiguresThatAWalkFinds(long seed) throws IOException {
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        int deadSeen = 0;
        try (Opened opened = Opened.of(seed % 2 == 0 ? 1 << 20 : 6 << 20, (int) seed % 3 + 1)) {
            ChunkMemory memory = opened.memory;
            MemoryModel model = new MemoryModel();
            ModelRun run = new ModelRun(
                    memory, model, random, () -> random.nextInt(60) == 0 ? random.nextInt(2000) : SIZE, 1500);
            for (int i = 0; i < 1500; i++) {
                switch (random.nextInt(20)) {
                    case 0 -> createConsecutive(memory, model, random);
                    case 1 -> insertTogether(memory, model, random);
                    case 2 -> memory.defragment(random.nextInt(1 << 20));
                    default -> run.step();
                }
                MemoryTests.assertSound(memory);
                deadSeen += opened.deadBytes() > 0 ? 1 : 0;
            }
            run.deleteAll();
            MemoryTests.assertSound(memory);
            assertThat(deadSeen).isGreaterThan(100);
        }
    }

    @Test
    void figures_ofALoadedMemory_areThoseOfTheDumpedOne() throws IOException {
        ByteArrayOutputStream dump = new ByteArrayOutputStream();
        double share;
        long pinned;
        try (Opened opened = Opened.of(8 << 20, 2)) {
            ChunkMemory memory = opened.memory;
            long[] cids = new long[50_000];
            for (int i = 0; i < cids.length; i++) {
                cids[i] = memory.create(SIZE);
            }
            for (int i = 0; i < cids.length; i++) {
                if (i % 3 != 0) {
                    memory.delete(cids[i]);
                }
            }
            share = memory.reclaimableShare();
            pinned = cids[0];
            memory.pin(pinned);
            memory.dump(Channels.newChannel(dump));
        }
        try (ChunkMemory loaded = ChunkMemories.load(
                MemoryTests.config(MemoryLayout.TYPED, 8 << 20),
                Channels.newChannel(new ByteArrayInputStream(dump.toByteArray())))) {
            MemoryTests.assertSound(loaded);
            // Nothing is pinned any more, and no page is open.
            assertThat(loaded.reclaimableShare()).isBetween(share, share + 0.01);
            assertThat(loaded.pin(pinned)).isNotZero();
            MemoryTests.assertSound(loaded);
        }
    }

    private static void createConsecutive(ChunkMemory memory, MemoryModel model, Random random) {
        int[] sizes = new int[1 + random.nextInt(1200)];
        Arrays.fill(sizes, SIZE);
        try {
            long first = memory.createConsecutive(sizes.length, sizes, null, 0);
            for (int i = 0; i < sizes.length; i++) {
                model.add(first + i, new byte[SIZE]);
            }
        } catch (OutOfChunkMemoryException e) {
            assertThat(memory.statistics().chunks()).isEqualTo(model.size());
        }
    }

    /** Chunks of another peer, in a page that may be empty. */
    private static void insertTogether(ChunkMemory memory, MemoryModel model, Random random) {
        long first = 0x77L << 48 | (1 + random.nextInt(4)) * 512L;
        int count = 500 + random.nextInt(12);
        long[] cids = new long[count];
        int[] sizes = new int[count];
        long[] offsets = new long[count];
        for (int i = 0; i < count; i++) {
            cids[i] = first + i;
            sizes[i] = SIZE;
        }
        if (Arrays.stream(cids).anyMatch(model::has)) {
            return;
        }
        byte[] content = MemoryTests.random(random, SIZE);
        int made = 0;
        try {
            memory.insertOrReplace(cids, 0, count, MemorySegment.ofArray(content), offsets, sizes);
            made = count;
        } catch (OutOfChunkMemoryException e) {
            while (made < count && memory.sizeOf(cids[made]) != ChunkMemory.ABSENT) {
                made++;
            }
        }
        for (int i = 0; i < made; i++) {
            model.add(cids[i], content);
        }
    }
}
