package dev.granary.memory.paged;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.CleanerConfig;
import dev.granary.memory.MemoryLayout;
import dev.granary.memory.OutOfChunkMemoryException;
import dev.granary.memory.arena.Reclaimer;
import dev.granary.memory.defragment.Defragmenter;
import dev.granary.memory.page.Space;
import dev.granary.memory.page.Stripes;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Memory that is short: a caller that finds no room does not compact all of it, and the cleaner works before that. */
class LimitedReclaimTest {

    private static final int CAPACITY = 32 << 20;
    private static final int SIZE = 40;
    private static final int LARGE = 100_000;

    /** A clock that goes on by a step each time that it is asked. */
    private final AtomicLong now = new AtomicLong();

    private ChunkMemory open(MemoryLayout layout, long stepNanos) {
        Space space = Space.make(MemoryTests.config(layout, CAPACITY), 2);
        Stripes stripes = Stripes.make(space, 2);
        ChunkMemory memory =
                new PagedChunkMemory(space, stripes, new Defragmenter(space, stripes, () -> now.addAndGet(stepNanos)));
        memory.reserveLids(ChunkMemory.MAX_LID + 1);
        return memory;
    }

    /** Fills the memory, then deletes three of four chunks, so that the free room is scattered. Returns those left. */
    private static List<Long> scatter(ChunkMemory memory) {
        List<Long> cids = new ArrayList<>();
        try {
            while (true) {
                cids.add(memory.create(SIZE));
            }
        } catch (OutOfChunkMemoryException e) {
            assertThat(e.isPassing()).isFalse();
        }
        List<Long> left = new ArrayList<>();
        for (int i = 0; i < cids.size(); i++) {
            if (i % 4 == 0) {
                left.add(cids.get(i));
            } else {
                memory.delete(cids.get(i));
            }
        }
        return left;
    }

    @Test
    void reclaim_limitIsOver_isToldAndTheNextCallGoesOn() {
        Space space = Space.make(MemoryTests.config(MemoryLayout.CLASSIC, CAPACITY), 2);
        Stripes stripes = Stripes.make(space, 2);
        Defragmenter defragmenter = new Defragmenter(space, stripes, () -> now.addAndGet(1000));
        try (ChunkMemory memory = new PagedChunkMemory(space, stripes, defragmenter)) {
            memory.reserveLids(ChunkMemory.MAX_LID + 1);
            List<Long> left = scatter(memory);
            memory.limitReclaim(() -> 0);
            int calls = 0;
            while (defragmenter.reclaim(12L * space.extents.extentBytes()) == Reclaimer.Reclaimed.LATER) {
                calls++;
                assertThat(calls).isLessThan(1000);
            }
            assertThat(calls).as("one call has moved only a little").isGreaterThan(2);
            assertThat(space.extents.usableExtents()).isGreaterThanOrEqualTo(12);
            assertThat(memory.sizeOf(memory.create(LARGE))).isEqualTo(LARGE);
            MemoryTests.assertSound(memory);
            for (long each : left) {
                assertThat(memory.sizeOf(each)).isEqualTo(SIZE);
            }
        }
    }

    @Test
    void create_limitIsOver_failsForTheMoment() {
        try (ChunkMemory memory = open(MemoryLayout.CLASSIC, 1000)) {
            scatter(memory);
            memory.limitReclaim(() -> 0);
            // Far more than the first call can put together.
            try {
                memory.create(20 * LARGE);
                throw new AssertionError("there is no room yet");
            } catch (OutOfChunkMemoryException e) {
                assertThat(e.isPassing()).isTrue();
                assertThat(e).hasMessageContaining("try again");
            }
            MemoryTests.assertSound(memory);
        }
    }

    /** Calls must not promise for ever that the free bytes will be room in a moment. */
    @ParameterizedTest
    @EnumSource(MemoryLayout.class)
    void create_whateverIsMovedMakesNoRoom_failsForGoodSoon(MemoryLayout layout) {
        try (ChunkMemory memory = open(layout, 1000)) {
            SplittableRandom random = new SplittableRandom(7);
            List<Long> cids = new ArrayList<>();
            try {
                while (true) {
                    cids.add(memory.create(20 + random.nextInt(3000)));
                }
            } catch (OutOfChunkMemoryException e) {
                assertThat(e.isPassing()).isFalse();
            }
            // A little is free everywhere.
            for (int i = 0; i < cids.size(); i += 40) {
                memory.delete(cids.get(i));
            }
            memory.limitReclaim(() -> 0);
            int attempts = 0;
            while (isPassing(memory, 20 * LARGE)) {
                attempts++;
                assertThat(attempts).isLessThan(100);
            }
            MemoryTests.assertSound(memory);
        }
    }

    /** Whether a create that finds no room is told that there will be some. */
    private static boolean isPassing(ChunkMemory memory, int sizeBytes) {
        try {
            memory.create(sizeBytes);
        } catch (OutOfChunkMemoryException e) {
            return e.isPassing();
        }
        throw new AssertionError("there is no room");
    }

    @ParameterizedTest
    @EnumSource(MemoryLayout.class)
    void create_withoutLimit_compactsUntilThereIsRoom(MemoryLayout layout) {
        try (ChunkMemory memory = open(layout, 1000)) {
            scatter(memory);
            assertThat(memory.sizeOf(memory.create(LARGE))).isEqualTo(LARGE);
            MemoryTests.assertSound(memory);
        }
    }

    @ParameterizedTest
    @EnumSource(MemoryLayout.class)
    void create_nothingIsScattered_failsForGood(MemoryLayout layout) {
        try (ChunkMemory memory = open(layout, 0)) {
            memory.limitReclaim(() -> TimeUnit.SECONDS.toNanos(1));
            OutOfChunkMemoryException failure = null;
            while (failure == null) {
                try {
                    memory.create(SIZE);
                } catch (OutOfChunkMemoryException e) {
                    failure = e;
                }
            }
            assertThat(failure.isPassing()).isFalse();
            assertThat(memory.isShort()).isTrue();
        }
    }

    @Test
    void cleaner_memoryIsShort_cleansBelowTheThreshold() throws InterruptedException {
        // 15 of 100 are scattered, less than the threshold, and hardly anything else is left.
        try (ChunkMemory memory = open(MemoryLayout.CLASSIC, 1)) {
            List<Long> cids = new ArrayList<>();
            while (!memory.isShort()) {
                cids.add(memory.create(SIZE));
            }
            for (int i = 0; i < cids.size(); i++) {
                if (i % 100 < 20) {
                    memory.delete(cids.get(i));
                }
            }
            assertThat(memory.isShort()).isTrue();
            double share = memory.reclaimableShare();
            assertThat(share).isBetween(0.06, 0.5);
            CleanerConfig config = new CleanerConfig(0.9, 0.05, 1, 1 << 20, 0);
            AtomicLong looks = new AtomicLong();
            Cleaner[] made = new Cleaner[1];
            try (Cleaner cleaner = new Cleaner(memory, config, nanos -> {
                // Something changes all the time: it is never idle.
                memory.create(1);
                looks.incrementAndGet();
                if (made[0].movedBytes() == 0 && looks.get() > 1000) {
                    throw new InterruptedException();
                }
            })) {
                made[0] = cleaner;
                cleaner.start();
                while (cleaner.movedBytes() == 0 && looks.get() <= 1000) {
                    Thread.onSpinWait();
                }
                assertThat(cleaner.movedBytes()).isPositive();
            }
            MemoryTests.assertSound(memory);
        }
    }

    @Test
    void cleaner_errorThatIsNotTheMachines_saysSoAndGoesOn() {
        Error error = new NoClassDefFoundError("a class that cannot be loaded");
        AtomicLong told = new AtomicLong();
        CleanerConfig eager = new CleanerConfig(0.01, 0.01, 1, 1000, 0);
        try (Cleaner cleaner = new Cleaner(failing(error), eager, nanos -> Thread.onSpinWait(), failure -> {
            told.incrementAndGet();
            throw new IllegalStateException("the listener fails, too");
        })) {
            cleaner.start();
            while (told.get() < 3) {
                Thread.onSpinWait();
            }
            assertThat(cleaner.failure()).hasCause(error);
        }
    }

    @Test
    void cleaner_errorOfTheMachine_reachesTheHandlerOfTheProcess() {
        Error error = new OutOfMemoryError("no heap");
        AtomicReference<@Nullable Throwable> seen = new AtomicReference<>();
        AtomicLong told = new AtomicLong();
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> seen.set(thrown));
        CleanerConfig eager = new CleanerConfig(0.01, 0.01, 1, 1000, 0);
        try (Cleaner cleaner =
                new Cleaner(failing(error), eager, nanos -> Thread.onSpinWait(), failure -> told.incrementAndGet())) {
            cleaner.start();
            while (seen.get() == null) {
                Thread.onSpinWait();
            }
            assertThat(seen.get()).isSameAs(error);
            assertThat(told.get()).isZero();
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
    }

    /** A memory whose figures cannot be asked for. */
    private static ChunkMemory failing(Error error) {
        return (ChunkMemory) Proxy.newProxyInstance(
                ChunkMemory.class.getClassLoader(), new Class<?>[] {ChunkMemory.class}, (proxy, method, arguments) -> {
                    throw error;
                });
    }

    @Test
    void cleaner_fails_saysSoAndGoesOn() {
        AtomicLong told = new AtomicLong();
        ChunkMemory memory = MemoryTests.open(MemoryLayout.TYPED, 4 << 20);
        memory.close();
        CleanerConfig eager = new CleanerConfig(0.01, 0.01, 1, 1000, 0);
        try (Cleaner cleaner =
                new Cleaner(memory, eager, nanos -> Thread.onSpinWait(), failure -> told.incrementAndGet())) {
            cleaner.start();
            while (told.get() < 3) {
                Thread.onSpinWait();
            }
            assertThat(cleaner.failure()).hasMessageContaining("closed");
        }
    }
}
