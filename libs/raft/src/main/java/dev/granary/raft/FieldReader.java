package dev.granary.raft;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Reads what {@link FieldWriter} wrote. Anything else makes it throw IllegalArgumentException. */
final class FieldReader {

    private final ByteBuffer bytes;

    FieldReader(byte[] bytes) {
        this.bytes = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    int getByte() {
        require(Byte.BYTES);
        return bytes.get() & 0xFF;
    }

    boolean getFlag() {
        int value = getByte();
        if (value > 1) {
            throw new IllegalArgumentException("a flag of " + value);
        }
        return value == 1;
    }

    int getInt() {
        require(Integer.BYTES);
        return bytes.getInt();
    }

    /** A number that is not negative. */
    int getTerm() {
        int value = getInt();
        if (value < 0) {
            throw new IllegalArgumentException("a term of " + value);
        }
        return value;
    }

    long getLong() {
        require(Long.BYTES);
        return bytes.getLong();
    }

    /** A number that is not negative. */
    long getIndex() {
        long value = getLong();
        if (value < 0) {
            throw new IllegalArgumentException("an index of " + value);
        }
        return value;
    }

    /** Reads a number of items, each of which has at least {@code bytesEach} bytes behind it. */
    int getCount(int bytesEach) {
        int count = getInt();
        if (count < 0 || (long) count * bytesEach > bytes.remaining()) {
            throw new IllegalArgumentException(count + " items in " + bytes.remaining() + " bytes");
        }
        return count;
    }

    byte[] getBytes() {
        byte[] value = new byte[getCount(1)];
        bytes.get(value);
        return value;
    }

    void requireEnd() {
        if (bytes.hasRemaining()) {
            throw new IllegalArgumentException(bytes.remaining() + " bytes too many");
        }
    }

    private void require(int count) {
        if (bytes.remaining() < count) {
            throw new IllegalArgumentException("the bytes end within a field");
        }
    }
}
