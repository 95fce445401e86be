package dev.granary.bench.memory;

/**
 * An option, or a file that an option names, is invalid. The message is for the person who wrote it.
 */
public final class BadOptionException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public BadOptionException(String message) {
        super(message);
    }

    public BadOptionException(String message, Throwable cause) {
        super(message, cause);
    }
}
