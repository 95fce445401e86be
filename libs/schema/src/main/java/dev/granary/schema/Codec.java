package dev.granary.schema;

/**
 * How values of a type are written and read, and what is known of their bytes.
 *
 * @param <T> the type
 */
interface Codec<T> extends Encoding<T> {

    /** The fewest bytes that a value takes. */
    int minBytes();

    /** The name of the type on the page of a format. */
    String layout();

    /** Returns what only writes and reads, with the fewest steps in between. */
    default Encoding<T> encoding() {
        return this;
    }
}
