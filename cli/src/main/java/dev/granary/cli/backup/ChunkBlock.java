package dev.granary.cli.backup;

/**
 * All chunks that there are from one CID to another.
 *
 * @param owner the NID of the storage peer that owned them, for who lays them down near one another again
 * @param startCid the first CID that it is of
 * @param endCidInclusive the last one, of the same creator
 * @param cids of the chunks, ascending
 * @param sizes of the chunks, in the order of the CIDs
 * @param payload the contents one after another
 */
// Never compared; a list of numbers would box each.
@SuppressWarnings("ArrayRecordComponent")
public record ChunkBlock(int owner, long startCid, long endCidInclusive, long[] cids, int[] sizes, byte[] payload) {

    /** The bytes of the chunks themselves. */
    long payloadBytes() {
        return payload.length;
    }
}
