package dev.granary.client;

import org.jspecify.annotations.Nullable;

/** Why an operation failed. The subclasses are the cases that an application may want to tell apart. */
public class GranaryException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public GranaryException(String message) {
        super(message);
    }

    public GranaryException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
