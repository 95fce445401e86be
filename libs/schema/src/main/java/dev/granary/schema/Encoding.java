package dev.granary.schema;

/**
 * Writes and reads values of a type.
 *
 * @param <T> the type
 */
interface Encoding<T> {

    /**
     * Appends a value.
     *
     * @throws IllegalArgumentException when it does not fit
     */
    void write(T value, Sink out);

    /**
     * Reads a value.
     *
     * @throws IllegalArgumentException when the bytes are not a value
     * @throws IndexOutOfBoundsException when there are too few
     */
    T read(Source in);
}
