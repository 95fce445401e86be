package dev.granary.client;

/** The request is invalid: the operation cannot be carried out as asked, and asking again changes nothing. */
public final class InvalidRequestException extends GranaryException {

    private static final long serialVersionUID = 1L;

    public InvalidRequestException(String message) {
        super(message);
    }
}
