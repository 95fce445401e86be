package dev.granary.memory;

/** All LIDs that may be given are in use: more must be reserved, or chunks deleted. */
public final class LidsExhaustedException extends ChunkMemoryException {

    private static final long serialVersionUID = 1L;

    public LidsExhaustedException(long endExclusive) {
        super("all LIDs below " + endExclusive + " are in use: reserve more or delete chunks");
    }
}
