package dev.granary.storage.replicate;

import dev.granary.log.batch.BatchWriter;
import dev.granary.memory.ChunkMemory;
import dev.granary.overlay.Cid;
import dev.granary.storage.replicate.ZoneMap.Span;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads a zone out of memory, piece by piece, as the base of a new copy. The base is batches with the sequence at which
 * the copy begins. A change during the read has a later sequence and reaches the copy in its own batch. Runs as tasks
 * of the scheduler.
 */
final class ZoneSnapshot {

    private static final int PART_BYTES = 256 << 10;
    private static final int PAGE_CHUNKS = 1024;

    /** How many pages of CIDs without a chunk are skipped in one task. */
    private static final int MAX_PAGES = 64;

    private final ZoneContent content;
    private final int zone;
    private final long epoch;
    private final long sequence;
    private final List<Part> parts;
    private BatchWriter writer = new BatchWriter();
    private final long[] cids = new long[PAGE_CHUNKS];
    private final int[] sizes = new int[PAGE_CHUNKS];
    private byte[] buffer = new byte[PART_BYTES];
    private int part;
    private long nextCid;
    private long chunks;

    ZoneSnapshot(ZoneContent content, int zone, long epoch, long sequence, List<Part> parts) {
        this.content = content;
        this.zone = zone;
        this.epoch = epoch;
        this.sequence = sequence;
        this.parts = parts;
        this.nextCid = parts.isEmpty() ? 0 : parts.getFirst().span().startCid();
    }

    /**
     * A piece of the zone.
     *
     * @param belongs whether a chunk of the span that is in memory belongs to the zone
     */
    record Part(Span span, LongPredicate belongs) {}

    long epoch() {
        return epoch;
    }

    long chunks() {
        return chunks;
    }

    /** Returns a future that completes when all operations that run now have ended. */
    CompletableFuture<Void> turnOver() {
        return content.turnOver();
    }

    /** Returns whether all chunks were read. */
    boolean isDone() {
        return part == parts.size();
    }

    /** Returns the next chunks as a batch; null when the CIDs of this step had none. */
    byte @Nullable [] nextChunks() {
        writer.start(zone, epoch, sequence);
        for (int page = 0; page < MAX_PAGES && !isDone() && writer.sizeBytes() < PART_BYTES; page++) {
            readPage();
        }
        return finished();
    }

    /** Returns the written batch as an array of its own, and drops a buffer that large chunks have made large. */
    private byte @Nullable [] finished() {
        if (writer.entries() == 0) {
            return null;
        }
        ByteBuffer batch = writer.finish();
        byte[] bytes = new byte[batch.remaining()];
        batch.get(bytes);
        if (bytes.length > 2 * PART_BYTES) {
            buffer = new byte[PART_BYTES];
            writer = new BatchWriter();
        }
        return bytes;
    }

    private void readPage() {
        Part present = parts.get(part);
        long end = lastCid(present.span());
        if (Cid.compare(nextCid, end) > 0) {
            part++;
            nextCid = isDone() ? 0 : parts.get(part).span().startCid();
            return;
        }
        int asked = (int) Math.min(PAGE_CHUNKS, end - nextCid + 1);
        for (int i = 0; i < asked; i++) {
            cids[i] = nextCid + i;
        }
        MemorySegment target = MemorySegment.ofArray(buffer);
        int done = content.memory().get(cids, 0, asked, target, 0, buffer.length, sizes);
        if (done == 0) {
            buffer = new byte[Math.max(2 * buffer.length, content.memory().sizeOf(cids[0]))];
            return;
        }
        int offset = 0;
        for (int i = 0; i < done; i++) {
            if (sizes[i] == ChunkMemory.ABSENT) {
                continue;
            }
            if (present.belongs().test(cids[i])) {
                writer.chunk(cids[i], buffer, offset, sizes[i]);
                chunks++;
            }
            offset += sizes[i];
        }
        nextCid += done;
    }

    /** Returns the last CID to read: own LIDs that were not given yet reach the copy in their own batches. */
    private long lastCid(Span of) {
        ChunkMemory memory = content.memory();
        long lastGiven = Cid.of(memory.nid(), Math.max(1, memory.lidMark() - 1));
        boolean own = Cid.nid(of.startCid()) == memory.nid();
        return own && Cid.compare(lastGiven, of.endCidInclusive()) < 0 ? lastGiven : of.endCidInclusive();
    }

    /** Returns completion records and lock tokens as a batch, or null when there are none. */
    byte @Nullable [] rest() {
        writer.start(zone, epoch, sequence);
        ZoneContent.Visitor visitor = new ZoneContent.Visitor() {
            @Override
            public void request(long clientId, long request, long acked, byte[] completion, int sizeBytes) {
                writer.request(clientId, request, acked, MemorySegment.ofArray(completion), 0, sizeBytes);
            }

            @Override
            public void token(long cid, long token) {
                writer.token(cid, token);
            }
        };
        for (Part each : parts) {
            content.tell(each.span().startCid(), each.span().endCidInclusive(), visitor);
        }
        return finished();
    }
}
