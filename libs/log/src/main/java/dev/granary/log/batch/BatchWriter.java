package dev.granary.log.batch;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Encodes batches, one after the other, into a buffer of its own, which grows. An owner encodes a batch once and sends
 * the same bytes to all backups, which keep them as they are. A chunk takes 5 to 7 bytes beside its content, a batch 14
 * to 20. Format: {@code docs/formats/backup-log.md}. Not thread-safe.
 */
public final class BatchWriter {

    private static final int INITIAL_BYTES = 4 << 10;

    private final EntryEncoder encoder = new EntryEncoder(INITIAL_BYTES);
    private long epoch;
    private long sequence;
    private boolean started;

    /** Makes a writer that has no batch yet. */
    public BatchWriter() {}

    /**
     * Starts a batch; one that was not finished is dropped.
     *
     * @param zone in whose bits 15 to 30 is the NID of most of its chunks
     * @param epoch of the zone, 0 or more
     * @param sequence of the batch within the zone, 0 or more:
     *     the base of a copy has the sequence that it is a snapshot of
     */
    public void start(int zone, long epoch, long sequence) {
        if (epoch < 0 || sequence < 0) {
            throw new IllegalArgumentException(
                    "epoch " + epoch + " and sequence " + sequence + " must not be negative");
        }
        this.epoch = epoch;
        this.sequence = sequence;
        started = true;
        encoder.start(zone);
    }

    /**
     * Adds the new content of a chunk. A batch names a chunk once at most.
     *
     * @throws IllegalArgumentException when the batch would have more than {@link Batch#MAX_BYTES}
     */
    public void chunk(long cid, MemorySegment source, long offset, int length) {
        requireStarted();
        encoder.chunk(cid, source, offset, length);
    }

    /** The same from an array. */
    public void chunk(long cid, byte[] source, int offset, int length) {
        requireStarted();
        encoder.chunk(cid, source, offset, length);
    }

    /** Adds that a chunk was deleted. */
    public void tombstone(long cid) {
        requireStarted();
        encoder.tombstone(cid);
    }

    /**
     * Adds that a request of a client is complete, so that it is not applied again when it is retried.
     *
     * @param requestSequence counts the requests of this client
     * @param ackedSequence the client has seen the answers of all its requests up to this one: they need not be kept
     * @param source what an answer to a retry needs
     */
    public void request(
            long clientId, long requestSequence, long ackedSequence, MemorySegment source, long offset, int length) {
        requireStarted();
        encoder.request(clientId, requestSequence, ackedSequence, source, offset, length);
    }

    /** The same from an array. */
    public void request(long clientId, long requestSequence, long ackedSequence, byte[] source) {
        request(clientId, requestSequence, ackedSequence, MemorySegment.ofArray(source), 0, source.length);
    }

    /** Adds the fencing token of the lock of a chunk; the newest one is kept. */
    public void token(long cid, long token) {
        requireStarted();
        encoder.token(cid, token);
    }

    /** How many entries the batch has so far. */
    public int entries() {
        return encoder.entries();
    }

    /** The bytes of the entries so far; the header adds at most 34. */
    public int sizeBytes() {
        return encoder.entryBytes();
    }

    /**
     * Ends the batch.
     *
     * @return its bytes, a view of the writer's buffer that is valid until the next {@link #start}
     */
    public ByteBuffer finish() {
        requireStarted();
        started = false;
        int begin = encoder.finish(BatchFormat.KIND_BATCH, epoch, sequence);
        return ByteBuffer.wrap(encoder.array(), begin, encoder.endOffset() - begin);
    }

    private void requireStarted() {
        if (!started) {
            throw new IllegalStateException("no batch was started");
        }
    }
}
