package dev.granary.keyed.command;

/** The checksum of dumps: CRC-64 with the polynomial of Jones, bits reflected, from zero on. */
final class Crc64 {

    /** The polynomial ad93d23594c935a9, its bits from last to first. */
    private static final long POLYNOMIAL = 0x95ac9329ac4bc9b5L;

    private static final int BYTE_VALUES = 256;

    private static final long[] OF_BYTE = new long[BYTE_VALUES];

    static {
        for (int value = 0; value < BYTE_VALUES; value++) {
            long crc = value;
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                crc = (crc & 1) == 0 ? crc >>> 1 : (crc >>> 1) ^ POLYNOMIAL;
            }
            OF_BYTE[value] = crc;
        }
    }

    private Crc64() {}

    /** Returns the checksum of the bytes from {@code from} on, below {@code to}. */
    static long of(byte[] bytes, int from, int to) {
        long crc = 0;
        for (int i = from; i < to; i++) {
            crc = OF_BYTE[(int) (crc ^ bytes[i]) & (BYTE_VALUES - 1)] ^ (crc >>> Byte.SIZE);
        }
        return crc;
    }
}
