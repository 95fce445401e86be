package dev.granary.cli.graph;

/** What the cluster holds is not what the snapshot says. */
public final class GraphMismatchException extends GraphException {

    private static final long serialVersionUID = 1L;

    /** Says where they differ. */
    public GraphMismatchException(String message) {
        super(message);
    }
}
