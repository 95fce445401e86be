package dev.granary.keyed.hash;

/** A hash would take more than {@link HashForm#MOST_BYTES}. Carries no stack: clients cause it as they like. */
public final class HashTooLargeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    HashTooLargeException(long bytes) {
        super("a hash of " + bytes + " bytes is larger than " + HashForm.MOST_BYTES, null, false, false);
    }
}
