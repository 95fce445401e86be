package dev.granary.operator.plan;

/**
 * The resource asks for something impossible that the API server has accepted. The message is for the author of the
 * resource.
 */
public final class InvalidSpecException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Makes an exception. */
    public InvalidSpecException(String message) {
        super(message);
    }
}
