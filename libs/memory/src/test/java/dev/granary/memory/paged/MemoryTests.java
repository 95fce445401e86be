package dev.granary.memory.paged;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.MemoryLayout;
import dev.granary.memory.MemoryStatistics;
import dev.granary.memory.VerifierReport;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;

/** What the tests of chunk memory share. */
public final class MemoryTests {

    static final int NID = 0x8000;

    private MemoryTests() {}

    /** So many steps of a model, or more: times granary.threads.factor. */
    public static int steps(int least) {
        return least * Integer.getInteger("granary.threads.factor", 1);
    }

    /** A memory without huge pages, so that small tests take little, and with all LIDs reserved. */
    static ChunkMemory open(MemoryLayout layout, long capacityBytes) {
        ChunkMemory memory = ChunkMemories.open(config(layout, capacityBytes));
        memory.reserveLids(ChunkMemory.MAX_LID + 1);
        return memory;
    }

    /** Without huge pages. */
    static ChunkMemoryConfig config(MemoryLayout layout, long capacityBytes) {
        return ChunkMemoryConfig.of(NID, capacityBytes).withHugePages(false).withLayout(layout);
    }

    static MemorySegment segment(byte... bytes) {
        return MemorySegment.ofArray(bytes);
    }

    static byte[] bytes(ChunkMemory memory, long cid) {
        int size = memory.sizeOf(cid);
        assertThat(size).as("size of 0x%016x", cid).isNotEqualTo(ChunkMemory.ABSENT);
        byte[] room = new byte[size + 4];
        room[size + 3] = 77;
        assertThat(memory.get(cid, MemorySegment.ofArray(room), 2, size)).isEqualTo(size);
        assertThat(room[0]).isZero();
        assertThat(room[1]).isZero();
        assertThat(room[size + 2]).isZero();
        assertThat(room[size + 3]).isEqualTo((byte) 77);
        return MemorySegment.ofArray(room).asSlice(2, size).toArray(ValueLayout.JAVA_BYTE);
    }

    public static byte[] random(Random random, int sizeBytes) {
        byte[] bytes = new byte[sizeBytes];
        random.nextBytes(bytes);
        return bytes;
    }

    static void assertSound(ChunkMemory memory) {
        VerifierReport report = memory.verify();
        assertThat(report.violations()).isEmpty();
        MemoryStatistics figures = memory.statistics();
        assertThat(report.chunks()).isEqualTo(figures.chunks());
        assertThat(figures.usedBytes() + figures.freeBytes()).isEqualTo(figures.capacityBytes() + figures.heapBytes());
    }
}
