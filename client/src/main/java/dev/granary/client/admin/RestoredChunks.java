package dev.granary.client.admin;

/**
 * Chunks of a cluster backup that are restored together: all its chunks from one CID to another.
 *
 * @param startCid the first CID of the span
 * @param endCidInclusive the last CID of the span, of the same creator, at most 2^17 - 1 behind the first
 * @param cids the CIDs of the chunks, ascending; CIDs in between have no chunk
 * @param sizes the sizes of the chunks, in the order of the CIDs
 * @param payload the contents one after another
 */
// These records are never compared, and lists would box every number.
@SuppressWarnings("ArrayRecordComponent")
public record RestoredChunks(long startCid, long endCidInclusive, long[] cids, int[] sizes, byte[] payload) {}
