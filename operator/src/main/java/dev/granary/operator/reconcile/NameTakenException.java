package dev.granary.operator.reconcile;

/**
 * An object that the cluster needs exists already with another owner. The message is for the author of the resource.
 */
public final class NameTakenException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NameTakenException(String message) {
        super(message);
    }
}
