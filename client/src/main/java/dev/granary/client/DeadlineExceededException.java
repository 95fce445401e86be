package dev.granary.client;

import org.jspecify.annotations.Nullable;

/** The operation did not succeed before its deadline. A change may or may not have been carried out. */
public final class DeadlineExceededException extends GranaryException {

    private static final long serialVersionUID = 1L;

    public DeadlineExceededException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
