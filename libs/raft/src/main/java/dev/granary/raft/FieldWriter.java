package dev.granary.raft;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Fields one after the other, little-endian, in an array that grows. */
final class FieldWriter {

    private byte[] bytes = new byte[64];
    private ByteBuffer view = wrap(bytes);
    private int size;

    private static ByteBuffer wrap(byte[] array) {
        return ByteBuffer.wrap(array).order(ByteOrder.LITTLE_ENDIAN);
    }

    int sizeBytes() {
        return size;
    }

    FieldWriter putByte(int value) {
        int at = take(Byte.BYTES);
        bytes[at] = (byte) value;
        return this;
    }

    FieldWriter putFlag(boolean value) {
        return putByte(value ? 1 : 0);
    }

    FieldWriter putInt(int value) {
        int at = take(Integer.BYTES);
        view.putInt(at, value);
        return this;
    }

    FieldWriter putLong(long value) {
        int at = take(Long.BYTES);
        view.putLong(at, value);
        return this;
    }

    /** The length in four bytes, then the bytes. */
    FieldWriter putBytes(byte[] value) {
        putInt(value.length);
        int at = take(value.length);
        System.arraycopy(value, 0, bytes, at, value.length);
        return this;
    }

    byte[] toArray() {
        return Arrays.copyOf(bytes, size);
    }

    private int take(int count) {
        int at = size;
        if (at + count > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, at + count));
            view = wrap(bytes);
        }
        size = at + count;
        return at;
    }
}
