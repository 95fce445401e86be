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
 * Updates of 64 B appended to a log: encoded, checked, written and synced, all on one core; beside the disk's own speed
 * for as many bytes in the same run.
 */
final class LogAppendCase implements RecoveryCase {

    private static final int ZONES = 4;
    private static final int CHUNK_BYTES = 64;
    private static final int BATCH = 64;
    private static final long UPDATES = 6_000_000;
    private static final long SYNC_EVERY = 200_000;

    @Override
    public String name() {
        return "log-append";
    }

    @Override
    public void run(Path directory, long chunks, Consumer<Map<String, Object>> results) throws IOException {
        measure(directory.resolve("warm-up"), chunks, "sequential", UPDATES / 3);
        for (String order : new String[] {"sequential", "zipf"}) {
            results.accept(measure(directory.resolve(order), chunks, order, UPDATES));
        }
    }

    private static Map<String, Object> measure(Path directory, long chunks, String order, long updates)
            throws IOException {
        Zipf zipf = new Zipf(chunks, new SplittableRandom(1));
        DistinctObjects distinct = new DistinctObjects(chunks);
        boolean sequential = order.equals("sequential");
        long bytes = 0;
        long nanos;
        try (LogBenchmark bench = new LogBenchmark(directory, BackupLogOptions.defaults(), ZONES)) {
            long start = System.nanoTime();
            for (long done = 0; done < updates; done += BATCH) {
                bench.start((int) (done / BATCH % ZONES));
                for (int i = 0; i < BATCH; i++) {
                    bench.chunk(sequential ? (done + i) % chunks : distinct.next(zipf), CHUNK_BYTES);
                }
                distinct.endBatch();
                bytes += bench.append();
                if (done % SYNC_EVERY < BATCH) {
                    bench.log().sync().join();
                }
            }
            bench.log().sync().join();
            nanos = System.nanoTime() - start;
        }
        double appendsPerSecond = updates * 1e9 / nanos;
        double diskBytesPerSecond = DiskSpeed.writeBytesPerSecond(directory, bytes);
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("order", order);
        fields.put("chunks", chunks);
        fields.put("chunkBytes", CHUNK_BYTES);
        fields.put("batch", BATCH);
        fields.put("logAppendsPerSecond", Math.round(appendsPerSecond));
        fields.put("logBytesPerSecond", Math.round(bytes * 1e9 / nanos));
        fields.put("diskBytesPerSecond", Math.round(diskBytesPerSecond));
        fields.put("shareOfDisk", Math.round(bytes * 1e11 / nanos / diskBytesPerSecond) / 100.0);
        return fields;
    }
}
