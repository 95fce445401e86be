package dev.granary.simulation.planted;

import dev.granary.log.batch.BatchWriter;
import dev.granary.log.batch.EntryVisitor;
import java.lang.foreign.MemorySegment;

/** Copies the entries that it visits into another batch unchanged. */
class BatchCopier implements EntryVisitor {

    private final BatchWriter writer;

    BatchCopier(BatchWriter writer) {
        this.writer = writer;
    }

    @Override
    public void chunk(long cid, long epoch, long sequence, MemorySegment bytes, long offset, int length) {
        writer.chunk(cid, bytes, offset, length);
    }

    @Override
    public void tombstone(long cid, long epoch, long sequence) {
        writer.tombstone(cid);
    }

    @Override
    public void request(
            long clientId,
            long requestSequence,
            long ackedSequence,
            long epoch,
            long sequence,
            MemorySegment bytes,
            long offset,
            int length) {
        writer.request(clientId, requestSequence, ackedSequence, bytes, offset, length);
    }

    @Override
    public void token(long cid, long token, long epoch, long sequence) {
        writer.token(cid, token);
    }
}
