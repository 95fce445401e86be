package dev.granary.schema;

/**
 * Where fields are read from, little-endian. One that has too few bytes left throws IndexOutOfBoundsException or
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

    /** So many bytes, of which that many are left. */
    byte[] getBytes(int sizeBytes);

    /** How many bytes are left. */
    int remainingBytes();
}
