package dev.granary.keyed.hash;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** Walks over the fields of a hash, in place. It stands before the first one, or on one. Of one thread. */
public final class HashPairs {

    private final byte[] content;
    private final int count;
    private final int first;

    private int index = -1;
    private int start;
    private int fieldStart;
    private int valueStart;
    private int fieldLength;
    private int end;

    /** The fields of a hash. */
    public HashPairs(byte[] content) {
        this.content = content;
        count = VarInt.read(content, 0);
        first = VarInt.size(count);
        end = first;
    }

    /** Returns how many fields there are. */
    public int count() {
        return count;
    }

    /** Goes to the next field. Returns whether there is one. */
    public boolean next() {
        if (index + 1 >= count) {
            return false;
        }
        index++;
        start = end;
        fieldLength = VarInt.read(content, start);
        fieldStart = start + VarInt.size(fieldLength);
        int valueHead = fieldStart + fieldLength;
        int valueLength = VarInt.read(content, valueHead);
        valueStart = valueHead + VarInt.size(valueLength);
        end = valueStart + valueLength;
        return true;
    }

    /** Goes on to a field of this name. Returns whether there is one behind where this stands. */
    public boolean find(byte[] field) {
        while (next()) {
            if (fieldLength == field.length
                    && Arrays.equals(content, fieldStart, fieldStart + fieldLength, field, 0, field.length)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the number of the field, from 0. */
    int index() {
        return index;
    }

    /** Returns where the first field begins. */
    int first() {
        return first;
    }

    /** Returns where the field begins, with its length. */
    int start() {
        return start;
    }

    /** Returns where its value ends. */
    int end() {
        return end;
    }

    /** Returns where the bytes of the field begin in the hash. */
    public int fieldStart() {
        return fieldStart;
    }

    /** Returns how many bytes the field has. */
    public int fieldLength() {
        return fieldLength;
    }

    /** Returns where the bytes of the value begin in the hash. */
    public int valueStart() {
        return valueStart;
    }

    /** Returns how many bytes the value has. */
    public int valueLength() {
        return end - valueStart;
    }

    /** Returns a copy of the field. */
    public byte[] field() {
        return Arrays.copyOfRange(content, fieldStart, fieldStart + fieldLength);
    }

    /** Returns a copy of the value. */
    public byte[] value() {
        return Arrays.copyOfRange(content, valueStart, end);
    }

    /** Returns the field as a key of maps, which holds the bytes of the whole hash. */
    public ByteBuffer fieldInPlace() {
        return ByteBuffer.wrap(content, fieldStart, fieldLength);
    }
}
