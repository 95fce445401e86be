package dev.granary.cli.graph;

/** The content of the cluster differs from the snapshot. */
public final class GraphMismatchException extends GraphException {

    private static final long serialVersionUID = 1L;

    /** Says where they differ. */
    public GraphMismatchException(String message) {
        super(message);
    }
}
