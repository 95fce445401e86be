package dev.granary.memory.map;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Several threads update the same entries: no step is lost, and the listener learns of steps in their order. */
class OffHeapMapOrderTest {

    private static final int THREADS = 3;
    private static final int STEPS = 40_000;

    /** Enough that groups are split while updates run. */
    private static final int KEYS = 6000;

    @Test
    void update_manyThreadsCountUp_eachStepIsToldOnceAndInOrder() throws Exception {
        int[] last = new int[KEYS];
        OffHeapMapConfig config = OffHeapMapConfig.of(64 << 20)
                .withHugePages(false)
                .withListener((change, entry) -> {
                    // Plain writes: those who tell of one key hold the same latch, one after the other.
                    int key = ByteBuffer.wrap(entry.key()).getInt();
                    int count = ByteBuffer.wrap(entry.value()).getInt();
                    if (count != last[key] + 1) {
                        throw new AssertionError("key " + key + " went from " + last[key] + " to " + count);
                    }
                    last[key] = count;
                });
        try (OffHeapMap map = OffHeapMap.open(config);
                ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            List<Callable<Void>> work = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                Random random = new Random(i);
                work.add(() -> {
                    for (int step = 0; step < STEPS; step++) {
                        // Half of the steps meet on few keys.
                        count(map, random.nextInt(step % 2 == 0 ? KEYS : 20));
                    }
                    return null;
                });
            }
            for (Future<Void> each : threads.invokeAll(work, 2, TimeUnit.MINUTES)) {
                each.get();
            }
            OffHeapMapTests.assertSound(map);
            long sum = 0;
            for (int key = 0; key < KEYS; key++) {
                byte[] value = map.get(key(key));
                int count = value == null ? 0 : ByteBuffer.wrap(value).getInt();
                assertThat(count).isEqualTo(last[key]);
                sum += count;
            }
            assertThat(sum).isEqualTo((long) THREADS * STEPS);
            assertThat(map.statistics().groups()).isGreaterThan(MapDirectory.MIN_GROUPS);
        }
    }

    private static void count(OffHeapMap map, int key) {
        map.update(key(key), (present, decision) -> {
            int count = present == null ? 0 : ByteBuffer.wrap(present.value()).getInt();
            // Sizes change, some values are in chains.
            int size = 4 + (count % 3 == 0 ? 8 : 0) + (key % 100 == 7 ? 1500 : 0);
            decision.put(ByteBuffer.allocate(size).putInt(count + 1).array(), OffHeapMap.NEVER);
        });
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(4).putInt(number).array();
    }
}
