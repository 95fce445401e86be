package dev.granary.cli.base;

/** A failure that the user can fix. It is shown as one message without a stack trace. */
public class UserException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public UserException(String message) {
        super(message);
    }

    public UserException(String message, Throwable cause) {
        super(message, cause);
    }
}
