package dev.granary.serialization;

/** The bytes do not fit where they should be written. */
public final class BufferTooSmallException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Names both sizes in bytes. */
    public BufferTooSmallException(long neededBytes, long capacityBytes) {
        super("needs " + neededBytes + " B, but there is room for " + capacityBytes + " B only");
    }
}
