package dev.granary.memory;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/**
 * The operations on one chunk are linearizable. Stress mode: Lincheck's model checker does not see accesses to memory
 * segments.
 */
@Param(name = "value", gen = IntGen.class, conf = "1:4")
public class ChunkMemoryLincheckTest {

    private static final int LARGE = 80;

    /** Lincheck makes an instance of this class, and with it a chunk, for each execution. */
    private static final ChunkMemory MEMORY = MemoryTests.open(MemoryLayout.TYPED, 256 << 20);

    private final long cid;

    /** Makes the chunk of one execution. */
    public ChunkMemoryLincheckTest() {
        cid = MEMORY.create(MemorySegment.ofArray(new byte[8]), 0, 8);
    }

    @AfterAll
    static void close() {
        MemoryTests.assertSound(MEMORY);
        MEMORY.close();
    }

    @Test
    void operationsOnOneChunk_anyInterleaving_areLinearizable() {
        new StressOptions()
                .iterations(8)
                .invocationsPerIteration(400)
                .threads(2)
                .actorsPerThread(3)
                .actorsBefore(1)
                .actorsAfter(1)
                .check(ChunkMemoryLincheckTest.class);
    }

    @Operation
    public String get() {
        byte[] room = new byte[LARGE];
        int size = MEMORY.get(cid, MemorySegment.ofArray(room), 0, LARGE);
        if (size == ChunkMemory.ABSENT) {
            // What the room holds then is undefined.
            return "absent";
        }
        for (int i = 1; i < size; i++) {
            if (room[i] != room[0]) {
                return "a mixture";
            }
        }
        return size + " times " + room[0];
    }

    @Operation
    public boolean put(@Param(name = "value") int value) {
        try {
            return MEMORY.put(cid, filled(8, value), 0, 8);
        } catch (SizeMismatchException e) {
            return false;
        }
    }

    @Operation
    public boolean replace(@Param(name = "value") int value) {
        int size = value % 2 == 0 ? 8 : LARGE;
        return MEMORY.replace(cid, filled(size, value), 0, size);
    }

    @Operation
    public int sizeOf() {
        return MEMORY.sizeOf(cid);
    }

    @Operation
    public boolean delete() {
        return MEMORY.delete(cid);
    }

    private static MemorySegment filled(int size, int value) {
        byte[] bytes = new byte[size];
        Arrays.fill(bytes, (byte) value);
        return MemorySegment.ofArray(bytes);
    }
}
