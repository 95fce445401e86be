package dev.granary.serialization;

/**
 * Gives the fields of an object back from the bytes that an {@link Exporter} wrote; the format is described there. Not
 * thread-safe. Survives any bytes: all methods throw {@link MalformedDataException} when the bytes end too early or
 * cannot have been written by an exporter.
 */
public interface Importer {

    byte readByte();

    boolean readBoolean();

    short readShort();

    int readInt();

    long readLong();

    float readFloat();

    double readDouble();

    /** Reads a number that {@link Exporter#writeCompact} wrote, at least 0. */
    int readCompact();

    /** Fills a slice of an array. */
    void readBytes(byte[] target, int from, int count);

    /** Fills a slice of an array. */
    void readInts(int[] target, int from, int count);

    /** Fills a slice of an array. */
    void readLongs(long[] target, int from, int count);

    /** Reads a string with its length. */
    String readString();

    /** How many bytes are left. Compare an element count from the data with it before you allocate. */
    long remainingBytes();

    /** Lets a nested object read itself from here. */
    default void readObject(Importable object) {
        object.importFrom(this);
    }
}
