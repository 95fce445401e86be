package dev.granary.cli.graph;

/** The snapshot of the package graph cannot be read: it is damaged or not in the form that this version knows. */
public final class SnapshotException extends GraphException {

    private static final long serialVersionUID = 1L;

    SnapshotException(String message) {
        super(message);
    }

    SnapshotException(String message, Throwable cause) {
        super(message, cause);
    }
}
