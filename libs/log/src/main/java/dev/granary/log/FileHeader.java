package dev.granary.log;

import java.nio.ByteBuffer;

/**
 * The first bytes of a log file, little-endian.
 *
 * <pre>
 *   0       4       8      10      12      16              24      28      32
 *  +---------------+-------+-------+-------+---------------+-------+-------+
 *  |  "GRANCLOG"   | ver 1 | len 32|   0   | first sequence|   0   | crc32c|
 *  +---------------+-------+-------+-------+---------------+-------+-------+
 * </pre>
 *
 * The checksum covers everything before it. The header is written as a whole together with the file's name, so that it
 * is never torn.
 */
final class FileHeader {

    static final int LENGTH = 32;

    private static final long MAGIC = 0x474F_4C43_4E41_5247L; // "GRANCLOG" read as a little-endian number
    private static final short VERSION = 1;
    private static final int VERSION_AT = 8;
    private static final int LENGTH_AT = 10;
    private static final int FIRST_SEQUENCE_AT = 16;
    private static final int CRC_AT = 28;

    private FileHeader() {}

    static byte[] encode(long firstSequence) {
        byte[] header = new byte[LENGTH];
        ByteBuffer view = Bytes.view(header);
        view.putLong(0, MAGIC);
        view.putShort(VERSION_AT, VERSION);
        view.putShort(LENGTH_AT, (short) LENGTH);
        view.putLong(FIRST_SEQUENCE_AT, firstSequence);
        view.putInt(CRC_AT, Bytes.crc32c(header, 0, CRC_AT));
        return header;
    }

    /** Checks the header of a file that must start with a certain sequence. */
    static void check(String file, byte[] content, long firstSequence) throws LogDamagedException {
        if (content.length < LENGTH) {
            throw new LogDamagedException(file, 0, "it has " + content.length + " bytes, less than its header");
        }
        ByteBuffer view = Bytes.view(content);
        if (view.getLong(0) != MAGIC) {
            throw new LogDamagedException(file, 0, "it does not start as a log file does");
        }
        if (view.getInt(CRC_AT) != Bytes.crc32c(content, 0, CRC_AT)) {
            throw new LogDamagedException(file, 0, "the checksum of its header is wrong");
        }
        if (view.getShort(VERSION_AT) != VERSION || view.getShort(LENGTH_AT) != LENGTH) {
            throw new LogDamagedException(
                    file, VERSION_AT, "it has version " + view.getShort(VERSION_AT) + "; only 1 is known");
        }
        if (view.getLong(FIRST_SEQUENCE_AT) != firstSequence) {
            throw new LogDamagedException(
                    file,
                    FIRST_SEQUENCE_AT,
                    "it starts with sequence " + view.getLong(FIRST_SEQUENCE_AT) + ", its name says " + firstSequence);
        }
    }
}
