package dev.granary.client.admin;

/**
 * Chunks of a cluster backup that are laid down together: all its chunks from one CID to another.
 *
 * @param startCid the first CID of the span
 * @param endCidInclusive the last CID of the span, of the same creator, at most 2^17 - 1 behind the first
 * @param cids of the chunks, ascending; CIDs in between have no chunk
 * @param sizes of the chunks, in the order of the CIDs
 * @param payload the contents one after another
 */
// Never compared; a list of numbers would box each.
@SuppressWarnings("ArrayRecordComponent")
public record RestoredChunks(long startCid, long endCidInclusive, long[] cids, int[] sizes, byte[] payload) {}
