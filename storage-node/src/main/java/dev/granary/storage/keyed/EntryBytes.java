package dev.granary.storage.keyed;

import dev.granary.keyed.KeyEntry;
import dev.granary.keyed.ValueType;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The bytes of a chunk that is the entry of a key (docs/formats/keyed-entries.md, version 1). A string with a key of 1
 * to 31 bytes has the short form, all else the long form. Numbers are little-endian.
 *
 * <pre>
 *   short   0      1            1 or 6
 *           +------+------------+---------+-----------------+
 *           | head | expiry (5) | key     | content         |
 *           |      | only if it |         | up to the end   |
 *           |      | expires    |         | of the chunk    |
 *           +------+------------+---------+-----------------+
 *
 *   long    0      1      2            2 or 8
 *           +------+------+------------+------------+---------+-----------------+
 *           | head | type | expiry (6) | key length | key     | content         |
 *           |      |      | only if it | 1 to 5     |         | up to the end   |
 *           |      |      | expires    |            |         | of the chunk    |
 *           +------+------+------------+------------+---------+-----------------+
 *
 *   head    7   6   5         4        0
 *           +-------+---------+------------+
 *           | 1     | expires | key length |     bits 6 and 7: the version; key length 0: the long form
 *           +-------+---------+------------+
 *   expiry       milliseconds, in the short form since the beginning of 2020 (UTC), in the long form since 1970
 *   key length   of the long form: seven bits in a byte, the lowest first; bit 7 says that another byte follows
 * </pre>
 */
final class EntryBytes {

    /** The most bytes that an entry has beside key and content. */
    static final int MAX_OVERHEAD_BYTES = 13;

    private static final int VERSION_SHIFT = 6;
    private static final int VERSION = 1;
    private static final int EXPIRES = 0x20;
    private static final int MAX_SHORT_KEY = 0x1f;
    private static final int BYTE_MASK = 0xff;
    private static final int SHORT_EXPIRY_BYTES = 5;
    private static final int LONG_EXPIRY_BYTES = 6;
    private static final int LONG_HEAD_BYTES = 2;

    /** The beginning of the year 2020. */
    private static final long SHORT_EXPIRY_BASE_MILLIS = 1_577_836_800_000L;

    private static final long MAX_SHORT_EXPIRY = (1L << 40) - 1;
    private static final long MAX_EXPIRY = (1L << 48) - 1;
    private static final int LENGTH_BITS = 7;
    private static final int MORE = 1 << LENGTH_BITS;

    private EntryBytes() {}

    /** Returns the bytes of an entry. A time beyond the year 10000 counts as never. */
    static byte[] of(byte[] key, ValueType type, byte[] content, long expiresAtMillis) {
        boolean expires = expiresAtMillis <= MAX_EXPIRY;
        int head = (VERSION << VERSION_SHIFT) | (expires ? EXPIRES : 0);
        long shortExpiry = expiresAtMillis - SHORT_EXPIRY_BASE_MILLIS;
        if (type == ValueType.STRING
                && key.length > 0
                && key.length <= MAX_SHORT_KEY
                && (!expires || (shortExpiry >= 0 && shortExpiry <= MAX_SHORT_EXPIRY))) {
            int keyStart = 1 + (expires ? SHORT_EXPIRY_BYTES : 0);
            ByteBuffer out = ByteBuffer.allocate(keyStart + key.length + content.length);
            out.put((byte) (head | key.length));
            putNumber(out, shortExpiry, keyStart - 1);
            return out.put(key).put(content).array();
        }
        int expiryBytes = expires ? LONG_EXPIRY_BYTES : 0;
        int lengthBytes = lengthBytes(key.length);
        ByteBuffer out = ByteBuffer.allocate(LONG_HEAD_BYTES + expiryBytes + lengthBytes + key.length + content.length);
        out.put((byte) head).put((byte) type.code());
        putNumber(out, expiresAtMillis, expiryBytes);
        for (int rest = key.length, i = 1; i <= lengthBytes; i++, rest >>>= LENGTH_BITS) {
            out.put((byte) ((rest & (MORE - 1)) | (i < lengthBytes ? MORE : 0)));
        }
        return out.put(key).put(content).array();
    }

    private static void putNumber(ByteBuffer out, long number, int bytes) {
        for (int i = 0; i < bytes; i++) {
            out.put((byte) (number >>> (i * Byte.SIZE)));
        }
    }

    private static int lengthBytes(int length) {
        int bytes = 1;
        for (int rest = length >>> LENGTH_BITS; rest != 0; rest >>>= LENGTH_BITS) {
            bytes++;
        }
        return bytes;
    }

    /** Returns the entry in the first {@code size} bytes of an array. */
    static KeyEntry entry(byte[] bytes, int size) {
        int keyStart = keyStart(bytes, size);
        return new KeyEntry(
                isShort(bytes) ? ValueType.STRING : ValueType.of(bytes[1] & BYTE_MASK),
                Arrays.copyOfRange(bytes, keyStart + keyLength(bytes, size), size),
                expiry(bytes));
    }

    /** Returns when the entry expires, or {@link KeyEntry#NEVER}. */
    static long expiry(byte[] bytes) {
        if ((bytes[0] & EXPIRES) == 0) {
            return KeyEntry.NEVER;
        }
        return isShort(bytes)
                ? SHORT_EXPIRY_BASE_MILLIS + number(bytes, 1, SHORT_EXPIRY_BYTES)
                : number(bytes, LONG_HEAD_BYTES, LONG_EXPIRY_BYTES);
    }

    private static long number(byte[] bytes, int start, int length) {
        long number = 0;
        for (int i = start + length - 1; i >= start; i--) {
            number = number << Byte.SIZE | (bytes[i] & BYTE_MASK);
        }
        return number;
    }

    /** Returns the key of the entry in the first {@code size} bytes of an array. */
    static byte[] key(byte[] bytes, int size) {
        int start = keyStart(bytes, size);
        return Arrays.copyOfRange(bytes, start, start + keyLength(bytes, size));
    }

    /** Returns where the key of an entry of a size ends. The array may lack what comes behind the length of the key. */
    static int keyEnd(byte[] bytes, int size) {
        return keyStart(bytes, size) + keyLength(bytes, size);
    }

    /** Returns whether the entry in the first {@code size} bytes of an array is that of a key. */
    static boolean isOf(byte[] key, byte[] bytes, int size) {
        int start = keyStart(bytes, size);
        int length = keyLength(bytes, size);
        return Arrays.equals(key, 0, key.length, bytes, start, start + length);
    }

    private static boolean isShort(byte[] bytes) {
        return (bytes[0] & MAX_SHORT_KEY) != 0;
    }

    /** Returns where the length of the key is in the long form. */
    private static int lengthStart(byte[] bytes) {
        return LONG_HEAD_BYTES + ((bytes[0] & EXPIRES) == 0 ? 0 : LONG_EXPIRY_BYTES);
    }

    private static int keyStart(byte[] bytes, int size) {
        if (size < LONG_HEAD_BYTES || (bytes[0] & BYTE_MASK) >>> VERSION_SHIFT != VERSION) {
            throw noEntry(size);
        }
        if (isShort(bytes)) {
            return 1 + ((bytes[0] & EXPIRES) == 0 ? 0 : SHORT_EXPIRY_BYTES);
        }
        int at = lengthStart(bytes);
        while (at < size && (bytes[at] & MORE) != 0) {
            at++;
        }
        return at + 1;
    }

    private static int keyLength(byte[] bytes, int size) {
        int start = keyStart(bytes, size);
        int length = 0;
        if (isShort(bytes)) {
            length = bytes[0] & MAX_SHORT_KEY;
        } else {
            for (int at = Math.min(start, size) - 1, first = lengthStart(bytes); at >= first; at--) {
                length = length << LENGTH_BITS | (bytes[at] & (MORE - 1));
            }
        }
        if (length < 0 || length > size - start) {
            throw noEntry(size);
        }
        return length;
    }

    private static IllegalArgumentException noEntry(int size) {
        return new IllegalArgumentException("the chunk of " + size + " bytes is no entry of a key");
    }
}
