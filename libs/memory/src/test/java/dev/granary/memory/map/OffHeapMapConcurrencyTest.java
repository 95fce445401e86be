package dev.granary.memory.map;

import static dev.granary.memory.map.OffHeapMapTests.assertSound;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.memory.os.Vmb;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Several threads at once. A value is its key's number and a version, repeated, so that a reader sees a mixture of two
 * writes, or another key's value.
 */
class OffHeapMapConcurrencyTest {

    private static final int KEY_BYTES = 12;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private int openBefore;
    private OffHeapMap map;

    @BeforeEach
    void open() {
        openBefore = Vmb.openCount();
        map = OffHeapMapTests.open(64);
    }

    @AfterEach
    void close() throws InterruptedException {
        threads.shutdownNow();
        assertThat(threads.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
        assertSound(map);
        map.close();
        assertThat(Vmb.openCount()).isEqualTo(openBefore);
    }

    @Test
    void readers_besideWritersOfAllSizes_seeWholeValuesOnly() throws Exception {
        int keys = 300;
        AtomicInteger writing = new AtomicInteger(3);
        List<Callable<Void>> work = new ArrayList<>();
        for (int writer = 0; writer < 3; writer++) {
            Random random = new Random(writer);
            work.add(() -> {
                try {
                    for (int i = 0; i < 30_000; i++) {
                        int key = random.nextInt(keys);
                        if (random.nextInt(5) == 0) {
                            map.remove(key(key));
                        } else {
                            map.put(key(key), value(key, i, size(random)));
                        }
                    }
                } finally {
                    writing.decrementAndGet();
                }
                return null;
            });
        }
        for (int reader = 0; reader < 2; reader++) {
            Random random = new Random(100 + reader);
            boolean batches = reader == 1;
            work.add(() -> {
                int seen = 0;
                while (writing.get() > 0 || seen == 0) {
                    seen += batches ? readBatch(random, keys) : read(random.nextInt(keys));
                }
                return null;
            });
        }
        run(work);
    }

    @Test
    void growth_underLoadOfSeveralThreads_losesNothing() throws Exception {
        int each = 60_000;
        List<Callable<Void>> work = new ArrayList<>();
        for (int writer = 0; writer < 3; writer++) {
            int first = writer * each;
            work.add(() -> {
                for (int i = first; i < first + each; i++) {
                    assertThat(map.put(key(i), value(i, i, 24))).isTrue();
                    int before = first + (i - first) / 2;
                    assertThat(read(before)).isEqualTo(1);
                }
                return null;
            });
        }
        run(work);
        assertThat(map.size()).isEqualTo(3L * each);
        for (int i = 0; i < 3 * each; i++) {
            assertThat(read(i)).isEqualTo(1);
        }
    }

    @Test
    void removal_underLoad_neverTouchesOthers() throws Exception {
        int each = 30_000;
        for (int i = 0; i < 3 * each; i++) {
            map.put(key(i), value(i, 0, i % 200 == 0 ? 3000 : 30));
        }
        List<Callable<Void>> work = new ArrayList<>();
        for (int part = 0; part < 2; part++) {
            int first = part * each;
            work.add(() -> {
                for (int i = first; i < first + each; i++) {
                    assertThat(map.remove(key(i))).isTrue();
                    assertThat(map.remove(key(i))).isFalse();
                }
                return null;
            });
        }
        work.add(() -> {
            Map<Integer, Integer> seen = new HashMap<>();
            map.forEach((key, value, expiry) -> {
                int number = key.get(ValueLayout.JAVA_INT_UNALIGNED, 0);
                check(number, value.toArray(ValueLayout.JAVA_BYTE));
                assertThat(seen.put(number, 1)).isNull();
            });
            for (int i = 2 * each; i < 3 * each; i++) {
                assertThat(seen).containsKey(i);
                assertThat(read(i)).isEqualTo(1);
            }
            return null;
        });
        run(work);
        assertThat(map.size()).isEqualTo(each);
    }

    @Test
    void putIfAbsent_manyThreadsOneKey_oneWins() throws Exception {
        for (int round = 0; round < 300; round++) {
            int number = round;
            AtomicInteger winners = new AtomicInteger();
            List<Callable<Void>> work = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                int version = i;
                work.add(() -> {
                    if (map.putIfAbsent(key(number), value(number, version, 20))) {
                        winners.incrementAndGet();
                    }
                    return null;
                });
            }
            run(work);
            assertThat(winners).hasValue(1);
        }
    }

    @Test
    void replace_manyThreadsCountUp_losesNoStep() throws Exception {
        int steps = 5000;
        byte[] key = key(1);
        map.put(key, value(1, 0, 8));
        List<Callable<Void>> work = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            work.add(() -> {
                for (int done = 0; done < steps; ) {
                    byte[] present = map.get(key);
                    assertThat(present).isNotNull();
                    int version = version(present);
                    boolean replaced = map.replace(
                            MemorySegment.ofArray(key),
                            MemorySegment.ofArray(present),
                            MemorySegment.ofArray(value(1, version + 1, 8 + version % 40)),
                            OffHeapMap.NEVER);
                    done += replaced ? 1 : 0;
                }
                return null;
            });
        }
        run(work);
        byte[] last = map.get(key);
        assertThat(last).isNotNull();
        assertThat(version(last)).isEqualTo(3 * steps);
    }

    @Test
    void cleaning_besideReadersAndWriters_movesEntriesUnseen() throws Exception {
        // Sizes drift, so that slabs of earlier sizes become sparse and are emptied.
        int keys = 20_000;
        AtomicInteger writing = new AtomicInteger(2);
        List<Callable<Void>> work = new ArrayList<>();
        for (int writer = 0; writer < 2; writer++) {
            Random random = new Random(7 + writer);
            int parity = writer;
            work.add(() -> {
                try {
                    for (int i = 0; i < 120_000; i++) {
                        int key = random.nextInt(keys / 2) * 2 + parity;
                        int size = 8 + i / 300 % 120 + (key % 100 == 0 ? 2000 : 0);
                        map.put(key(key), value(key, i, size));
                    }
                } finally {
                    writing.decrementAndGet();
                }
                return null;
            });
        }
        Random random = new Random(9);
        work.add(() -> {
            while (writing.get() > 0) {
                read(random.nextInt(keys));
            }
            return null;
        });
        run(work);
    }

    private void run(List<Callable<Void>> work) throws Exception {
        for (Future<Void> each : threads.invokeAll(work, 3, TimeUnit.MINUTES)) {
            each.get();
        }
    }

    private int read(int number) {
        byte[] value = map.get(key(number));
        if (value == null) {
            return 0;
        }
        check(number, value);
        return 1;
    }

    private int readBatch(Random random, int keys) {
        int count = 1 + random.nextInt(100);
        byte[] wanted = new byte[count * KEY_BYTES];
        int[] numbers = new int[count];
        int[] offsets = new int[count];
        int[] lengths = new int[count];
        int[] sizes = new int[count];
        for (int i = 0; i < count; i++) {
            numbers[i] = random.nextInt(keys);
            offsets[i] = i * KEY_BYTES;
            lengths[i] = KEY_BYTES;
            System.arraycopy(key(numbers[i]), 0, wanted, offsets[i], KEY_BYTES);
        }
        byte[] target = new byte[40_000];
        map.getBatch(
                MemorySegment.ofArray(wanted),
                offsets,
                lengths,
                0,
                count,
                MemorySegment.ofArray(target),
                0,
                target.length,
                sizes);
        int at = 0;
        int seen = 0;
        for (int i = 0; i < count; i++) {
            if (sizes[i] >= 0) {
                check(numbers[i], java.util.Arrays.copyOfRange(target, at, at + sizes[i]));
                at += sizes[i];
                seen++;
            }
        }
        return seen;
    }

    private static int size(Random random) {
        int kind = random.nextInt(20);
        return kind == 0 ? 8 + random.nextInt(40_000) : kind < 5 ? 8 + random.nextInt(1200) : 8 + random.nextInt(50);
    }

    private static byte[] key(int number) {
        byte[] key = new byte[KEY_BYTES];
        MemorySegment.ofArray(key).set(ValueLayout.JAVA_INT_UNALIGNED, 0, number);
        return key;
    }

    private static byte[] value(int number, int version, int sizeBytes) {
        byte[] value = new byte[sizeBytes];
        MemorySegment segment = MemorySegment.ofArray(value);
        for (int i = 0; i + 8 <= sizeBytes; i += 8) {
            segment.set(ValueLayout.JAVA_INT_UNALIGNED, i, number);
            segment.set(ValueLayout.JAVA_INT_UNALIGNED, i + 4, version);
        }
        return value;
    }

    private static int version(byte[] value) {
        return MemorySegment.ofArray(value).get(ValueLayout.JAVA_INT_UNALIGNED, 4);
    }

    private static void check(int number, byte[] value) {
        byte[] wanted = value(number, version(value), value.length);
        if (!java.util.Arrays.equals(wanted, value)) {
            throw new AssertionError("key " + number + " has a value that nobody wrote, of " + value.length + " B");
        }
    }
}
