package dev.granary.keyed.hash;

import java.util.Arrays;

/** Puts a hash together, from its first field to its last one. */
final class HashWriter {

    private byte[] body;
    private int length;
    private int count;

    /** A hash that will take about so many bytes. */
    HashWriter(long bytes) {
        body = new byte[(int) Math.min(bytes, HashForm.MOST_BYTES)];
    }

    /** Returns how many bytes a field with its value takes, by the lengths of both. */
    static long size(int fieldBytes, int valueBytes) {
        return (long) VarInt.size(fieldBytes) + fieldBytes + VarInt.size(valueBytes) + valueBytes;
    }

    int count() {
        return count;
    }

    /** Adds so many fields with their values from the bytes of another hash. */
    void copy(byte[] content, int from, int to, int fields) {
        reserve(to - from);
        System.arraycopy(content, from, body, length, to - from);
        length += to - from;
        count += fields;
    }

    /** Adds a field with its value. */
    void pair(byte[] field, byte[] value) {
        reserve(size(field.length, value.length));
        length = bytes(field);
        length = bytes(value);
        count++;
    }

    private int bytes(byte[] bytes) {
        int at = VarInt.write(body, length, bytes.length);
        System.arraycopy(bytes, 0, body, at, bytes.length);
        return at + bytes.length;
    }

    private void reserve(long more) {
        long needed = length + more;
        if (needed > HashForm.MOST_BYTES) {
            throw new HashTooLargeException(needed);
        }
        if (needed > body.length) {
            body = Arrays.copyOf(body, (int) Math.min(HashForm.MOST_BYTES, Math.max(needed, 2L * body.length)));
        }
    }

    /** Returns all bytes of the hash. */
    byte[] bytes() {
        int head = VarInt.size(count);
        if (head + length > HashForm.MOST_BYTES) {
            throw new HashTooLargeException((long) head + length);
        }
        byte[] bytes = new byte[head + length];
        VarInt.write(bytes, 0, count);
        System.arraycopy(body, 0, bytes, head, length);
        return bytes;
    }
}
