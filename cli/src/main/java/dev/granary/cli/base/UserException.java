package dev.granary.cli.base;

import org.jspecify.annotations.Nullable;

/** A failure that the user can fix. It is shown as one message without a stack trace. */
public class UserException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public UserException(String message) {
        super(message);
    }

    public UserException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
