package dev.granary.bench.recovery;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.paged.ChunkMemories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Measures dump and load of chunk memory beside the disk, by turns: a plain loop writes and reads as many bytes in the
 * same directory. Writes end with the bytes on the disk; reads begin with none of them in memory.
 */
final class DumpCase implements RecoveryCase {

    private static final int NID = 1;
    private static final int CHUNK_BYTES = 64;
    private static final int BATCH = 10_000;
    private static final int ROUNDS = 3;

    @Override
    public String name() {
        return "dump";
    }

    @Override
    public void run(Path directory, long wanted, Consumer<Map<String, Object>> results) throws IOException {
        long chunks = Math.max(1, wanted / BATCH) * BATCH;
        for (int round = 0; round < ROUNDS; round++) {
            results.accept(measure(directory, chunks));
        }
    }

    private static Map<String, Object> measure(Path directory, long chunks) throws IOException {
        ChunkMemoryConfig config = ChunkMemoryConfig.of(NID, Math.max(64L << 20, chunks * (CHUNK_BYTES + 16) * 5 / 4));
        Path dump = directory.resolve("memory.dump");
        double dumpSpeed;
        try (ChunkMemory memory = ChunkMemories.open(config)) {
            fill(memory, chunks);
            long start = System.nanoTime();
            memory.dump(dump);
            dumpSpeed = Files.size(dump) * 1e9 / (System.nanoTime() - start);
        }
        long bytes = Files.size(dump);
        double writeSpeed = DiskSpeed.writeBytesPerSecond(directory, bytes);
        boolean cold = DiskSpeed.dropFromCache(dump);
        double readSpeed = DiskSpeed.readBytesPerSecond(dump);
        cold &= DiskSpeed.dropFromCache(dump);
        long start = System.nanoTime();
        double loadSpeed;
        try (ChunkMemory memory = ChunkMemories.load(config, dump)) {
            loadSpeed = bytes * 1e9 / (System.nanoTime() - start);
            if (memory.statistics().chunks() != chunks) {
                throw new IllegalStateException("loaded " + memory.statistics());
            }
        }
        Files.delete(dump);
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("chunks", chunks);
        fields.put("dumpBytes", bytes);
        fields.put("dumpBytesPerSecond", Math.round(dumpSpeed));
        fields.put("diskBytesPerSecond", Math.round(writeSpeed));
        fields.put("dumpShareOfDisk", share(dumpSpeed, writeSpeed));
        fields.put("loadBytesPerSecond", Math.round(loadSpeed));
        fields.put("diskReadBytesPerSecond", Math.round(readSpeed));
        fields.put("loadShareOfDisk", share(loadSpeed, readSpeed));
        fields.put("readsBeganOnDisk", cold);
        return fields;
    }

    private static double share(double part, double whole) {
        return Math.round(1000 * part / whole) / 1000.0;
    }

    private static void fill(ChunkMemory memory, long chunks) {
        memory.reserveLids(ChunkMemory.MAX_LID);
        int[] sizes = new int[BATCH];
        Arrays.fill(sizes, CHUNK_BYTES);
        long[] cids = new long[BATCH];
        for (long left = chunks; left > 0; left -= BATCH) {
            memory.create(BATCH, sizes, null, 0, cids);
        }
    }
}
