package dev.granary.storage.door.chunks;

/** A request makes no sense, or asks for too much. Nothing was done. The message is the error with its code. */
final class BadArgument extends Exception {

    private static final long serialVersionUID = 1L;

    BadArgument(String error) {
        super(error, null, false, false);
    }
}
