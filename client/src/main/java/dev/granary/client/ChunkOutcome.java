package dev.granary.client;

/** What became of one chunk of a batch. */
public enum ChunkOutcome {
    OK,
    /** It does not exist. */
    NOT_FOUND,
    /** It existed and is lost, see {@link ChunkLostException}. */
    LOST,
    /** Its owner has no room for the new size; the old content stands. */
    OUT_OF_MEMORY,
    /** The token of the request's lock is older than one that the owner has seen, see {@link LockLostException}. */
    FENCED
}
