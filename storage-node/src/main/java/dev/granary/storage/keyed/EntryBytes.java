package dev.granary.storage.keyed;

import dev.granary.keyed.KeyEntry;
import dev.granary.keyed.ValueType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The bytes of a chunk that is the entry of a key (docs/formats/keyed-entries.md, version 0). Numbers are
 * little-endian.
 *
 * <pre>
 *   0       1              1 or 7
 *   +-------+--------------+------------+---------+-----------------+
 *   | head  | expiry (6)   | key length | key     | content         |
 *   |       | only if it   | 1 to 5     |         | up to the end   |
 *   |       | expires      |            |         | of the chunk    |
 *   +-------+--------------+------------+---------+-----------------+
 *
 *   head    7   5   4         3  0
 *           +-----+---------+------+
 *           | 0   | expires | type |      bits 5 to 7: the version of this form
 *           +-----+---------+------+
 *   expiry       milliseconds since 1970
 *   key length   seven bits in a byte, the lowest first; bit 7 says that another byte follows
 * </pre>
 */
final class EntryBytes {

    /** The most bytes that an entry has beside key and content. */
    static final int MAX_OVERHEAD_BYTES = 12;

    private static final int TYPE_MASK = 0xf;
    private static final int EXPIRES = 0x10;
    private static final int VERSION_SHIFT = 5;
    private static final int BYTE_MASK = 0xff;
    private static final int EXPIRY_BYTES = 6;
    private static final long MAX_EXPIRY = (1L << 48) - 1;
    private static final int LENGTH_BITS = 7;
    private static final int MORE = 1 << LENGTH_BITS;

    private EntryBytes() {}

    /** Returns the bytes of an entry. A time beyond the year 10000 counts as never. */
    static byte[] of(byte[] key, ValueType type, byte[] content, long expiresAtMillis) {
        boolean expires = expiresAtMillis <= MAX_EXPIRY;
        int lengthBytes = lengthBytes(key.length);
        int head = 1 + (expires ? EXPIRY_BYTES : 0) + lengthBytes;
        ByteBuffer out = ByteBuffer.allocate(head + key.length + content.length).order(ByteOrder.LITTLE_ENDIAN);
        out.put((byte) (type.code() | (expires ? EXPIRES : 0)));
        if (expires) {
            out.putInt((int) expiresAtMillis).putShort((short) (expiresAtMillis >>> Integer.SIZE));
        }
        for (int rest = key.length, i = 1; i <= lengthBytes; i++, rest >>>= LENGTH_BITS) {
            out.put((byte) ((rest & (MORE - 1)) | (i < lengthBytes ? MORE : 0)));
        }
        out.put(key).put(content);
        return out.array();
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
                ValueType.of(bytes[0] & TYPE_MASK),
                Arrays.copyOfRange(bytes, keyStart + keyLength(bytes, size), size),
                expiry(bytes));
    }

    /** Returns when the entry expires, or {@link KeyEntry#NEVER}. */
    static long expiry(byte[] bytes) {
        if ((bytes[0] & EXPIRES) == 0) {
            return KeyEntry.NEVER;
        }
        long millis = 0;
        for (int i = EXPIRY_BYTES; i > 0; i--) {
            millis = millis << Byte.SIZE | (bytes[i] & BYTE_MASK);
        }
        return millis;
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

    private static int lengthStart(byte[] bytes, int size) {
        if (size < 2 || (bytes[0] & BYTE_MASK) >>> VERSION_SHIFT != 0) {
            throw new IllegalArgumentException("the chunk of " + size + " bytes is no entry of a key");
        }
        return (bytes[0] & EXPIRES) == 0 ? 1 : 1 + EXPIRY_BYTES;
    }

    private static int keyStart(byte[] bytes, int size) {
        int at = lengthStart(bytes, size);
        while (at < size && (bytes[at] & MORE) != 0) {
            at++;
        }
        return at + 1;
    }

    private static int keyLength(byte[] bytes, int size) {
        int start = lengthStart(bytes, size);
        int end = keyStart(bytes, size);
        int length = 0;
        for (int at = Math.min(end, size) - 1; at >= start; at--) {
            length = length << LENGTH_BITS | (bytes[at] & (MORE - 1));
        }
        if (length < 0 || length > size - end) {
            throw new IllegalArgumentException("the chunk of " + size + " bytes is no entry of a key");
        }
        return length;
    }
}
