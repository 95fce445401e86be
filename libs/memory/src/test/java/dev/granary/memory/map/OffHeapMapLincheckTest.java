package dev.granary.memory.map;

import dev.granary.memory.paged.MemoryTests;
import java.util.Arrays;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/**
 * The operations on two keys are linearizable, of small and large values. Stress mode: Lincheck's model checker does
 * not see accesses to memory segments.
 */
@Param(name = "key", gen = IntGen.class, conf = "0:1")
@Param(name = "value", gen = IntGen.class, conf = "1:4")
public class OffHeapMapLincheckTest {

    private static final int LARGE = 1500;

    private static final OffHeapMap MAP = OffHeapMapTests.open(64);

    private static int instances;

    private final byte[][] keys;

    /** Lincheck makes an instance of this class, and with it two keys, for each execution. */
    public OffHeapMapLincheckTest() {
        int number = next();
        keys = new byte[][] {OffHeapMapTests.bytes("a" + number), OffHeapMapTests.bytes("b" + number)};
    }

    @AfterAll
    static void close() {
        OffHeapMapTests.assertSound(MAP);
        MAP.close();
    }

    @Test
    void operationsOnTwoKeys_anyInterleaving_areLinearizable() {
        new StressOptions()
                .iterations(5)
                .invocationsPerIteration(MemoryTests.steps(100))
                .threads(2)
                .actorsPerThread(3)
                .actorsBefore(1)
                .actorsAfter(1)
                .check(OffHeapMapLincheckTest.class);
    }

    @Operation
    public String get(@Param(name = "key") int key) {
        byte[] value = MAP.get(keys[key]);
        if (value == null) {
            return "absent";
        }
        for (byte each : value) {
            if (each != value[0]) {
                return "a mixture";
            }
        }
        return value.length + " times " + value[0];
    }

    @Operation
    public boolean put(@Param(name = "key") int key, @Param(name = "value") int value) {
        return MAP.put(keys[key], filled(value));
    }

    @Operation
    public boolean putIfAbsent(@Param(name = "key") int key, @Param(name = "value") int value) {
        return MAP.putIfAbsent(keys[key], filled(value));
    }

    @Operation
    public boolean remove(@Param(name = "key") int key) {
        return MAP.remove(keys[key]);
    }

    /** Reads and writes in one step: the value after the present one, of another size. */
    @Operation
    public int step(@Param(name = "key") int key) {
        int[] seen = new int[1];
        MAP.update(keys[key], (present, decision) -> {
            seen[0] = present == null ? 0 : present.value()[0];
            decision.put(filled(seen[0] % 4 + 1), OffHeapMap.NEVER);
        });
        return seen[0];
    }

    /** Removes a value if it is the one that is wanted. */
    @Operation
    public boolean removeIf(@Param(name = "key") int key, @Param(name = "value") int value) {
        return MAP.update(keys[key], (present, decision) -> {
            if (present != null && present.value()[0] == value) {
                decision.remove();
            }
        });
    }

    private static synchronized int next() {
        return instances++;
    }

    private static byte[] filled(int value) {
        byte[] bytes = new byte[value == 4 ? LARGE : value * 8];
        Arrays.fill(bytes, (byte) value);
        return bytes;
    }
}
