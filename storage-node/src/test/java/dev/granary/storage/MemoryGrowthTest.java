package dev.granary.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.env.Loops;
import dev.granary.env.SystemClock;
import dev.granary.env.ThreadScheduler;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.OutOfChunkMemoryException;
import dev.granary.memory.SystemMemoryConfig;
import dev.granary.memory.paged.ChunkMemories;
import dev.granary.storage.MemoryGrowth.Sizes;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MemoryGrowthTest {
    private static final long MIB = 1L << 20;
    private static final Sizes SIZES = new Sizes(16 * MIB, 100 * MIB, 32 * MIB);

    private final ThreadScheduler scheduler = new ThreadScheduler("unused", thrown -> {});

    private final AtomicLong limit = new AtomicLong(100 * MIB);

    @Test
    void at_limitsAroundTheConfiguredOne_growsWithinItsBounds() {
        assertThat(SIZES.at(0)).isEqualTo(16 * MIB);
        assertThat(SIZES.at(100 * MIB)).isEqualTo(16 * MIB);
        assertThat(SIZES.at(108 * MIB)).isEqualTo(24 * MIB);
        assertThat(SIZES.at(Long.MAX_VALUE)).isEqualTo(32 * MIB);
        assertThat(new Sizes(16 * MIB, 0, 32 * MIB).at(Long.MAX_VALUE)).isEqualTo(16 * MIB);
    }

    @Test
    void look_limitIsRaised_memoryTakesMoreChunks() {
        try (ChunkMemory memory = memory();
                MemoryGrowth growth = growthOf(memory)) {
            long before = fill(memory);
            growth.look();
            assertThat(fill(memory)).isZero();

            limit.set(112 * MIB);
            growth.look();
            assertThat(memory.statistics().capacityBytes()).isEqualTo(28 * MIB);
            assertThat(fill(memory)).isGreaterThan(before / 2);
            assertThat(memory.verify().violations()).isEmpty();
        }
    }

    @Test
    void look_limitFallsAgain_memoryStaysAsItIs() {
        try (ChunkMemory memory = memory();
                MemoryGrowth growth = growthOf(memory)) {
            limit.set(200 * MIB);
            growth.look();
            limit.set(50 * MIB);
            growth.look();
            assertThat(memory.statistics().capacityBytes()).isEqualTo(32 * MIB);
        }
    }

    @Test
    void limitOfProcess_thisMachine_isWhatItHasOrLess() {
        assertThat(MemoryGrowth.limitOfProcess()).isPositive();
    }

    @Test
    void start_aLookThrows_isCountedAndTheNextOneGrows() throws Exception {
        Loops loops = new Loops(new SystemClock(), (loop, thrown) -> {});
        CountDownLatch looks = new CountDownLatch(3);
        try (ThreadScheduler scheduler = new ThreadScheduler("control", thrown -> {}, loops);
                ChunkMemory memory = memory();
                MemoryGrowth growth = new MemoryGrowth(
                        memory,
                        SIZES,
                        () -> limitAfterAFailure(looks),
                        scheduler,
                        Executors.newSingleThreadExecutor())) {
            growth.start();
            assertThat(looks.await(30, TimeUnit.SECONDS)).isTrue();

            assertThat(loops.failures()).containsExactly(Map.entry("memory-growth", 1L));
            assertThat(memory.statistics().capacityBytes()).isEqualTo(32 * MIB);
        }
    }

    private static long limitAfterAFailure(CountDownLatch looks) {
        looks.countDown();
        if (looks.getCount() == 2) {
            throw new IllegalStateException("the limit cannot be read");
        }
        return 200 * MIB;
    }

    private MemoryGrowth growthOf(ChunkMemory memory) {
        return new MemoryGrowth(memory, SIZES, limit::get, scheduler, Executors.newSingleThreadExecutor());
    }

    @AfterEach
    void close() {
        scheduler.close();
    }

    private static ChunkMemory memory() {
        ChunkMemory memory = ChunkMemories.open(ChunkMemoryConfig.of(1, 16 * MIB)
                .withSystem(SystemMemoryConfig.defaults().withMaxCapacityBytes(32 * MIB)));
        memory.reserveLids(1 << 20);
        return memory;
    }

    /** Creates chunks until there is no room, and returns how many. */
    private static long fill(ChunkMemory memory) {
        long count = 0;
        try {
            while (true) {
                memory.create(1 << 16);
                count++;
            }
        } catch (OutOfChunkMemoryException e) {
            return count;
        }
    }
}
