package dev.granary.keyed;

/** There is no room for a key or its value. Carries no stack: it is thrown when memory is scarce. */
public final class KeyspaceFullException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public KeyspaceFullException(String message) {
        super(message, null, false, false);
    }
}
