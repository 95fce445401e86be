package dev.granary.storage.replicate;

import java.util.function.LongPredicate;

/**
 * Chunks of a migration at its target: they are logged in a zone as they come, and are in none of its spans before
 * their arc has committed them. A copy that is filled in between begins behind these entries,
 * so its base must have them.
 *
 * @param startCid the first that may come
 * @param endCidInclusive the last one
 * @param hasCome whether a chunk of the range has come; asked by tasks of the scheduler,
 *     also after the range was committed
 */
public record ArrivingChunks(long startCid, long endCidInclusive, LongPredicate hasCome) {}
