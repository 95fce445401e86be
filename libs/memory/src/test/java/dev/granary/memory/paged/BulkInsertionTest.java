package dev.granary.memory.paged;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.MemoryLayout;
import dev.granary.memory.MemoryStatistics;
import dev.granary.memory.OutOfChunkMemoryException;
import dev.granary.memory.arena.Reclaimer;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(MemoryLayout.class)
class BulkInsertionTest {

    private static final long FOREIGN = 0x4000L << 48;
    private static final long OWN = (long) MemoryTests.NID << 48;

    private final MemoryLayout layout;
    private final ChunkMemory memory;

    BulkInsertionTest(MemoryLayout layout) {
        this.layout = layout;
        this.memory = MemoryTests.open(layout, 16 << 20);
    }

    @AfterEach
    void close() {
        MemoryTests.assertSound(memory);
        memory.close();
    }

    @Test
    void insertOrReplace_roundsOfRandomSpans_memoryHasWhatAModelHas() {
        long seed = 20261121;
        Random random = new Random(seed);
        Map<Long, byte[]> model = new HashMap<>();
        for (int round = 0; round < 60; round++) {
            long base = (random.nextBoolean() ? FOREIGN : OWN) + 1 + random.nextInt(4000);
            int count = 1 + random.nextInt(2000);
            int maxSize = random.nextInt(4) == 0 ? 3000 : 200;
            boolean sameSize = random.nextBoolean();
            boolean dense = random.nextBoolean();
            long[] cids = new long[count];
            int[] sizes = new int[count];
            long[] offsets = new long[count];
            long cid = base;
            int end = 0;
            for (int i = 0; i < count; i++) {
                cids[i] = cid;
                cid += dense ? 1 : 1 + random.nextInt(5);
                sizes[i] = sameSize ? 64 : random.nextInt(maxSize);
                offsets[i] = end;
                end += sizes[i];
            }
            byte[] payload = MemoryTests.random(random, end);
            int created = 0;
            for (int i = 0; i < count; i++) {
                byte[] value = Arrays.copyOfRange(payload, (int) offsets[i], (int) offsets[i] + sizes[i]);
                created += model.put(cids[i], value) == null ? 1 : 0;
            }

            assertThat(memory.insertOrReplace(cids, 0, count, MemorySegment.ofArray(payload), offsets, sizes))
                    .as("seed %d, round %d", seed, round)
                    .isEqualTo(created);

            for (int i = 0; i < 300; i++) {
                long victim = cids[random.nextInt(count)];
                assertThat(memory.delete(victim)).isEqualTo(model.remove(victim) != null);
            }
            MemoryTests.assertSound(memory);
        }
        assertThat(memory.statistics().chunks()).isEqualTo(model.size());
        model.forEach((known, value) -> assertThat(MemoryTests.bytes(memory, known))
                .as("seed %d, 0x%016x", seed, known)
                .isEqualTo(value));
    }

    @Test
    void insertOrReplace_manyOfOneSize_takesHardlyMoreThanTheirBytes() {
        int count = 100_000;
        insert(FOREIGN + 1, count, 64);
        MemoryStatistics figures = memory.statistics();
        assertThat(figures.chunks()).isEqualTo(count);
        assertThat(figures.bookkeepingBytes()).isLessThan((layout == MemoryLayout.CLASSIC ? 10L : 3L) * count);
    }

    @Test
    void insertOrReplace_ownChunksThatReturn_leavesTheirLidsToThem() {
        insert(OWN + 1, 3000, 40);
        for (int i = 0; i < 2000; i++) {
            assertThat(memory.sizeOf(memory.create(40))).isEqualTo(40);
        }
        assertThat(memory.statistics().chunks()).isEqualTo(5000);
    }

    /** As when the only other storage peer, of the same size, recovers a zone that filled its owner's memory. */
    @Test
    void insertOrReplace_whatFilledAnotherMemory_hasRoom() {
        long[] cids = new long[1 << 17];
        int[] sizes = new int[cids.length];
        int count = 0;
        try (ChunkMemory full = MemoryTests.open(layout, 16 << 20)) {
            for (int i = 0; i < 3333; i++) {
                cids[count] = full.create(32);
                sizes[count++] = 32;
            }
            for (int size : new int[] {4096, 8 << 10, 1 << 10, 128, 1}) {
                count = fill(full, size, cids, sizes, count);
            }
            assertThatThrownBy(() -> full.create(1)).isInstanceOf(OutOfChunkMemoryException.class);
        }
        long[] sorted = Arrays.copyOf(cids, count);
        Arrays.sort(sorted);
        Map<Long, Integer> sizeOf = new HashMap<>();
        for (int i = 0; i < count; i++) {
            sizeOf.put(cids[i], sizes[i]);
        }
        int window = 4 << 20;
        for (int from = 0, to; from < count; from = to) {
            int bytes = 0;
            long[] offsets = new long[count];
            int[] sortedSizes = new int[count];
            for (to = from; to < count && bytes + sizeOf.getOrDefault(sorted[to], 0) <= window; to++) {
                offsets[to] = bytes;
                sortedSizes[to] = sizeOf.getOrDefault(sorted[to], 0);
                bytes += sortedSizes[to];
            }
            memory.insertOrReplace(sorted, from, to, MemorySegment.ofArray(new byte[bytes]), offsets, sortedSizes);
        }
        assertThat(memory.statistics().chunks()).isEqualTo(count);
    }

    private static int fill(ChunkMemory memory, int size, long[] cids, int[] sizes, int count) {
        int filled = count;
        try {
            while (true) {
                cids[filled] = memory.create(size);
                sizes[filled++] = size;
            }
        } catch (OutOfChunkMemoryException _) {
            return filled;
        }
    }

    @Test
    void insertOrReplace_noRoom_saysSoAndIsSound() {
        int count = 4000;
        insert(FOREIGN + 1, count, 900);
        assertThatThrownBy(() -> insert(FOREIGN + 10_000, 4 * count, 3000))
                .isInstanceOf(OutOfChunkMemoryException.class);
        MemoryTests.assertSound(memory);
        for (int i = 1; i <= count; i++) {
            assertThat(memory.sizeOf(FOREIGN + i)).isEqualTo(900);
        }
    }

    @Test
    void insertOrReplace_cidsThatDoNotAscend_areRefused() {
        MemorySegment source = MemorySegment.ofArray(new byte[1]);
        assertThatThrownBy(() -> memory.insertOrReplace(
                        new long[] {FOREIGN + 2, FOREIGN + 2}, 0, 2, source, new long[2], new int[2]))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> memory.insertOrReplace(new long[] {FOREIGN}, 0, 1, source, new long[1], new int[1]))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() ->
                        memory.insertOrReplace(new long[] {FOREIGN + 1}, 0, 1, source, new long[] {1}, new int[] {1}))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(memory.statistics().chunks()).isZero();
    }

    @Test
    void insertOrReplace_noRoomUntilMemoryIsReclaimed_goesOnThen() {
        try (OpenMemory open = new OpenMemory(layout, 4 << 20, 1)) {
            long[] cids = LongStream.range(FOREIGN + 1, FOREIGN + 101).toArray();
            int[] sizes = new int[cids.length];
            Arrays.fill(sizes, 2000);
            open.page(cids[0]);
            open.takeAll(1000);
            List<Long> reclaims = new ArrayList<>();
            Changes changes = new Changes(open.space, open.stripes, neededBytes -> {
                reclaims.add(neededBytes);
                open.giveAll();
                return Reclaimer.Reclaimed.ROOM;
            });
            BulkInsertion insertion = new BulkInsertion(open.space, open.stripes, changes);
            MemorySegment source = MemorySegment.ofArray(new byte[2000]);
            assertThat(insertion.insertOrReplace(cids, 0, cids.length, source, new long[cids.length], sizes))
                    .isEqualTo(cids.length);
            assertThat(reclaims).hasSize(1);
            assertThat(Arrays.stream(cids)).allMatch(cid -> open.memory.sizeOf(cid) == 2000);
        }
    }

    private void insert(long first, int count, int sizeBytes) {
        long[] cids = new long[count];
        int[] sizes = new int[count];
        for (int i = 0; i < count; i++) {
            cids[i] = first + i;
            sizes[i] = sizeBytes;
        }
        MemorySegment source = MemorySegment.ofArray(new byte[sizeBytes]);
        memory.insertOrReplace(cids, 0, count, source, new long[count], sizes);
    }

    /** A run in the simulator gives the same in any thread. */
    @Test
    void create_afterInsertsByAnyThread_givesTheSameLids() throws InterruptedException {
        List<long[]> given = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Thread thread = new Thread(() -> given.add(insertAndCreate()));
            thread.start();
            thread.join();
        }
        assertThat(given).hasSize(4);
        assertThat(given.stream().map(Arrays::hashCode).distinct()).hasSize(1);
    }

    private long[] insertAndCreate() {
        try (ChunkMemory own = MemoryTests.open(layout, 16 << 20)) {
            for (long lid = 1; lid < 5000; lid += 100) {
                own.insert(OWN + lid, MemorySegment.ofArray(new byte[20]), 0, 20);
            }
            long[] cids = new long[600];
            for (int i = 0; i < cids.length; i++) {
                cids[i] = own.create(20);
            }
            return cids;
        }
    }
}
