package dev.granary.cli.graph;

/** A chunk of the graph is not in the cluster: deleted, lost with its storage peer, or never there. */
public final class MissingChunkException extends GraphException {

    private static final long serialVersionUID = 1L;

    /** Says which chunk, and what the cluster said of it. */
    public MissingChunkException(long cid, String what) {
        super("chunk 0x%016x of the graph is not there: %s".formatted(cid, what));
    }
}
