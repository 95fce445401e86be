package dev.granary.bench.recovery;

import dev.granary.bench.memory.Zipf;
import dev.granary.log.backup.BackupLogOptions;
import dev.granary.log.backup.LogStatistics;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * Measures the cost of the cleaner at several utilisations. A zone is filled with chunks of 32 to 256 B, which are then
 * overwritten three times over, in sequence or by a Zipf distribution. Write amplification is the number of bytes that
 * updates and cleaner write into log segments, divided by the bytes of the updates alone.
 */
final class LogCleanerCase implements RecoveryCase {

    private static final int BATCH = 64;
    private static final int ROUNDS = 3;
    private static final int MIN_BYTES = 32;
    private static final int MAX_BYTES = 256;
    private static final long MAX_CHUNKS = 500_000;

    @Override
    public String name() {
        return "log-cleaner";
    }

    @Override
    public void run(Path directory, long wanted, Consumer<Map<String, Object>> results) throws IOException {
        long chunks = Math.min(wanted, MAX_CHUNKS) / BATCH * BATCH;
        for (int utilisation : new int[] {50, 70, 80, 90}) {
            for (String order : new String[] {"sequential", "zipf"}) {
                results.accept(measure(directory.resolve(order + utilisation), chunks, order, utilisation));
            }
        }
    }

    private static Map<String, Object> measure(Path directory, long chunks, String order, int percent)
            throws IOException {
        SplittableRandom random = new SplittableRandom(4);
        Zipf zipf = new Zipf(chunks, random);
        DistinctObjects distinct = new DistinctObjects(chunks);
        int[] sizes = new int[(int) chunks];
        BackupLogOptions options = BackupLogOptions.defaults().withUtilisationPercent(percent);
        try (LogBenchmark bench = new LogBenchmark(directory, options, 1)) {
            update(bench, chunks, lid -> lid, sizes, random, distinct);
            LogStatistics before = bench.log().statistics();
            long start = System.nanoTime();
            update(
                    bench,
                    ROUNDS * chunks,
                    lid -> order.equals("zipf") ? distinct.next(zipf) : lid % chunks,
                    sizes,
                    random,
                    distinct);
            double nanos = System.nanoTime() - start;
            LogStatistics after = bench.log().statistics();
            double sorted = after.secondaryBytes() - before.secondaryBytes();
            double cleaned = after.cleanedBytes() - before.cleanedBytes();
            double used = after.usedBytes() + (double) after.pendingBytes();
            double payload = 0;
            for (int size : sizes) {
                payload += size;
            }
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("order", order);
            fields.put("chunks", chunks);
            fields.put("wantedUtilisation", percent / 100.0);
            fields.put("utilisation", share((double) after.liveBytes(), used));
            fields.put("payloadShare", share(payload, used));
            fields.put("writeAmplification", share(sorted + cleaned, sorted));
            fields.put("primaryShare", share((double) (after.primaryBytes() - before.primaryBytes()), sorted));
            fields.put("cleanedSegments", after.cleanedSegments() - before.cleanedSegments());
            fields.put("updatesPerSecond", Math.round(ROUNDS * chunks * 1e9 / nanos));
            return fields;
        }
    }

    private interface Order {
        long lid(long update);
    }

    private static void update(
            LogBenchmark bench,
            long updates,
            Order order,
            int[] sizes,
            SplittableRandom random,
            DistinctObjects distinct) {
        for (long done = 0; done < updates; done += BATCH) {
            bench.start(0);
            for (int i = 0; i < BATCH; i++) {
                long lid = order.lid(done + i);
                int size = random.nextInt(MIN_BYTES, MAX_BYTES + 1);
                sizes[(int) lid] = size;
                bench.chunk(lid, size);
            }
            bench.append();
            distinct.endBatch();
            if (done % (64 * BATCH) == 0) {
                while (bench.log().clean().join()) {
                    // Repeats while there is something to clean.
                }
            }
        }
        bench.log().sync().join();
    }

    private static double share(double part, double whole) {
        return Math.round(1000 * part / whole) / 1000.0;
    }
}
