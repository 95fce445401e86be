package dev.granary.bench.compare;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.paged.ChunkMemories;
import dev.granary.serialization.Importable;
import dev.granary.serialization.Importer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The parts of a get, as in figure 8 of the DXMem paper. Differences between these benchmarks give the parts:
 *
 * <pre>
 *  draw             choosing a CID, the floor of all others
 *  size             + translation: the CID leads to its page or entry, the length is read
 *  plainCopy        the copy alone: as many bytes from an array, without any table
 *  get              translation, validation and copy
 *  importObject     translation, shared hold on the chunk, and an object that reads its fields
 * </pre>
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(
        value = 1,
        jvmArgsAppend = {"-XX:+UseSerialGC", "-Xmx512m", "--enable-native-access=ALL-UNNAMED"})
public class GetBreakdown {

    private static final int NID = 1;
    private static final int DRAWN = 1 << 20;

    /** Bytes of a chunk: the usual size, and the paper's size. */
    @Param({"32", "16384"})
    public int sizeBytes;

    /** Bytes of all chunks together. */
    @Param("1073741824")
    public long payloadBytes;

    private ChunkMemory memory = ChunkMemories.open(ChunkMemoryConfig.of(NID, ChunkMemoryConfig.MIN_CAPACITY_BYTES));
    private final Arena arena = Arena.ofShared();
    private MemorySegment plain = MemorySegment.NULL;
    private final long[] cids = new long[DRAWN];
    private final long[] places = new long[DRAWN];

    /** The state of a thread: its place in the list of CIDs, its buffer and its object. */
    @State(Scope.Thread)
    public static class Reader {
        private int next;
        private byte[] bytes = new byte[0];
        private MemorySegment buffer = MemorySegment.NULL;
        private final Fields fields = new Fields();

        /** Makes the buffer. */
        @Setup
        public void prepare(GetBreakdown all) {
            next = System.identityHashCode(this);
            bytes = new byte[all.sizeBytes];
            buffer = MemorySegment.ofArray(bytes);
            fields.values = new long[all.sizeBytes / Long.BYTES];
        }
    }

    /** An object with fields of 8 bytes. */
    private static final class Fields implements Importable {
        private long[] values = new long[0];

        @Override
        public void importFrom(Importer in) {
            for (int i = 0; i < values.length; i++) {
                values[i] = in.readLong();
            }
        }
    }

    /** Fills memory and array. */
    @Setup(Level.Trial)
    public void load() {
        memory.close();
        int count = Math.toIntExact(payloadBytes / sizeBytes);
        memory = ChunkMemories.open(ChunkMemoryConfig.of(NID, payloadBytes + 12L * count + (256L << 20)));
        memory.reserveLids(ChunkMemory.MAX_LID + 1);
        plain = arena.allocate(payloadBytes, Long.BYTES);
        long[] all = new long[count];
        MemorySegment payload = MemorySegment.ofArray(new byte[sizeBytes]);
        for (int i = 0; i < count; i++) {
            all[i] = memory.create(payload, 0, sizeBytes);
        }
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < DRAWN; i++) {
            int chosen = random.nextInt(count);
            cids[i] = all[chosen];
            places[i] = (long) chosen * sizeBytes;
        }
    }

    /** Frees the memory. */
    @TearDown
    public void release() {
        memory.close();
        arena.close();
    }

    /** Chooses a CID. */
    @Benchmark
    public long draw(Reader reader) {
        return cids[reader.next++ & (DRAWN - 1)];
    }

    /** Translates a CID and reads the length. */
    @Benchmark
    public int size(Reader reader) {
        return memory.sizeOf(cids[reader.next++ & (DRAWN - 1)]);
    }

    /** Copies alone. */
    @Benchmark
    public long plainCopy(Reader reader) {
        long place = places[reader.next++ & (DRAWN - 1)];
        if (sizeBytes == 4 * Long.BYTES) {
            for (int i = 0; i < 4 * Long.BYTES; i += Long.BYTES) {
                reader.buffer.set(JAVA_LONG_UNALIGNED, i, plain.get(JAVA_LONG_UNALIGNED, place + i));
            }
        } else {
            MemorySegment.copy(plain, place, reader.buffer, 0, sizeBytes);
        }
        return reader.bytes[0];
    }

    /** Gets into a buffer. */
    @Benchmark
    public int get(Reader reader) {
        return memory.get(cids[reader.next++ & (DRAWN - 1)], reader.buffer, 0, sizeBytes);
    }

    /** Gets with an object that reads its own fields. */
    @Benchmark
    public boolean importObject(Reader reader) {
        return memory.get(cids[reader.next++ & (DRAWN - 1)], reader.fields);
    }
}
