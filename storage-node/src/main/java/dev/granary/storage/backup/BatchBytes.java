package dev.granary.storage.backup;

import java.nio.ByteBuffer;

/**
 * Finds where batches begin and end in a run of bytes, and the sequence of each. It reads only as much of their format
 * (docs/formats/backup-log.md) as it takes to separate them. The log checks the batches as a whole.
 *
 * <pre>
 *  crc int32 | kind u8 | size varint: bytes behind it | zone int32 | epoch varint | sequence varint | entries
 * </pre>
 *
 * Reusable; used by one thread.
 */
final class BatchBytes {

    private static final int SIZE_AT = 5;

    private int position;
    private long sequence;

    /** Returns the sequence of the batch that {@link #endOf} read last. */
    long sequence() {
        return sequence;
    }

    /**
     * Finds the end of a batch.
     *
     * @return the position behind it, or -1 when no whole batch begins there
     */
    int endOf(ByteBuffer bytes, int begin) {
        position = begin + SIZE_AT;
        long size = varint(bytes);
        if (size < 0 || size > bytes.limit() - position) {
            return -1;
        }
        int end = position + (int) size;
        position += Integer.BYTES;
        long epoch = varint(bytes);
        sequence = varint(bytes);
        return epoch < 0 || sequence < 0 || position > end ? -1 : end;
    }

    private long varint(ByteBuffer bytes) {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE && position < bytes.limit(); shift += 7) {
            byte next = bytes.get(position++);
            value |= (long) (next & 0x7F) << shift;
            if (next >= 0) {
                return value;
            }
        }
        return -1;
    }
}
