package dev.granary.schema;

/**
 * How values of a type are written and read, and what is known of their bytes.
 *
 * @param <T> the type
 */
interface Codec<T> extends Encoding<T> {

    /** The fewest bytes that a value takes. */
    int minBytes();

    /** What the page of a format calls the type. */
    String layout();

    /** What writes and reads alone, with the fewest steps between. */
    default Encoding<T> encoding() {
        return this;
    }
}
