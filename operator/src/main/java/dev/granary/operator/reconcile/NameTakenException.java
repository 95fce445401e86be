package dev.granary.operator.reconcile;

/**
 * An object that the cluster needs exists already and belongs to someone else;
 * the message is for the resource's author.
 */
final class NameTakenException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NameTakenException(String message) {
        super(message);
    }
}
