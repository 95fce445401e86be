package dev.granary.memory.paged;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.DefragmentationReport;
import dev.granary.memory.FragmentationStatistics;
import dev.granary.memory.MemoryLayout;
import dev.granary.memory.MemoryStatistics;
import dev.granary.memory.OutOfChunkMemoryException;
import dev.granary.memory.SystemMemoryConfig;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(MemoryLayout.class)
class DefragmenterTest {

    private static final long MEBIBYTE = 1 << 20;

    private final MemoryLayout layout;

    DefragmenterTest(MemoryLayout layout) {
        this.layout = layout;
    }

    @ParameterizedTest
    @CsvSource({"32,32", "16,64", "8,8", "1,300", "100,3000"})
    void defragment_everySecondChunkDeleted_leavesWholeFreeSegmentsAndNoSmallBlocks(int min, int max) {
        try (ChunkMemory memory = MemoryTests.open(layout, 64 * MEBIBYTE)) {
            List<Long> cids = fill(memory, new Random(1), min, max, 16 * MEBIBYTE);
            deleteEverySecond(memory, cids);
            DefragmentationReport report = memory.defragment(Long.MAX_VALUE);
            FragmentationStatistics after = memory.fragmentation();
            MemoryTests.assertSound(memory);
            assertThat(report.isComplete()).isTrue();
            assertThat(report.releasedSegments()).isPositive();
            // With typed pages, a segment that was not worth emptying may have a free block from before.
            assertThat(after.smallFreeBlocks()).isLessThanOrEqualTo(layout == MemoryLayout.CLASSIC ? 0 : 2);
            assertThat(after.evacuatingSegments()).isZero();
            assertThat(after.wholeFreeSegmentsShare()).isGreaterThan(0.9);
            assertThat(memory.reclaimableShare()).isLessThan(0.2);
            checkAll(memory, cids);
            // There is nothing left to do, and a filling segment is not moved for ever.
            assertThat(memory.defragment(Long.MAX_VALUE).movedBytes()).isZero();
        }
    }

    @Test
    void defragment_smallBudgets_endsWhereOneCallDoes() {
        try (ChunkMemory memory = MemoryTests.open(layout, 32 * MEBIBYTE)) {
            List<Long> cids = fill(memory, new Random(2), 20, 60, 8 * MEBIBYTE);
            deleteEverySecond(memory, cids);
            int steps = 0;
            while (!memory.defragment(10_000).isComplete()) {
                steps++;
                if (steps % 50 == 0) {
                    MemoryTests.assertSound(memory);
                    checkAll(memory, cids);
                }
            }
            assertThat(steps).isGreaterThan(100);
            assertThat(memory.fragmentation().evacuatingSegments()).isZero();
            checkAll(memory, cids);
            MemoryTests.assertSound(memory);
        }
    }

    @Test
    void defragment_pinnedChunks_stayWhereTheyAre() {
        try (ChunkMemory memory = MemoryTests.open(layout, 32 * MEBIBYTE)) {
            List<Long> cids = fill(memory, new Random(3), 32, 32, 8 * MEBIBYTE);
            deleteEverySecond(memory, cids);
            MemorySegment all = MemorySegment.ofAddress(0).reinterpret(Long.MAX_VALUE);
            List<Long> pinned = new ArrayList<>();
            List<Long> addresses = new ArrayList<>();
            for (int i = 0; i < cids.size(); i += 10_000) {
                pinned.add(cids.get(i));
                addresses.add(memory.pin(cids.get(i)));
            }
            DefragmentationReport report = memory.defragment(Long.MAX_VALUE);
            assertThat(report.releasedSegments()).isPositive();
            for (int i = 0; i < pinned.size(); i++) {
                byte[] there = all.asSlice(addresses.get(i), 32).toArray(ValueLayout.JAVA_BYTE);
                assertThat(there).isEqualTo(MemoryTests.bytes(memory, pinned.get(i)));
                byte[] changed = MemoryTests.random(new Random(i), 32);
                assertThat(memory.put(pinned.get(i), MemorySegment.ofArray(changed), 0, 32))
                        .isTrue();
                assertThat(all.asSlice(addresses.get(i), 32).toArray(ValueLayout.JAVA_BYTE))
                        .isEqualTo(changed);
                MemoryTests.assertSound(memory);
            }
            double pinnedShare = memory.fragmentation().wholeFreeSegmentsShare();
            pinned.forEach(memory::unpin);
            memory.defragment(Long.MAX_VALUE);
            assertThat(memory.fragmentation().wholeFreeSegmentsShare())
                    .isGreaterThan(pinnedShare)
                    .isGreaterThan(0.9);
            MemoryTests.assertSound(memory);
        }
    }

    @Test
    void create_scatteredFreeMemoryOnly_isPutTogetherFirst() {
        try (ChunkMemory memory = MemoryTests.open(layout, 32 * MEBIBYTE)) {
            List<Long> cids = fill(memory, new Random(4), 40, 40, 64 * MEBIBYTE);
            Random random = new Random(5);
            cids.removeIf(cid -> random.nextInt(5) < 2 && memory.delete(cid));
            List<Long> large = new ArrayList<>();
            assertThatThrownBy(() -> {
                        while (true) {
                            large.add(memory.create(60_000));
                        }
                    })
                    .isInstanceOf(OutOfChunkMemoryException.class);
            // 40 % were deleted, some 11 MiB; most of that must be usable.
            assertThat(large.size() * 60_000L).isGreaterThan(7 * MEBIBYTE);
            checkAll(memory, cids);
            MemoryTests.assertSound(memory);
        }
    }

    @Test
    void resizeMemory_downAndUp_keepsAllChunksAndGivesMemoryBack() {
        ChunkMemoryConfig config = MemoryTests.config(layout, 64 * MEBIBYTE)
                .withSystem(SystemMemoryConfig.defaults().withHugePages(false).withMaxCapacityBytes(128 * MEBIBYTE));
        try (ChunkMemory memory = ChunkMemories.open(config)) {
            memory.reserveLids(ChunkMemory.MAX_LID);
            List<Long> cids = fill(memory, new Random(6), 16, 200, 50 * MEBIBYTE);
            Random random = new Random(7);
            cids.removeIf(cid -> random.nextInt(10) < 7 && memory.delete(cid));
            assertThat(memory.resizeMemory(32 * MEBIBYTE)).isEqualTo(32 * MEBIBYTE);
            MemoryTests.assertSound(memory);
            checkAll(memory, cids);
            assertThat(memory.memoryFromSystem().residentBytes()).isLessThan(33 * MEBIBYTE);
            assertThat(memory.statistics().capacityBytes()).isEqualTo(32 * MEBIBYTE);
            // The memory holds more than that: it becomes as small as possible.
            long least = memory.resizeMemory(4 * MEBIBYTE);
            assertThat(least).isBetween(memory.statistics().payloadBytes(), 32 * MEBIBYTE);
            MemoryTests.assertSound(memory);
            checkAll(memory, cids);
            assertThat(memory.resizeMemory(128 * MEBIBYTE)).isEqualTo(128 * MEBIBYTE);
            cids.addAll(fill(memory, new Random(8), 16, 200, 100 * MEBIBYTE));
            checkAll(memory, cids);
            MemoryTests.assertSound(memory);
            assertThatThrownBy(() -> memory.resizeMemory(129 * MEBIBYTE)).hasMessageContaining("reserved at the start");
        }
    }

    @Test
    void soak_deleteAndCreateWithChangingSizesAtNinetyPercent_staysUsable() {
        long capacity = 16 * MEBIBYTE;
        int steps = MemoryTests.steps(200_000);
        try (ChunkMemory memory = MemoryTests.open(layout, capacity)) {
            Random random = new Random(9);
            List<Long> cids = new ArrayList<>();
            int largest = 64;
            for (int step = 0; step < steps; step++) {
                if (step % 10_000 == 0) {
                    largest = 16 + random.nextInt(400);
                }
                if (step % 16 == 0) {
                    while (memory.statistics().freeBytes() < capacity / 10) {
                        delete(memory, cids, random);
                    }
                }
                int size = 8 + random.nextInt(largest);
                long cid = memory.create(size);
                memory.put(cid, MemorySegment.ofArray(content(cid, size)), 0, size);
                cids.add(cid);
            }
            MemoryTests.assertSound(memory);
            checkAll(memory, cids);
            memory.defragment(Long.MAX_VALUE);
            MemoryTests.assertSound(memory);
            checkAll(memory, cids);
            while (!cids.isEmpty()) {
                delete(memory, cids, random);
            }
            MemoryTests.assertSound(memory);
            memory.defragment(Long.MAX_VALUE);
            // Nothing leaks: tables stay, and in the classic layout pages of entries, too.
            long most = layout == MemoryLayout.CLASSIC ? capacity / 4 : capacity / 50;
            MemoryStatistics figures = memory.statistics();
            assertThat(figures.capacityBytes() - figures.freeBytes()).isLessThan(most);
        }
    }

    private static void delete(ChunkMemory memory, List<Long> cids, Random random) {
        int index = random.nextInt(cids.size());
        assertThat(memory.delete(cids.get(index))).isTrue();
        cids.set(index, cids.getLast());
        cids.removeLast();
    }

    /** Creates chunks, with contents made from their CIDs, until they have {@code payloadBytes} or no room is left. */
    private static List<Long> fill(ChunkMemory memory, Random random, int min, int max, long payloadBytes) {
        List<Long> cids = new ArrayList<>();
        long payload = 0;
        try {
            while (payload < payloadBytes) {
                int size = min + random.nextInt(max - min + 1);
                long cid = memory.create(size);
                memory.put(cid, MemorySegment.ofArray(content(cid, size)), 0, size);
                cids.add(cid);
                payload += size;
            }
        } catch (OutOfChunkMemoryException e) {
            assertThat(payload).isPositive();
        }
        return cids;
    }

    private static void deleteEverySecond(ChunkMemory memory, List<Long> cids) {
        boolean[] odd = {false};
        cids.removeIf(cid -> (odd[0] = !odd[0]) && memory.delete(cid));
    }

    private static void checkAll(ChunkMemory memory, List<Long> cids) {
        byte[] room = new byte[4096];
        for (long cid : cids) {
            int size = memory.get(cid, MemorySegment.ofArray(room), 0, room.length);
            byte[] expected = content(cid, size);
            if (!java.util.Arrays.equals(expected, 0, size, room, 0, size)) {
                throw new AssertionError("chunk 0x%016x has other bytes".formatted(cid));
            }
        }
    }

    private static byte[] content(long seed, int size) {
        byte[] bytes = new byte[size];
        for (int i = 0; i < size; i++) {
            bytes[i] = (byte) (seed * 31 + i);
        }
        return bytes;
    }
}
