package dev.granary.bench;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/**
 * Dump and load of chunk memory beside the disk: as many bytes written to and read from the same folder by a loop that
 * does nothing else, by turns. Writes end with the bytes on the disk; reads begin with none of them in memory.
 *
 * <pre>
 *   DumpBench folder chunks sizeBytes rounds
 * </pre>
 */
public final class DumpBench {

    private static final int NID = 1;
    private static final int BATCH = 10_000;
    private static final int PIECE_BYTES = 1 << 20;

    private final Path dump;
    private final Path plain;
    private final long chunks;
    private final int sizeBytes;

    private DumpBench(Path folder, long chunks, int sizeBytes) {
        this.dump = folder.resolve("granary-bench.dump");
        this.plain = folder.resolve("granary-bench.plain");
        this.chunks = chunks;
        this.sizeBytes = sizeBytes;
    }

    /** Runs it; the arguments are those above. */
    public static void main(String[] args) throws IOException {
        DumpBench bench = new DumpBench(Path.of(args[0]), Long.parseLong(args[1]), Integer.parseInt(args[2]));
        try {
            bench.run(Integer.parseInt(args[3]));
        } finally {
            Files.deleteIfExists(bench.dump);
            Files.deleteIfExists(bench.plain);
        }
    }

    private void run(int rounds) throws IOException {
        long capacity = Math.max(64L << 20, chunks * (sizeBytes + 16) * 5 / 4);
        ChunkMemoryConfig config = ChunkMemoryConfig.of(NID, capacity);
        System.out.printf("%d chunks of %d B%n", chunks, sizeBytes);
        for (int round = 0; round < rounds; round++) {
            long start;
            long dumpNanos;
            try (ChunkMemory memory = ChunkMemory.open(config)) {
                fill(memory);
                start = System.nanoTime();
                memory.dump(dump);
                dumpNanos = System.nanoTime() - start;
            }
            long bytes = Files.size(dump);
            start = System.nanoTime();
            writePlain(bytes);
            long writeNanos = System.nanoTime() - start;
            boolean cold = dropFromCache(dump);
            long readNanos = readPlain(dump);
            cold &= dropFromCache(dump);
            start = System.nanoTime();
            try (ChunkMemory memory = ChunkMemory.load(config, dump)) {
                long loadNanos = System.nanoTime() - start;
                if (memory.statistics().chunks() != chunks) {
                    throw new IllegalStateException("loaded " + memory.statistics());
                }
                report("dump", bytes, dumpNanos, "write and sync", writeNanos);
                report(cold ? "load" : "load (file partly in memory)", bytes, loadNanos, "plain read", readNanos);
            }
        }
    }

    private static void report(String what, long bytes, long nanos, String plain, long plainNanos) {
        System.out.printf(
                "%s: %d B in %.2f s, %.0f MB/s; %s: %.2f s, %.0f MB/s; share %.2f%n",
                what,
                bytes,
                nanos / 1e9,
                bytes * 1e3 / nanos,
                plain,
                plainNanos / 1e9,
                bytes * 1e3 / plainNanos,
                (double) plainNanos / nanos);
    }

    private void fill(ChunkMemory memory) {
        memory.reserveLids(ChunkMemory.MAX_LID);
        int[] sizes = new int[BATCH];
        Arrays.fill(sizes, sizeBytes);
        long[] cids = new long[BATCH];
        for (long left = chunks; left > 0; left -= BATCH) {
            memory.create((int) Math.min(BATCH, left), sizes, null, 0, cids);
        }
    }

    private void writePlain(long bytes) throws IOException {
        ByteBuffer piece = ByteBuffer.allocateDirect(PIECE_BYTES);
        try (FileChannel channel = FileChannel.open(
                plain, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            for (long left = bytes; left > 0; ) {
                left -= channel.write(piece.clear().limit((int) Math.min(PIECE_BYTES, left)));
            }
            channel.force(true);
        }
        Files.delete(plain);
    }

    /** Reads a file that is not in memory. Returns nanoseconds. */
    private static long readPlain(Path file) throws IOException {
        ByteBuffer piece = ByteBuffer.allocateDirect(PIECE_BYTES);
        long start = System.nanoTime();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            while (channel.read(piece.clear()) > 0) {
                // Nothing is done with it.
            }
        }
        return System.nanoTime() - start;
    }

    /** Takes a file that is on the disk out of the page cache, by the advice that GNU dd gives. */
    private static boolean dropFromCache(Path file) throws IOException {
        try {
            return new ProcessBuilder("dd", "if=" + file, "iflag=nocache", "count=0")
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
