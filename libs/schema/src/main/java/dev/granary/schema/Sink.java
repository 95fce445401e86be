package dev.granary.schema;

/** Where fields are written, little-endian. */
public interface Sink {

    /** Appends the lowest 8 bits. */
    void putByte(int value);

    /** Appends the lowest 16 bits. */
    void putShort(int value);

    /** Appends 32 bits. */
    void putInt(int value);

    /** Appends 64 bits. */
    void putLong(long value);

    /** Appends bytes as they are. */
    void putBytes(byte[] bytes);
}
