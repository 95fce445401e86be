package dev.granary.net;

/** Bytes that are not a valid frame or message. */
public final class FrameException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public FrameException(String message) {
        super(message);
    }

    public FrameException(String message, Throwable cause) {
        super(message, cause);
    }
}
