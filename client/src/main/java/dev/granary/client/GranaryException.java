package dev.granary.client;

import org.jspecify.annotations.Nullable;

/** An operation failed. The subclasses are the cases that an application may want to distinguish. */
public class GranaryException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public GranaryException(String message) {
        super(message);
    }

    public GranaryException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
