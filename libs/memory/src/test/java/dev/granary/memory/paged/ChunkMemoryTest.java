package dev.granary.memory.paged;

import static dev.granary.memory.paged.MemoryTests.NID;
import static dev.granary.memory.paged.MemoryTests.assertSound;
import static dev.granary.memory.paged.MemoryTests.bytes;
import static dev.granary.memory.paged.MemoryTests.segment;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.ForeignCidException;
import dev.granary.memory.InvalidSizeException;
import dev.granary.memory.LidsExhaustedException;
import dev.granary.memory.MemoryLayout;
import dev.granary.memory.MemoryStatistics;
import dev.granary.memory.OutOfChunkMemoryException;
import dev.granary.memory.SizeMismatchException;
import dev.granary.memory.os.Vmb;
import dev.granary.serialization.BufferTooSmallException;
import dev.granary.serialization.Exportable;
import dev.granary.serialization.Exporter;
import dev.granary.serialization.MalformedDataException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@EnumSource(MemoryLayout.class)
class ChunkMemoryTest {

    private final MemoryLayout layout;

    ChunkMemoryTest(MemoryLayout layout) {
        this.layout = layout;
    }

    private int openBefore;
    private ChunkMemory memory;

    @BeforeEach
    void open() {
        openBefore = Vmb.openCount();
        memory = MemoryTests.open(layout, 64L << 20);
    }

    @AfterEach
    void close() {
        assertSound(memory);
        memory.close();
        assertThat(Vmb.openCount()).isEqualTo(openBefore);
    }

    @Test
    void create_firstChunks_haveConsecutiveCidsFromOne() {
        assertThat(memory.nid()).isEqualTo(NID);
        assertThat(memory.lidMark()).isEqualTo(1);
        assertThat(memory.create(3)).isEqualTo(0x8000000000000001L);
        assertThat(memory.create(segment((byte) 1), 0, 1)).isEqualTo(0x8000000000000002L);
        assertThat(memory.lidMark()).isGreaterThan(2);
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                0,
                1,
                2,
                3,
                7,
                8,
                9,
                13,
                14,
                15,
                63,
                64,
                65,
                2047,
                2048,
                2049,
                4095,
                4096,
                4097,
                2048 + 2048 * 256,
                2049 + 2048 * 256,
                2050 + 2048 * 256,
                5_000_000
            })
    void get_chunksOfEachKindOfSize_giveTheirBytes(int size) {
        byte[] content = MemoryTests.random(new Random(size), size + 3);
        MemorySegment source = MemorySegment.ofArray(content);
        long zeros = memory.create(size);
        long filled = memory.create(source, 3, size);
        assertThat(memory.sizeOf(filled)).isEqualTo(size);
        assertThat(bytes(memory, zeros)).isEqualTo(new byte[size]);
        assertThat(bytes(memory, filled)).isEqualTo(Arrays.copyOfRange(content, 3, size + 3));

        assertThat(memory.put(zeros, source, 1, size)).isTrue();
        assertThat(bytes(memory, zeros)).isEqualTo(Arrays.copyOfRange(content, 1, size + 1));
        assertThat(memory.delete(zeros)).isTrue();
        assertThat(memory.sizeOf(zeros)).isEqualTo(ChunkMemory.ABSENT);
        assertThat(bytes(memory, filled)).isEqualTo(Arrays.copyOfRange(content, 3, size + 3));
        assertThat(memory.delete(filled)).isTrue();
        assertThat(memory.statistics().payloadBytes()).isZero();
    }

    @Test
    void get_nativeSegment_givesTheBytes() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment source = arena.allocateFrom("0123456789abcdef0123456789");
            long cid = memory.create(source, 0, 26);
            MemorySegment target = arena.allocate(30);
            assertThat(memory.get(cid, target, 0, 30)).isEqualTo(26);
            assertThat(target.getString(0)).isEqualTo("0123456789abcdef0123456789");
        }
    }

    @Test
    void everyOperation_chunkThatIsAbsent_saysSo() {
        long never = 0x8000_0000_0000_0005L;
        long far = 0x8000_ffff_ffff_ffffL;
        long zero = 0x8000_0000_0000_0000L;
        long deleted = memory.create(5);
        memory.delete(deleted);
        for (long cid : new long[] {never, far, zero, deleted}) {
            assertThat(memory.sizeOf(cid)).isEqualTo(ChunkMemory.ABSENT);
            assertThat(memory.get(cid, segment(new byte[8]), 0, 8)).isEqualTo(ChunkMemory.ABSENT);
            assertThat(memory.get(cid, in -> in.readByte())).isFalse();
            assertThat(memory.put(cid, segment(new byte[5]), 0, 5)).isFalse();
            assertThat(memory.replace(cid, segment(new byte[6]), 0, 6)).isFalse();
            assertThat(memory.delete(cid)).isFalse();
        }
        assertThat(memory.statistics().payloadBytes()).isZero();
    }

    @Test
    void everyOperation_cidOfAnotherNode_isRefused() {
        long foreign = 0x4000_0000_0000_0001L;
        long cid = memory.create(segment((byte) 9), 0, 1);
        MemorySegment room = segment(new byte[8]);
        assertThatThrownBy(() -> memory.sizeOf(foreign))
                .isInstanceOf(ForeignCidException.class)
                .hasMessageContaining("0x4000000000000001")
                .hasMessageContaining("0x8000");
        assertThatThrownBy(() -> memory.get(foreign, room, 0, 8)).isInstanceOf(ForeignCidException.class);
        assertThatThrownBy(() -> memory.get(foreign, in -> {})).isInstanceOf(ForeignCidException.class);
        assertThatThrownBy(() -> memory.put(foreign, room, 0, 1)).isInstanceOf(ForeignCidException.class);
        assertThatThrownBy(() -> memory.replace(foreign, room, 0, 2)).isInstanceOf(ForeignCidException.class);
        assertThatThrownBy(() -> memory.delete(foreign)).isInstanceOf(ForeignCidException.class);
        long[] mixed = {cid, foreign};
        assertThatThrownBy(() -> memory.delete(mixed, 0, 2, new boolean[2])).isInstanceOf(ForeignCidException.class);
        assertThatThrownBy(() -> memory.get(mixed, 0, 2, room, 0, 8, new int[2]))
                .isInstanceOf(ForeignCidException.class);
        assertThat(bytes(memory, cid)).containsExactly(9);
    }

    @Test
    void get_bufferTooSmall_writesNothing() {
        long cid = memory.create(segment((byte) 1, (byte) 2, (byte) 3), 0, 3);
        byte[] room = new byte[8];
        assertThatThrownBy(() -> memory.get(cid, MemorySegment.ofArray(room), 1, 2))
                .isInstanceOf(BufferTooSmallException.class)
                .hasMessageContaining("3 B");
        assertThat(room).containsOnly(0);
        assertThatThrownBy(() -> memory.get(cid, MemorySegment.ofArray(room), 6, 3))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(memory.put(cid, segment((byte) 4, (byte) 5, (byte) 6), 0, 3))
                .as("it is not locked")
                .isTrue();
    }

    @Test
    void put_otherSize_isRefusedAndReplaceIsNot() {
        long cid = memory.create(segment((byte) 1, (byte) 2), 0, 2);
        assertThatThrownBy(() -> memory.put(cid, segment(new byte[3]), 0, 3))
                .isInstanceOf(SizeMismatchException.class)
                .hasMessageContaining("2 B");
        assertThat(bytes(memory, cid)).containsExactly(1, 2);
        assertThat(memory.replace(cid, segment((byte) 7, (byte) 8, (byte) 9), 0, 3))
                .isTrue();
        assertThat(bytes(memory, cid)).containsExactly(7, 8, 9);
        assertThat(memory.replace(cid, segment((byte) 1, (byte) 2, (byte) 3), 0, 3))
                .isTrue();
        assertThat(bytes(memory, cid)).containsExactly(1, 2, 3);
        assertThat(memory.replace(cid, segment(), 0, 0)).isTrue();
        assertThat(bytes(memory, cid)).isEmpty();
        assertThat(memory.replace(cid, segment(new byte[10_000]), 0, 10_000)).isTrue();
        assertThat(bytes(memory, cid)).hasSize(10_000);
        assertThat(memory.statistics().payloadBytes()).isEqualTo(10_000);
    }

    @Test
    void create_impossibleSizes_areRefused() {
        assertThatThrownBy(() -> memory.create(-1)).isInstanceOf(InvalidSizeException.class);
        assertThatThrownBy(() -> memory.create(Integer.MAX_VALUE)).isInstanceOf(InvalidSizeException.class);
        assertThatThrownBy(() -> memory.create(segment(new byte[4]), 1, 4))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> memory.create(2, new int[] {1, -1}, null, 0, new long[2]))
                .isInstanceOf(InvalidSizeException.class);
        assertThatThrownBy(() -> memory.create(2, new int[] {1, 1}, null, 0, new long[1]))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(memory.statistics().chunks()).isZero();
    }

    @Test
    void create_moreThanAnyFreeBlock_isRefusedAndChangesNothing() {
        long cid = memory.create(segment((byte) 1), 0, 1);
        MemoryStatistics before = memory.statistics();
        assertThatThrownBy(() -> memory.create(64 << 20))
                .isInstanceOf(OutOfChunkMemoryException.class)
                .hasMessageContaining("more memory");
        assertThatThrownBy(() -> memory.replace(cid, segment(new byte[65 << 20]), 0, 65 << 20))
                .isInstanceOf(OutOfChunkMemoryException.class);
        assertThat(memory.statistics()).isEqualTo(before);
        assertThat(bytes(memory, cid)).containsExactly(1);
    }

    @Test
    void createBatch_moreThanThereIsRoomFor_createsNone() {
        long cid = memory.create(segment((byte) 1), 0, 1);
        int count = 80_000;
        int[] sizes = new int[count];
        Arrays.fill(sizes, 1000);
        assertThatThrownBy(() -> memory.create(count, sizes, null, 0, new long[count]))
                .isInstanceOf(OutOfChunkMemoryException.class);
        assertThat(memory.statistics().chunks()).isEqualTo(1);
        assertThat(memory.statistics().payloadBytes()).isEqualTo(1);
        assertSound(memory);
        assertThat(memory.create(30_000, sizes, null, 0, new long[count])).isEqualTo(30_000);
        assertThat(bytes(memory, cid)).containsExactly(1);
    }

    @Test
    void createBatch_mixedSizes_givesEachItsBytes() {
        Random random = new Random(1);
        int count = 3000;
        int[] sizes = random.ints(count, 0, 90).toArray();
        sizes[7] = 0;
        sizes[1000] = 100_000;
        byte[] payload = MemoryTests.random(random, Arrays.stream(sizes).sum() + 5);
        long[] cids = new long[count];
        assertThat(memory.create(count, sizes, MemorySegment.ofArray(payload), 5, cids))
                .isEqualTo(count);
        int at = 5;
        for (int i = 0; i < count; i++) {
            if (layout == MemoryLayout.CLASSIC) {
                assertThat(cids[i]).isEqualTo(0x8000_0000_0000_0001L + i);
            }
            assertThat(bytes(memory, cids[i])).isEqualTo(Arrays.copyOfRange(payload, at, at + sizes[i]));
            at += sizes[i];
        }
    }

    @Test
    void createBatch_lidsAndRoomSpreadOverStripes_findsThemAll() throws Exception {
        int capacity = 4 << 20;
        try (ChunkMemory full = ChunkMemories.open(MemoryTests.config(layout, capacity))) {
            full.reserveLids(20_001);
            long[] cids = new long[20_000];
            int[] sizes = new int[20_000];
            Arrays.fill(sizes, 100);
            Thread[] threads = new Thread[4];
            for (int t = 0; t < threads.length; t++) {
                int from = t * 5000;
                threads[t] = Thread.ofPlatform().start(() -> {
                    for (int i = from; i < from + 5000; i++) {
                        cids[i] = full.create(100);
                    }
                });
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(full.delete(cids, 0, 20_000, new boolean[20_000])).isEqualTo(20_000);
            assertThat(full.create(20_000, sizes, null, 0, cids)).isEqualTo(20_000);
            assertThat(Arrays.stream(cids).distinct().count()).isEqualTo(20_000);
            assertSound(full);
        }
    }

    @Test
    void getBatch_someAbsentAndTooLittleRoom_stopsBeforeTheFirstThatDoesNotFit() {
        long[] cids = new long[200];
        for (int i = 0; i < cids.length; i++) {
            cids[i] = memory.create(segment((byte) i, (byte) i, (byte) i), 0, 3);
        }
        memory.delete(cids[3]);
        int[] sizes = new int[200];
        byte[] room = new byte[1000];
        assertThat(memory.get(cids, 1, 200, MemorySegment.ofArray(room), 10, 3 * 150 + 2, sizes))
                .isEqualTo(152);
        assertThat(sizes[0]).isZero();
        assertThat(sizes[3]).isEqualTo(ChunkMemory.ABSENT);
        assertThat(sizes[151]).isEqualTo(3);
        assertThat(room[9]).isZero();
        assertThat(Arrays.copyOfRange(room, 10, 19)).containsExactly(1, 1, 1, 2, 2, 2, 4, 4, 4);
        assertThat(room[10 + 450]).isZero();
        assertThat(memory.get(cids, 152, 200, MemorySegment.ofArray(room), 0, 1000, sizes))
                .isEqualTo(200);
        assertThat(memory.get(cids, 5, 5, MemorySegment.ofArray(room), 0, 0, sizes))
                .isEqualTo(5);
    }

    @Test
    void getBatch_fewChunks_givesTheSameAsManyAndAllocatesLess() {
        long[] cids = {memory.create(segment((byte) 1, (byte) 2), 0, 2), memory.create(segment((byte) 3), 0, 1), 0};
        cids[2] = memory.create(segment((byte) 4), 0, 1);
        memory.delete(cids[1]);
        int[] sizes = new int[3];
        byte[] room = new byte[4];
        MemorySegment target = MemorySegment.ofArray(room);
        assertThat(memory.get(cids, 0, 3, target, 1, 3, sizes)).isEqualTo(3);
        assertThat(sizes).containsExactly(2, ChunkMemory.ABSENT, 1);
        assertThat(room).containsExactly(0, 1, 2, 4);
        assertThat(memory.get(cids, 0, 3, target, 0, 2, sizes)).isEqualTo(2);
        assertThat(memory.get(cids, 2, 3, target, 0, 0, sizes)).isEqualTo(2);

        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 1_000; i++) {
            memory.get(cids, 0, 1, target, 0, 4, sizes);
        }
        long bytesEach = (threads.getCurrentThreadAllocatedBytes() - before) / 1_000;
        assertThat(bytesEach)
                .as("bytes for a get of one; the steps of a batch take 2,400")
                .isLessThan(1_000);
    }

    @Test
    void deleteBatch_someAbsent_countsTheOthers() {
        long[] cids = {memory.create(1), memory.create(2), memory.create(3), memory.create(4)};
        memory.delete(cids[1]);
        boolean[] deleted = new boolean[4];
        assertThat(memory.delete(cids, 0, 3, deleted)).isEqualTo(2);
        assertThat(deleted).containsExactly(true, false, true, false);
        assertThat(memory.sizeOf(cids[3])).isEqualTo(4);
    }

    @Test
    void createAndGet_objects_writeAndReadThemselves() {
        byte[] content = new byte[3000];
        for (int i = 0; i < content.length; i++) {
            content[i] = (byte) (31 * i);
        }
        long cid = memory.create(TestObject.of(content));
        assertThat(memory.sizeOf(cid)).isEqualTo(content.length);
        assertThat(memory.get(cid, TestObject.expecting(content))).isTrue();
    }

    @Test
    void create_objectThatLiesAboutItsSizeOrFails_leavesNothing() {
        assertThatThrownBy(() -> memory.create(object(4, 3))).isInstanceOf(SizeMismatchException.class);
        assertThatThrownBy(() -> memory.create(object(3, 4))).isInstanceOf(BufferTooSmallException.class);
        assertThatThrownBy(() -> memory.create(object(-1, 4))).isInstanceOf(InvalidSizeException.class);
        assertThat(memory.statistics().chunks()).isZero();
        assertThat(memory.statistics().payloadBytes()).isZero();
    }

    @Test
    void get_objectThatFails_leavesTheChunkUnlocked() {
        long cid = memory.create(2);
        assertThatThrownBy(() -> memory.get(cid, in -> in.readInt())).isInstanceOf(MalformedDataException.class);
        assertThat(memory.put(cid, segment(new byte[2]), 0, 2)).isTrue();
    }

    @Test
    void create_lidsNotReserved_isRefusedUntilTheyAre() {
        try (ChunkMemory strict =
                ChunkMemories.open(MemoryTests.config(layout, 1 << 20).withFirstLid(1000))) {
            assertThatThrownBy(() -> strict.create(1)).isInstanceOf(LidsExhaustedException.class);
            strict.reserveLids(1003);
            strict.reserveLids(1001);
            long first = strict.create(1);
            assertThat(first).isEqualTo(0x8000_0000_0000_0000L + 1000);
            strict.create(1);
            strict.create(1);
            assertThatThrownBy(() -> strict.create(1))
                    .isInstanceOf(LidsExhaustedException.class)
                    .hasMessageContaining("1003");
            assertThat(strict.lidMark()).isEqualTo(1003);
            strict.delete(first);
            assertThat(strict.create(1)).isEqualTo(first);
            assertThatThrownBy(() -> strict.create(3, new int[3], null, 0, new long[3]))
                    .isInstanceOf(LidsExhaustedException.class);
            assertThat(strict.statistics().chunks()).isEqualTo(3);
            assertSound(strict);
        }
    }

    @Test
    void create_farLids_areFoundOnEveryHeightOfTheTable() {
        for (long first : new long[] {1, 4095, 4096, 1L << 24, (1L << 36) - 2, ChunkMemory.MAX_LID - 3}) {
            try (ChunkMemory far =
                    ChunkMemories.open(MemoryTests.config(layout, 4 << 20).withFirstLid(first))) {
                far.reserveLids(ChunkMemory.MAX_LID + 1);
                Set<Long> cids = new HashSet<>();
                for (int i = 0; i < 4; i++) {
                    cids.add(far.create(segment((byte) i), 0, 1));
                }
                for (int i = 0; i < 4; i++) {
                    assertThat(cids).contains(0x8000_0000_0000_0000L + first + i);
                    assertThat(bytes(far, 0x8000_0000_0000_0000L + first + i)).containsExactly(i);
                }
                assertSound(far);
            }
        }
    }

    @Test
    void operations_afterClose_areRefused() {
        ChunkMemory closed = MemoryTests.open(layout, 1 << 20);
        long cid = closed.create(1);
        closed.close();
        closed.close();
        assertThatThrownBy(() -> closed.create(1)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> closed.sizeOf(cid)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> closed.delete(cid)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(closed::statistics).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> closed.get(new long[] {cid}, 0, 1, segment(new byte[1]), 0, 1, new int[1]))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void config_outOfRange_isRefusedByName() {
        assertThatThrownBy(() -> ChunkMemoryConfig.of(0, 1 << 20)).hasMessageContaining("nid");
        assertThatThrownBy(() -> ChunkMemoryConfig.of(1, 100)).hasMessageContaining("capacityBytes");
        assertThatThrownBy(() -> ChunkMemoryConfig.of(1, 1 << 20).withFirstLid(0))
                .hasMessageContaining("firstLid");
        assertThatThrownBy(() -> memory.reserveLids(0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void statistics_hundredThousandSmallChunks_bookkeepingIsSmall() {
        for (int i = 0; i < 100_000; i++) {
            memory.create(32);
        }
        MemoryStatistics figures = memory.statistics();
        assertThat(figures.payloadBytes()).isEqualTo(3_200_000);
        System.out.println("bookkeeping at 100,000 chunks: " + figures);
        double expected = layout == MemoryLayout.CLASSIC ? 9.1 : 0.8;
        assertThat(figures.bookkeepingBytes() / 100_000.0).isBetween(expected, expected + 0.7);
    }

    private static Exportable object(int announced, int written) {
        return new Exportable() {
            @Override
            public int sizeBytes() {
                return announced;
            }

            @Override
            public void exportTo(Exporter out) {
                for (int i = 0; i < written; i++) {
                    out.writeByte(i);
                }
            }
        };
    }
}
