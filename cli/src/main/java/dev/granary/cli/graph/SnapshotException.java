package dev.granary.cli.graph;

/** The snapshot of the package graph cannot be read: it is damaged or has a format that this version does not know. */
public final class SnapshotException extends GraphException {

    private static final long serialVersionUID = 1L;

    SnapshotException(String message) {
        super(message);
    }

    SnapshotException(String message, Throwable cause) {
        super(message, cause);
    }
}
