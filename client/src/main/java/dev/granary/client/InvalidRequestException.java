package dev.granary.client;

/** The operation cannot be carried out as asked; asking again changes nothing. */
public final class InvalidRequestException extends GranaryException {

    private static final long serialVersionUID = 1L;

    public InvalidRequestException(String message) {
        super(message);
    }
}
