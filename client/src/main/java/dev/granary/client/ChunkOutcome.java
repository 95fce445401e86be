package dev.granary.client;

/** The outcome of one chunk of a batch. */
public enum ChunkOutcome {
    OK,
    /** The chunk does not exist. */
    NOT_FOUND,
    /** The chunk existed and is lost, see {@link ChunkLostException}. */
    LOST,
    /** The owner has no room for the new size; the chunk has its old content. */
    OUT_OF_MEMORY,
    /** The token of the request's lock is older than one that the owner has seen, see {@link LockLostException}. */
    FENCED
}
