package dev.granary.bench.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.memory.ChunkMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A {@link SoakThread} on a real memory: it must find what is wrong, or a soak of hours proves nothing. */
class SoakThreadTest {

    private static final int SLOTS = 500;

    private final ChunkMemory memory = GranaryStore.openMemory(Layout.TYPED, 16 << 20);
    private final AtomicBoolean full = new AtomicBoolean();
    private final SoakThread thread = new SoakThread(1, memory, SizeDistribution.parse("16-64"), SLOTS, full);

    @AfterEach
    void close() {
        memory.close();
    }

    private List<Long> cids() {
        List<Long> cids = new ArrayList<>();
        for (long lid = 0; lid < 1_000_000 && cids.size() < memory.statistics().chunks(); lid++) {
            long cid = (long) memory.nid() << 48 | lid;
            if (memory.sizeOf(cid) >= 0) {
                cids.add(cid);
            }
        }
        return cids;
    }

    @Test
    void work_forAWhile_allChunksAreTheirOwnAndNothingIsLeftInTheEnd() {
        thread.fill();
        assertThat(memory.statistics().chunks()).isEqualTo(SLOTS);
        for (int phase = 0; phase < 6; phase++) {
            thread.work(System.nanoTime() + 20_000_000, phase);
            thread.check();
        }
        assertThat(thread.operations()).isPositive();
        assertThat(thread.failures()).isZero();
        memory.verify().throwIfBroken();
        thread.deleteAll();
        assertThat(memory.statistics().chunks()).isZero();
        assertThat(memory.statistics().payloadBytes()).isZero();
    }

    @Test
    void work_memoryIsFull_onlyDeletesAndResizes() {
        thread.fill();
        full.set(true);
        thread.work(System.nanoTime() + 20_000_000, 0);
        assertThat(memory.statistics().chunks()).isLessThan(SLOTS);
        thread.check();
    }

    @Test
    void check_oneByteIsAnother_isFound() {
        thread.fill();
        long cid = cids().get(7);
        byte[] bytes = new byte[memory.sizeOf(cid)];
        memory.get(cid, MemorySegment.ofArray(bytes), 0, bytes.length);
        bytes[bytes.length - 1]++;
        memory.replace(cid, MemorySegment.ofArray(bytes), 0, bytes.length);
        assertThatThrownBy(thread::check)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(Long.toHexString(cid));
    }

    @Test
    void check_sizeIsAnother_isFound() {
        thread.fill();
        long cid = cids().get(7);
        memory.replace(cid, MemorySegment.ofArray(new byte[70]), 0, 70);
        assertThatThrownBy(thread::check).hasMessageContaining("has 70 B");
    }

    @Test
    void deleteAll_aChunkIsMissing_isFound() {
        thread.fill();
        memory.delete(cids().get(7));
        assertThatThrownBy(thread::deleteAll).hasMessageContaining("is missing");
    }
}
