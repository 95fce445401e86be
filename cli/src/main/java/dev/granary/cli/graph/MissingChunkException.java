package dev.granary.cli.graph;

/** A chunk of the graph is not in the cluster: it was deleted, lost with its storage peer, or never created. */
public final class MissingChunkException extends GraphException {

    private static final long serialVersionUID = 1L;

    /** Names the chunk and what the cluster answered. */
    public MissingChunkException(long cid, String what) {
        super("chunk 0x%016x of the graph is not there: %s".formatted(cid, what));
    }
}
