package dev.granary.log;

import java.nio.ByteBuffer;

/**
 * What stands before the payload of a record, little-endian.
 *
 * <pre>
 *   0       4   5   6       8               16      20      24      28
 *  +-------+---+---+-------+---------------+-------+-------+-------+--------- ~ --+
 *  | length|typ|ver|   0   |    sequence   |unsynced crc32c |crc32c | payload      |
 *  |       | 1 | 1 |       |               |       |payload|header | length bytes |
 *  +-------+---+---+-------+---------------+-------+-------+-------+--------- ~ --+
 * </pre>
 *
 * <ul>
 *   <li>length: bytes of the payload, 0 to {@link #MAX_PAYLOAD_BYTES}.
 *   <li>unsynced: how many records directly before this one were not yet synced when this one was written. It tells,
 *       after a crash, whether a broken record before this one had ever been durable.
 *   <li>The header's checksum covers everything before it in the header.
 * </ul>
 */
final class RecordHeader {

    static final int LENGTH = 28;
    static final int MAX_PAYLOAD_BYTES = 16 << 20;

    private static final byte TYPE_COMMAND = 1;
    private static final byte VERSION = 1;
    private static final int TYPE_AT = 4;
    private static final int VERSION_AT = 5;
    private static final int RESERVED_AT = 6;
    private static final int SEQUENCE_AT = 8;
    private static final int UNSYNCED_AT = 16;
    private static final int PAYLOAD_CRC_AT = 20;
    private static final int HEADER_CRC_AT = 24;

    private RecordHeader() {}

    /** A whole record. */
    static byte[] encode(long sequence, int unsynced, byte[] payload) {
        byte[] record = new byte[LENGTH + payload.length];
        ByteBuffer view = Bytes.view(record);
        view.putInt(0, payload.length);
        view.put(TYPE_AT, TYPE_COMMAND);
        view.put(VERSION_AT, VERSION);
        view.putLong(SEQUENCE_AT, sequence);
        view.putInt(UNSYNCED_AT, unsynced);
        view.putInt(PAYLOAD_CRC_AT, Bytes.crc32c(payload, 0, payload.length));
        view.putInt(HEADER_CRC_AT, Bytes.crc32c(record, 0, HEADER_CRC_AT));
        System.arraycopy(payload, 0, record, LENGTH, payload.length);
        return record;
    }

    /** Whether an intact record of a known type stands at an offset. */
    static boolean isIntactAt(byte[] content, int offset) {
        if (content.length - offset < LENGTH) {
            return false;
        }
        ByteBuffer view = Bytes.view(content);
        int length = view.getInt(offset);
        // The cheap checks first: a scan for records after damage asks this for every byte.
        if (view.get(offset + TYPE_AT) != TYPE_COMMAND
                || view.get(offset + VERSION_AT) != VERSION
                || view.getShort(offset + RESERVED_AT) != 0
                || length < 0
                || length > MAX_PAYLOAD_BYTES
                || length > content.length - offset - LENGTH) {
            return false;
        }
        return view.getInt(offset + HEADER_CRC_AT) == Bytes.crc32c(content, offset, HEADER_CRC_AT)
                && view.getInt(offset + PAYLOAD_CRC_AT) == Bytes.crc32c(content, offset + LENGTH, length);
    }

    static int payloadBytes(byte[] content, int offset) {
        return Bytes.view(content).getInt(offset);
    }

    static long sequence(byte[] content, int offset) {
        return Bytes.view(content).getLong(offset + SEQUENCE_AT);
    }

    static int unsynced(byte[] content, int offset) {
        return Bytes.view(content).getInt(offset + UNSYNCED_AT);
    }
}
