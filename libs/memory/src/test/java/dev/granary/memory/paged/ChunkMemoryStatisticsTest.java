package dev.granary.memory.paged;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.MemoryLayout;
import dev.granary.memory.MemoryStatistics;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What statistics say while operations run, and that they wait for none of them. */
class ChunkMemoryStatisticsTest {

    private static final long CAPACITY = 16 << 20;

    @ParameterizedTest
    @EnumSource(MemoryLayout.class)
    void statistics_whileADumpWaitsForItsDisk_areThereAtOnce(MemoryLayout layout) throws Exception {
        SlowChannel disk = new SlowChannel();
        try (ChunkMemory memory = MemoryTests.open(layout, CAPACITY);
                ExecutorService others = Executors.newCachedThreadPool()) {
            for (int i = 0; i < 10_000; i++) {
                memory.create(i % 300);
            }
            MemoryStatistics before = memory.statistics();
            Future<?> dump = others.submit(() -> {
                memory.dump(disk);
                return true;
            });
            disk.awaitReached();
            try {
                MemoryStatistics meanwhile = others.submit(memory::statistics).get(10, TimeUnit.SECONDS);
                assertThat(meanwhile).isEqualTo(before);
                assertThat(dump.isDone()).isFalse();
            } finally {
                disk.release();
            }
            dump.get();
            assertThat(memory.statistics()).isEqualTo(before);
            MemoryTests.assertSound(memory);
        }
    }

    @ParameterizedTest
    @EnumSource(MemoryLayout.class)
    void statistics_besideCreatesAndDeletes_addUpAndNeverHaveMorePayloadThanBlocks(MemoryLayout layout)
            throws Exception {
        try (ChunkMemory memory = MemoryTests.open(layout, CAPACITY);
                ExecutorService others = Executors.newCachedThreadPool()) {
            AtomicBoolean done = new AtomicBoolean();
            Future<Integer> looks = others.submit(() -> {
                int count = 0;
                for (; !done.get(); count++) {
                    MemoryStatistics now = memory.statistics();
                    assertThat(now.payloadBytes() + now.bookkeepingBytes() + now.freeBytes())
                            .isEqualTo(now.capacityBytes() + now.heapBytes());
                    assertThat(now.blockBytes()).isNotNegative();
                    assertThat(now.payloadBytes()).isNotNegative();
                }
                return count;
            });
            long[] cids = new long[500];
            for (int round = 0; round < 200; round++) {
                for (int i = 0; i < cids.length; i++) {
                    cids[i] = memory.create(1 + (i * 7 + round) % 1200);
                }
                for (long cid : cids) {
                    memory.delete(cid);
                }
            }
            done.set(true);
            assertThat(looks.get()).isPositive();
            assertThat(memory.statistics().chunks()).isZero();
            assertThat(memory.statistics().payloadBytes()).isZero();
        }
    }
}
