package dev.granary.cli.backup;

/**
 * All existing chunks between two CIDs.
 *
 * @param owner the NID of the storage peer that owned them; a restore puts chunks of one owner together again
 * @param startCid the first CID of the block
 * @param endCidInclusive the last CID of the block, of the same creator
 * @param cids the CIDs of the chunks, ascending
 * @param sizes the sizes of the chunks, in the order of the CIDs
 * @param payload the contents one after another
 */
// Blocks are never compared, and lists would box every number.
@SuppressWarnings("ArrayRecordComponent")
public record ChunkBlock(int owner, long startCid, long endCidInclusive, long[] cids, int[] sizes, byte[] payload) {

    /** The number of bytes in the chunks. */
    long payloadBytes() {
        return payload.length;
    }
}
