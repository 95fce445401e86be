package dev.granary.memory.map;

import static dev.granary.memory.map.OffHeapMapTests.assertSound;
import static dev.granary.memory.map.OffHeapMapTests.bytes;
import static dev.granary.memory.map.OffHeapMapTests.segment;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Values that cannot be read leave the map as it was. */
class OffHeapMapClosedSourceTest {

    private static final long LATER = 2000;
    private static final int LARGE = 500_000;
    private static final int ROUNDS = 400;

    private static OffHeapMap open() {
        return OffHeapMap.open(
                new OffHeapMapConfig(64L << 20, false, 42, () -> 1000, null, Long.MAX_VALUE, OffHeapMapEviction.NONE));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5, 40, 300, 5000})
    void put_valueOfAClosedArena_leavesTheMapAsItWas(int size) {
        try (OffHeapMap map = open()) {
            for (int i = 0; i < 100; i++) {
                map.put(bytes("key " + i), new byte[i % 7 * 20]);
            }
            MemorySegment closed;
            try (Arena arena = Arena.ofConfined()) {
                closed = arena.allocate(size);
            }
            OffHeapMapStatistics before = map.statistics();
            for (int i = 0; i < 150; i++) {
                MemorySegment key = segment("key " + i);
                int keyBytes = (int) key.byteSize();
                long expiry = i % 2 == 0 ? LATER : OffHeapMap.NEVER;
                assertThatThrownBy(() -> map.put(key, 0, keyBytes, closed, 0, size, expiry))
                        .isInstanceOf(IllegalStateException.class);
                assertThatThrownBy(() -> map.putIfAbsent(segment("other"), 0, 5, closed, 0, size, expiry))
                        .isInstanceOf(IllegalStateException.class);
            }
            assertSound(map);
            assertThat(map.statistics()).isEqualTo(before);
            for (int i = 0; i < 100; i++) {
                assertThat(map.get(bytes("key " + i))).isEqualTo(new byte[i % 7 * 20]);
            }
        }
    }

    @Test
    void put_valueOfAnotherThreadsArena_leavesTheMapAsItWas() throws Exception {
        try (OffHeapMap map = open();
                Arena arena = Arena.ofConfined();
                ExecutorService others = Executors.newSingleThreadExecutor()) {
            map.put(bytes("key"), bytes("value"));
            MemorySegment mine = arena.allocate(100);
            others.submit(() -> assertThatThrownBy(() -> map.put(segment("key"), 0, 3, mine, 0, 100, OffHeapMap.NEVER))
                            .isInstanceOf(WrongThreadException.class))
                    .get();
            assertThat(map.get(bytes("key"))).isEqualTo(bytes("value"));
            assertSound(map);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {5, LARGE})
    void replace_expectedValueOfAClosedArena_leavesTheMapAsItWas(int size) {
        try (OffHeapMap map = open()) {
            map.put(bytes("key"), bytes("value"));
            MemorySegment closed;
            try (Arena arena = Arena.ofConfined()) {
                closed = arena.allocate(5);
            }
            OffHeapMapStatistics before = map.statistics();
            MemorySegment value = MemorySegment.ofArray(new byte[size]);
            assertThatThrownBy(() -> map.replace(segment("key"), closed, value, OffHeapMap.NEVER))
                    .isInstanceOf(IllegalStateException.class);
            assertSound(map);
            assertThat(map.statistics().groupBytes()).isEqualTo(before.groupBytes());
            assertThat(map.get(bytes("key"))).isEqualTo(bytes("value"));
        }
    }

    @Test
    void anyOperation_keyOfAClosedArena_leavesTheMapAsItWas() {
        try (OffHeapMap map = open()) {
            map.put(bytes("key"), bytes("value"), LATER);
            MemorySegment closed;
            try (Arena arena = Arena.ofConfined()) {
                closed = arena.allocate(3);
            }
            OffHeapMapStatistics before = map.statistics();
            MemorySegment value = MemorySegment.ofArray(new byte[LARGE]);
            List<ThrowingCallable> operations = List.of(
                    () -> map.put(closed, 0, 3, value, 0, LARGE, LATER),
                    () -> map.putIfAbsent(closed, 0, 3, value, 0, LARGE, LATER),
                    () -> map.replace(closed, segment("value"), value, LATER),
                    () -> map.remove(closed, 0, 3),
                    () -> map.expireAt(closed, 0, 3, LATER + 1),
                    () -> map.get(closed, 0, 3, value, 0, LARGE),
                    () -> map.expiryOf(closed, 0, 3),
                    () -> map.putBatch(
                            closed, new int[1], new int[] {3}, value, new int[1], new int[] {LARGE}, 0, 1, LATER));
            operations.forEach(each -> assertThatThrownBy(each).isInstanceOf(IllegalStateException.class));
            assertSound(map);
            assertThat(map.statistics()).isEqualTo(before);
            assertThat(map.get(bytes("key"))).isEqualTo(bytes("value"));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1000, LARGE})
    void put_newKeyAndTheValueIsClosedMeanwhile_leavesNothingBehind(int size) throws Exception {
        try (OffHeapMap map = open();
                ExecutorService others = Executors.newCachedThreadPool()) {
            CyclicBarrier begin = new CyclicBarrier(2);
            for (int round = 0; round < ROUNDS; round++) {
                int wait = round % 50 * 40;
                Arena arena = Arena.ofShared();
                MemorySegment value = arena.allocate(size).fill((byte) 7);
                Future<?> close = others.submit(() -> {
                    begin.await();
                    for (int i = 0; i < wait; i++) {
                        Thread.onSpinWait();
                    }
                    arena.close();
                    return true;
                });
                begin.await();
                byte[] key = bytes("key " + round);
                boolean put = false;
                try {
                    put = map.put(MemorySegment.ofArray(key), 0, key.length, value, 0, size, OffHeapMap.NEVER);
                } catch (IllegalStateException e) {
                    // The JVM also interrupts a thread when it closes what that thread reads.
                    Thread.interrupted();
                }
                close.get();
                byte[] found = map.get(key);
                if (put) {
                    assertThat(found).hasSize(size).containsOnly(7);
                    assertThat(map.remove(key)).isTrue();
                } else {
                    assertThat(found).isNull();
                }
            }
            assertSound(map);
            assertThat(map.size()).isZero();
            assertThat(map.statistics().payloadBytes()).isZero();
        }
    }
}
