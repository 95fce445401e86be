package dev.granary.net.message;

/**
 * How the messages that carry chunks are laid out, little-endian. They are written and read in place.
 *
 * <pre>
 * CREATE  request  MutationHeader, epoch int64 with FLAG_EPOCH, sizes int32[count], payloads one after another (none
 *                  with FLAG_ZEROED)
 *         reply    count int32, cids int64[count]                    all chunks are created, or none
 * GET     request  flags int32 (0), count int32, cids int64[count]
 *         reply    done int32, results int32[done], payloads of the results that are sizes, one after another
 *                  a result is a size, or a negated ChunkStatus; done may be less than count when the payloads
 *                  of more would not fit into the reply: the caller asks again for the rest. With count of at
 *                  least 1, done is at least 1.
 * PUT     request  MutationHeader, cids int64[count], sizes int32[count], tokens int64[count] with FLAG_TOKENS,
 *                  payloads one after another
 *         reply    count int32, ChunkStatus uint8[count]
 * DELETE  request  MutationHeader, cids int64[count], tokens int64[count] with FLAG_TOKENS
 *         reply    count int32, ChunkStatus uint8[count]
 * FENCE   request  flags int32 (0), count int32, cids int64[count], tokens int64[count]
 *         reply    count int32, ChunkStatus uint8[count]             repeating it changes nothing
 * </pre>
 */
public final class ChunkLayouts {

    /** Of a create: the chunks are filled with zeros and the request carries no payloads. */
    public static final int FLAG_ZEROED = 1;

    /** Of a put or delete: each chunk comes with the token of a lock, 0 for none. */
    public static final int FLAG_TOKENS = 2;

    /**
     * Of a create: it is for the incarnation of the storage peer with this epoch and for no later one, which would not
     * know whether an earlier one has carried it out.
     */
    public static final int FLAG_EPOCH = 4;

    /** The most chunks that one request may name; clients split larger batches. */
    public static final int MAX_COUNT = 1 << 17;

    /** A get stops early once the payloads of its reply have this size. */
    public static final int GET_REPLY_SOFT_BYTES = 4 << 20;

    private ChunkLayouts() {}
}
