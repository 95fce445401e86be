package dev.granary.overlay;

/**
 * The hash slots of keys: as in a Redis cluster the CRC-16 (polynomial 0x1021, from 0, XMODEM) of a key modulo
 * {@value #COUNT}. Of a key with a tag in braces only the tag counts, so that keys can be kept together. All methods
 * are pure.
 */
public final class KeySlot {

    /** The number of slots. */
    public static final int COUNT = 1 << 14;

    private static final int POLYNOMIAL = 0x1021;
    private static final int BYTES = 1 << Byte.SIZE;
    private static final char[] TABLE = table();

    private KeySlot() {}

    /** The slot of a key, 0..16383. */
    public static int of(byte[] key) {
        int open = indexOf(key, '{', 0);
        if (open >= 0) {
            int close = indexOf(key, '}', open + 1);
            if (close > open + 1) {
                return crc16(key, open + 1, close) % COUNT;
            }
        }
        return crc16(key, 0, key.length) % COUNT;
    }

    private static int indexOf(byte[] key, char wanted, int from) {
        for (int i = from; i < key.length; i++) {
            if (key[i] == wanted) {
                return i;
            }
        }
        return -1;
    }

    static int crc16(byte[] bytes, int from, int to) {
        int crc = 0;
        for (int i = from; i < to; i++) {
            crc = (crc << Byte.SIZE ^ TABLE[(crc >>> Byte.SIZE ^ bytes[i]) & (BYTES - 1)]) & Character.MAX_VALUE;
        }
        return crc;
    }

    private static char[] table() {
        char[] table = new char[BYTES];
        for (int i = 0; i < BYTES; i++) {
            int crc = i << Byte.SIZE;
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                crc = (crc & 1 << 15) == 0 ? crc << 1 : crc << 1 ^ POLYNOMIAL;
            }
            table[i] = (char) crc;
        }
        return table;
    }
}
