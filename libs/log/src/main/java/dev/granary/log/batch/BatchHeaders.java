package dev.granary.log.batch;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Changes what stands before the entries of a batch. Stateless. */
public final class BatchHeaders {

    private BatchHeaders() {}

    /**
     * The same batch in another epoch: an owner sends what not all backups have taken in the epoch in which they take
     * it.
     *
     * @param batch an intact batch; its position stays
     * @throws IllegalArgumentException when it is none
     */
    public static ByteBuffer withEpoch(ByteBuffer batch, long epoch) {
        byte[] old = new byte[batch.remaining()];
        batch.get(batch.position(), old);
        RecordView view = new RecordView();
        if (!view.parse(old, 0, old.length) || view.end() != old.length || view.kind() != BatchFormat.KIND_BATCH) {
            throw new IllegalArgumentException("these " + old.length + " bytes are no batch");
        }
        int entryBytes = old.length - view.entriesAt();
        int afterSize =
                Integer.BYTES + BatchFormat.varintBytes(epoch) + BatchFormat.varintBytes(view.sequence()) + entryBytes;
        byte[] bytes = new byte[BatchFormat.SIZE_AT + BatchFormat.varintBytes(afterSize) + afterSize];
        bytes[BatchFormat.KIND_AT] = view.kind();
        int at = BatchFormat.putVarint(bytes, BatchFormat.SIZE_AT, afterSize);
        BatchFormat.INT.set(bytes, at, view.zone());
        at = BatchFormat.putVarint(bytes, at + Integer.BYTES, epoch);
        at = BatchFormat.putVarint(bytes, at, view.sequence());
        System.arraycopy(old, view.entriesAt(), bytes, at, entryBytes);
        CRC32C crc = new CRC32C();
        crc.update(bytes, BatchFormat.CRC_BYTES, bytes.length - BatchFormat.CRC_BYTES);
        BatchFormat.INT.set(bytes, 0, (int) crc.getValue());
        return ByteBuffer.wrap(bytes);
    }
}
