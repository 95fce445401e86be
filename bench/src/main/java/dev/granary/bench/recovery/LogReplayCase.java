package dev.granary.bench.recovery;

import dev.granary.log.backup.BackupLogOptions;
import dev.granary.log.backup.ReplayReport;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.paged.ChunkMemories;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * Measures the replay of a zone on one core, into nothing and into chunk memory. The zone has chunks of 64 B, a quarter
 * of them overwritten. Time is the processor time of the one thread.
 */
final class LogReplayCase implements RecoveryCase {

    private static final int CHUNK_BYTES = 64;
    private static final int BATCH = 64;
    private static final int ROUNDS = 5;
    private static final long MAX_CHUNKS = 2_000_000;

    @Override
    public String name() {
        return "log-replay";
    }

    @Override
    public void run(Path directory, long wanted, Consumer<Map<String, Object>> results) throws IOException {
        long chunks = Math.min(wanted, MAX_CHUNKS) / BATCH * BATCH;
        try (LogBenchmark bench = new LogBenchmark(directory, BackupLogOptions.defaults(), 1)) {
            fill(bench, chunks);
            for (int round = 1; round <= ROUNDS; round++) {
                long start = Cpu.nanos();
                bench.log()
                        .replay(LogBenchmark.zone(0), Long.MAX_VALUE, (cid, epoch, sequence, bytes, offset, length) -> {
                            // Replays into nothing.
                        });
                double sinkNanos = Cpu.nanos() - start;
                double memoryNanos = intoMemory(bench, chunks);
                Map<String, Object> fields = new LinkedHashMap<>();
                fields.put("round", round);
                fields.put("chunks", chunks);
                fields.put("chunkBytes", CHUNK_BYTES);
                fields.put("replayChunksPerSecondPerCore", Math.round(chunks * 1e9 / memoryNanos));
                fields.put("readChunksPerSecondPerCore", Math.round(chunks * 1e9 / sinkNanos));
                results.accept(fields);
            }
        }
    }

    private static void fill(LogBenchmark bench, long chunks) {
        for (long lid = 0; lid < chunks; lid += BATCH) {
            bench.start(0);
            for (int i = 0; i < BATCH; i++) {
                bench.chunk(lid + i, CHUNK_BYTES);
            }
            bench.append();
        }
        SplittableRandom random = new SplittableRandom(2);
        for (long done = 0; done < chunks / 4; done += BATCH) {
            bench.start(0);
            long first = random.nextLong(chunks - BATCH);
            for (int i = 0; i < BATCH; i++) {
                bench.chunk(first + i, CHUNK_BYTES);
            }
            bench.append();
        }
        bench.log().sync().join();
    }

    private static double intoMemory(LogBenchmark bench, long chunks) {
        long capacity = Math.max(64L << 20, chunks * (CHUNK_BYTES + 16) * 2);
        try (ChunkMemory memory = ChunkMemories.open(ChunkMemoryConfig.of(1, capacity));
                InsertWindow window = new InsertWindow(memory)) {
            long start = Cpu.nanos();
            ReplayReport report = bench.log().replay(LogBenchmark.zone(0), Long.MAX_VALUE, window);
            window.flush();
            double nanos = Cpu.nanos() - start;
            if (report.chunks() != chunks || memory.statistics().chunks() != chunks || !report.isComplete()) {
                throw new IllegalStateException("replayed " + report + " into " + memory.statistics());
            }
            return nanos;
        }
    }
}
