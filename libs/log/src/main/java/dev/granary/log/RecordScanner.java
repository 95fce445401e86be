package dev.granary.log;

import java.util.ArrayList;
import java.util.List;

/**
 * Reads the records of one log file and tells a torn tail from damage.
 *
 * <p>From the first byte that is not an intact record with the expected sequence, one of two things is true. If an
 * intact record further on was written when the expected one was already durable, durable bytes have changed: damage.
 * Otherwise the expected record was never synced, so nobody was told that it is durable: a torn tail, which may even
 * hold intact records when the disk wrote its pages out of order. One case cannot be told apart: damage of the very
 * last synced record looks like a torn tail.
 */
final class RecordScanner {

    private final String file;
    private final byte[] content;

    RecordScanner(String file, byte[] content) {
        this.file = file;
        this.content = content;
    }

    /**
     * What a file holds.
     *
     * @param payloads of all intact records, in order
     * @param endOffset the end of the last intact record; everything behind it is a torn tail
     */
    record Scan(List<byte[]> payloads, int endOffset) {}

    /**
     * Reads the whole file.
     *
     * @throws LogDamagedException when durable bytes have changed
     */
    Scan scan(long firstSequence) throws LogDamagedException {
        FileHeader.check(file, content, firstSequence);
        List<byte[]> payloads = new ArrayList<>();
        int offset = FileHeader.LENGTH;
        while (offset < content.length && RecordHeader.isIntactAt(content, offset)) {
            long expected = firstSequence + payloads.size();
            long found = RecordHeader.sequence(content, offset);
            if (found != expected) {
                throw new LogDamagedException(
                        file, offset, "a record of sequence " + found + " stands where " + expected + " is expected");
            }
            int payloadOffset = offset + RecordHeader.LENGTH;
            int payloadBytes = RecordHeader.payloadBytes(content, offset);
            byte[] payload = new byte[payloadBytes];
            System.arraycopy(content, payloadOffset, payload, 0, payloadBytes);
            payloads.add(payload);
            offset = payloadOffset + payloadBytes;
        }
        requireNothingDurableAt(offset, firstSequence + payloads.size());
        return new Scan(payloads, offset);
    }

    /** Looks for a record that proves that the record which is missing at an offset was once durable. */
    private void requireNothingDurableAt(int brokenOffset, long missingSequence) throws LogDamagedException {
        int offset = brokenOffset + 1;
        while (offset < content.length) {
            if (!RecordHeader.isIntactAt(content, offset)) {
                offset++;
                continue;
            }
            long sequence = RecordHeader.sequence(content, offset);
            long durable = sequence - 1 - RecordHeader.unsynced(content, offset);
            if (durable >= missingSequence) {
                throw new LogDamagedException(
                        file,
                        brokenOffset,
                        "the record of sequence " + missingSequence
                                + " is not readable, but it was durable when the record of sequence " + sequence
                                + " at offset " + offset + " was written");
            }
            offset += RecordHeader.LENGTH + RecordHeader.payloadBytes(content, offset);
        }
    }
}
