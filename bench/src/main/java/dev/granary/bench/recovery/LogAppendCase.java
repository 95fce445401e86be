package dev.granary.bench.recovery;

import dev.granary.bench.memory.Zipf;
import dev.granary.log.backup.BackupLogOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * Measures appends of 64 B updates to a log: encoded, checked, written and synced, all on one core, beside the disk's
 * own speed for as many bytes in the same run.
 */
final class LogAppendCase implements RecoveryCase {

    private static final int ZONES = 4;
    private static final int CHUNK_BYTES = 64;
    private static final int BATCH = 64;
    private static final long UPDATES = 6_400_000;
    private static final long SYNC_EVERY = 200_000;

    @Override
    public String name() {
        return "log-append";
    }

    @Override
    public void run(Path directory, long chunks, Consumer<Map<String, Object>> results) throws IOException {
        measure(directory.resolve("warm-up"), chunks, "sequential", UPDATES / 4);
        for (String order : new String[] {"sequential", "zipf"}) {
            results.accept(measure(directory.resolve(order), chunks, order, UPDATES));
        }
    }

    private static Map<String, Object> measure(Path directory, long chunks, String order, long updates)
            throws IOException {
        int[] drawn = order.equals("sequential") ? sequence(chunks, updates) : zipf(chunks, updates);
        long bytes = 0;
        long nanos;
        long cpuNanos;
        try (LogBenchmark bench = new LogBenchmark(directory, BackupLogOptions.defaults(), ZONES)) {
            long start = System.nanoTime();
            long cpuStart = Cpu.nanos();
            for (long done = 0; done < updates; done += BATCH) {
                bench.start((int) (done / BATCH % ZONES));
                for (int i = 0; i < BATCH; i++) {
                    bench.chunk(drawn[(int) done + i], CHUNK_BYTES);
                }
                bytes += bench.append();
                if (done % SYNC_EVERY < BATCH) {
                    bench.log().sync().join();
                }
            }
            bench.log().sync().join();
            nanos = System.nanoTime() - start;
            cpuNanos = Cpu.nanos() - cpuStart;
        }
        double appendsPerSecond = updates * 1e9 / nanos;
        double diskBytesPerSecond = DiskSpeed.writeBytesPerSecond(directory, bytes);
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("order", order);
        fields.put("chunks", chunks);
        fields.put("chunkBytes", CHUNK_BYTES);
        fields.put("batch", BATCH);
        fields.put("logAppendsPerSecond", Math.round(appendsPerSecond));
        fields.put("logAppendsPerCpuSecond", Math.round(updates * 1e9 / cpuNanos));
        fields.put("logBytesPerSecond", Math.round(bytes * 1e9 / nanos));
        fields.put("diskBytesPerSecond", Math.round(diskBytesPerSecond));
        fields.put("shareOfDisk", Math.round(bytes * 1e11 / nanos / diskBytesPerSecond) / 100.0);
        return fields;
    }

    private static int[] sequence(long chunks, long updates) {
        int[] drawn = new int[(int) updates];
        for (int i = 0; i < drawn.length; i++) {
            drawn[i] = (int) (i % chunks);
        }
        return drawn;
    }

    private static int[] zipf(long chunks, long updates) {
        Zipf zipf = new Zipf(chunks, new SplittableRandom(1));
        DistinctObjects distinct = new DistinctObjects(chunks);
        int[] drawn = new int[(int) updates];
        for (int i = 0; i < drawn.length; i++) {
            drawn[i] = (int) distinct.next(zipf);
            if (i % BATCH == BATCH - 1) {
                distinct.endBatch();
            }
        }
        return drawn;
    }
}
