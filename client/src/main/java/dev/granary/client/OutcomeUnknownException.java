package dev.granary.client;

/** A change was sent, its answer was lost, and the storage peer no longer knows whether it carried it out. */
public final class OutcomeUnknownException extends GranaryException {

    private static final long serialVersionUID = 1L;

    public OutcomeUnknownException(String message) {
        super(message);
    }
}
