package dev.granary.cli.base;

/** Something that the person at the keyboard can put right; shown as one message, without a stack trace. */
public class UserException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public UserException(String message) {
        super(message);
    }

    public UserException(String message, Throwable cause) {
        super(message, cause);
    }
}
