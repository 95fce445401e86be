package dev.granary.operator.plan;

/** The resource asks for something impossible that the API server let through; the message is for its author. */
public final class InvalidSpecException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Makes one. */
    public InvalidSpecException(String message) {
        super(message);
    }
}
