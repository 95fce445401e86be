package dev.granary.serialization;

import java.nio.charset.StandardCharsets;

/**
 * Takes the fields of an object as bytes: little-endian, unaligned, nothing between them. Not thread-safe.
 *
 * <pre>
 *  byte, boolean      1 byte (boolean: 0 or 1)
 *  short, int, float  2, 4, 4 bytes           float, double: IEEE 754 bits
 *  long, double       8 bytes
 *  compact            1 to 5 bytes, seven bits each from the lowest on, top bit set in all but the last;
 *                     never longer than needed
 *  array slices       the elements, no length
 *  string             compact number of UTF-8 bytes, then these
 *  nested object      its own bytes, no length
 * </pre>
 *
 * <p>All methods throw {@link BufferTooSmallException} when there is no room left; what was written before stays.
 */
public interface Exporter {

    void writeByte(int value);

    void writeBoolean(boolean value);

    void writeShort(int value);

    void writeInt(int value);

    void writeLong(long value);

    void writeFloat(float value);

    void writeDouble(double value);

    /**
     * Writes a number in 1 to 5 bytes.
     *
     * @throws IllegalArgumentException if it is negative
     */
    void writeCompact(int value);

    /** Writes a slice of an array, without its length. */
    void writeBytes(byte[] source, int from, int count);

    /** Writes a slice of an array, without its length. */
    void writeInts(int[] source, int from, int count);

    /** Writes a slice of an array, without its length. */
    void writeLongs(long[] source, int from, int count);

    /** Writes a string with its length. Unpaired surrogates become question marks. */
    void writeString(String value);

    /** Lets a nested object write itself here. */
    default void writeObject(Exportable object) {
        object.exportTo(this);
    }

    /**
     * How many bytes {@link #writeCompact} takes for a number.
     *
     * @throws IllegalArgumentException if it is negative
     */
    static int compactSizeBytes(int value) {
        if (value < 0) {
            throw new IllegalArgumentException("a compact number is at least 0, not " + value);
        }
        return value < 1 << 7 ? 1 : value < 1 << 14 ? 2 : value < 1 << 21 ? 3 : value < 1 << 28 ? 4 : 5;
    }

    /** How many bytes {@link #writeString} takes for a string. */
    static int stringSizeBytes(String value) {
        int bytes = value.getBytes(StandardCharsets.UTF_8).length;
        return compactSizeBytes(bytes) + bytes;
    }
}
