package dev.granary.client;

/** No storage peer that may take the chunks has room for them. */
public final class StorageFullException extends GranaryException {

    private static final long serialVersionUID = 1L;

    public StorageFullException(String message) {
        super(message);
    }
}
