package dev.granary.env;

import java.io.IOException;

/** There is no space left on a disk. What was there before is intact, and space may return. */
public final class DiskFullException extends IOException {

    private static final long serialVersionUID = 1;

    /** Says what could not be written. */
    public DiskFullException(String message, Throwable cause) {
        super(message, cause);
    }

    /** Says what could not be written. */
    public DiskFullException(String message) {
        super(message);
    }
}
