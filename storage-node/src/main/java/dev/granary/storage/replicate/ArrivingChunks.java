package dev.granary.storage.replicate;

import java.util.function.LongPredicate;

/**
 * Chunks of a migration at its target. The target logs them in a zone as they come, but they are in no span of the zone
 * before their arc has committed the migration. A copy that is filled in between begins behind these entries, so its
 * base must have them.
 *
 * @param startCid the first CID that may come
 * @param endCidInclusive the last CID that may come
 * @param hasCome whether a chunk of the range has come; asked by tasks of the scheduler,
 *     also after the range was committed
 */
public record ArrivingChunks(long startCid, long endCidInclusive, LongPredicate hasCome) {}
