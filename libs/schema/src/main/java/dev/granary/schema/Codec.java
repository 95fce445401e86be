package dev.granary.schema;

/**
 * How values of a type are written and read.
 *
 * @param <T> the type
 */
interface Codec<T> {

    /**
     * Appends a value.
     *
     * @throws IllegalArgumentException when it does not fit
     */
    void write(T value, Sink out);

    /**
     * Reads a value.
     *
     * @throws IllegalArgumentException when the bytes are none
     * @throws IndexOutOfBoundsException when there are too few
     */
    T read(Source in);

    /** The fewest bytes that a value takes. */
    int minBytes();

    /** What the page of a format calls the type. */
    String layout();
}
