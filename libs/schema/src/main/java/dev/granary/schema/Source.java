package dev.granary.schema;

/**
 * Where fields are read from, little-endian. A source with too few bytes left throws IndexOutOfBoundsException or
 * IllegalArgumentException.
 */
public interface Source {

    /** A number of 8 bits without a sign. */
    int getByte();

    /** A number of 16 bits without a sign. */
    int getShort();

    /** A number of 32 bits with a sign. */
    int getInt();

    /** A number of 64 bits with a sign. */
    long getLong();

    /** Reads {@code sizeBytes} bytes. The caller has checked that they are left. */
    byte[] getBytes(int sizeBytes);

    /** How many bytes are left. */
    int remainingBytes();
}
