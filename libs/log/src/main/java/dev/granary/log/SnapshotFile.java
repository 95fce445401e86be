package dev.granary.log;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A snapshot, little-endian. The file is written as a whole, so it is never torn.
 *
 * <pre>
 *   0       4       8      10      12      16              24              32      36      40
 *  +---------------+-------+-------+-------+---------------+---------------+-------+-------+-------- ~ --+
 *  |  "GRANSNAP"   | ver 1 | len 40|   0   | last sequence | state length  |crc32c |crc32c | state       |
 *  |               |       |       |       |               |               |state  |header |             |
 *  +---------------+-------+-------+-------+---------------+---------------+-------+-------+-------- ~ --+
 * </pre>
 *
 * The header's checksum covers everything before it.
 */
final class SnapshotFile {

    static final int HEADER_LENGTH = 40;

    private static final long MAGIC = 0x5041_4E53_4E41_5247L; // "GRANSNAP" read as a little-endian number
    private static final short VERSION = 1;
    private static final int VERSION_AT = 8;
    private static final int LENGTH_AT = 10;
    private static final int LAST_SEQUENCE_AT = 16;
    private static final int STATE_LENGTH_AT = 24;
    private static final int STATE_CRC_AT = 32;
    private static final int HEADER_CRC_AT = 36;

    private SnapshotFile() {}

    static byte[] encode(long lastSequence, byte[] state) {
        byte[] content = new byte[HEADER_LENGTH + state.length];
        ByteBuffer view = Bytes.view(content);
        view.putLong(0, MAGIC);
        view.putShort(VERSION_AT, VERSION);
        view.putShort(LENGTH_AT, (short) HEADER_LENGTH);
        view.putLong(LAST_SEQUENCE_AT, lastSequence);
        view.putLong(STATE_LENGTH_AT, state.length);
        view.putInt(STATE_CRC_AT, Bytes.crc32c(state, 0, state.length));
        view.putInt(HEADER_CRC_AT, Bytes.crc32c(content, 0, HEADER_CRC_AT));
        System.arraycopy(state, 0, content, HEADER_LENGTH, state.length);
        return content;
    }

    /**
     * Reads the state out of a file that must cover a certain sequence.
     *
     * @throws LogDamagedException when it is not intact
     */
    static byte[] decode(String file, byte[] content, long lastSequence) throws LogDamagedException {
        if (content.length < HEADER_LENGTH) {
            throw new LogDamagedException(file, 0, "it has " + content.length + " bytes, less than its header");
        }
        ByteBuffer view = Bytes.view(content);
        if (view.getLong(0) != MAGIC) {
            throw new LogDamagedException(file, 0, "it does not start as a snapshot does");
        }
        if (view.getInt(HEADER_CRC_AT) != Bytes.crc32c(content, 0, HEADER_CRC_AT)) {
            throw new LogDamagedException(file, 0, "the checksum of its header is wrong");
        }
        if (view.getShort(VERSION_AT) != VERSION || view.getShort(LENGTH_AT) != HEADER_LENGTH) {
            throw new LogDamagedException(
                    file, VERSION_AT, "it has version " + view.getShort(VERSION_AT) + "; only 1 is known");
        }
        if (view.getLong(LAST_SEQUENCE_AT) != lastSequence) {
            throw new LogDamagedException(
                    file,
                    LAST_SEQUENCE_AT,
                    "it covers sequence " + view.getLong(LAST_SEQUENCE_AT) + ", its name says " + lastSequence);
        }
        if (view.getLong(STATE_LENGTH_AT) != content.length - HEADER_LENGTH) {
            throw new LogDamagedException(
                    file,
                    STATE_LENGTH_AT,
                    "it has " + (content.length - HEADER_LENGTH) + " bytes of state, its header says "
                            + view.getLong(STATE_LENGTH_AT));
        }
        byte[] state = Arrays.copyOfRange(content, HEADER_LENGTH, content.length);
        if (view.getInt(STATE_CRC_AT) != Bytes.crc32c(state, 0, state.length)) {
            throw new LogDamagedException(file, HEADER_LENGTH, "the checksum of its state is wrong");
        }
        return state;
    }
}
