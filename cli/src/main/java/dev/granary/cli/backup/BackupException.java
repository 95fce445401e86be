package dev.granary.cli.backup;

import dev.granary.cli.base.UserException;

/** A cluster backup cannot be made, read or restored. The message says why and what to do. */
public final class BackupException extends UserException {

    private static final long serialVersionUID = 1L;

    public BackupException(String message) {
        super(message);
    }

    public BackupException(String message, Throwable cause) {
        super(message, cause);
    }
}
