package dev.granary.storage.recover;

import dev.granary.log.batch.Batch;
import dev.granary.log.batch.BatchWriter;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.paged.ChunkMemories;
import dev.granary.net.message.RecoveryMessages.RunRecovery.Span;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.storage.data.LearntRequests;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Recovers small zones into a chunk memory that is thrown away, so that the JIT compiler has compiled the code before a
 * real recovery. The first recovery of a process takes several times as long without this, and clients wait for it.
 */
public final class RecoveryWarmup {

    private static final int ROUNDS = 24;
    private static final int BATCHES = 32;
    private static final int BATCH_CHUNKS = 32;
    private static final int CHUNK_BYTES = 64;
    private static final long MEMORY_BYTES = 16 << 20;
    private static final WindowBounds WINDOW = new WindowBounds(1 << 20, 1 << 14);
    private static final int CREATOR = 2;

    private RecoveryWarmup() {}

    /** Runs the warm-up; takes some hundred milliseconds of one thread. */
    public static void run() {
        ChunkMemoryConfig config = ChunkMemoryConfig.of(1, MEMORY_BYTES).withHugePages(false);
        try (ChunkMemory memory = ChunkMemories.open(config)) {
            for (int round = 0; round < ROUNDS; round++) {
                recover(memory, 1 + (long) round * BATCHES * BATCH_CHUNKS, round % 2 == 0);
            }
        }
    }

    private static void recover(ChunkMemory memory, long firstLid, boolean sameSize) {
        int zone = BackupZone.id(CREATOR, 1);
        long endLid = firstLid + BATCHES * BATCH_CHUNKS;
        Spans spans = new Spans(List.of(new Span(Cid.of(CREATOR, firstLid), Cid.of(CREATOR, endLid - 1))));
        byte[] bytes = new byte[CHUNK_BYTES];
        BatchWriter writer = new BatchWriter();
        try (ReplayWindow window =
                new ReplayWindow(memory, spans, new Nowhere(), WINDOW, null, (ofBuffer, ofTables) -> {})) {
            for (int i = 0; i < BATCHES; i++) {
                writer.start(zone, 1, i + 1L);
                for (int k = 0; k < BATCH_CHUNKS; k++) {
                    int size = sameSize ? CHUNK_BYTES : 1 + (i + k) % CHUNK_BYTES;
                    writer.chunk(Cid.of(CREATOR, firstLid + (long) i * BATCH_CHUNKS + k), bytes, 0, size);
                }
                Batch batch = Batch.of(writer.finish());
                if (batch == null) {
                    throw new IllegalStateException("a batch that was just made is broken");
                }
                batch.forEach(window);
            }
            window.flush();
        }
    }

    /** Drops completion records and tokens: the logs of the warm-up have none. */
    private static final class Nowhere implements LearntRequests {

        @Override
        public void request(
                long clientId, long requestSequence, long ackedSequence, MemorySegment bytes, long offset, int length) {
            // There are none.
        }

        @Override
        public void token(long cid, long token) {
            // There are none.
        }
    }
}
