package dev.granary.process.config;

/**
 * Turns the text of a configuration value into a value of type T. Immutable.
 *
 * @param <T> the value
 */
public interface ConfigType<T> {

    /**
     * Reads a value.
     *
     * @param text without white space at its ends
     * @throws IllegalArgumentException saying what is wrong with it, in words that follow the key and the value
     */
    T parse(String text);

    /** What may be written, for example "a whole number from 1 to 9". */
    String allowed();
}
