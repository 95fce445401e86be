package dev.granary.net.message;

/**
 * The outcome for one chunk of a request. The codes are part of the protocol: they stand as bytes in the replies of put
 * and delete, and negated in the sizes of a get's reply.
 */
public final class ChunkStatus {

    public static final int OK = 0;
    /** There is no such chunk. */
    public static final int NOT_FOUND = 1;
    /** The chunk was there and is lost: its peer restarted and there was no other copy. */
    public static final int LOST = 2;
    /** The asked peer does not own the chunk's range (any more): look up again. */
    public static final int WRONG_OWNER = 3;
    /** The owner's chunk memory has no room for the new size; the old content stands. */
    public static final int OUT_OF_MEMORY = 4;

    /** The request's token is older than one that the owner has seen for this chunk: the lock has passed on. */
    public static final int FENCED = 16;

    private ChunkStatus() {}
}
