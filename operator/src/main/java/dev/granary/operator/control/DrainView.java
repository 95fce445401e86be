package dev.granary.operator.control;

import java.util.List;

/**
 * The drain of a storage peer.
 *
 * @param plan the name of its rebalance plan, such as {@code 0x4000/1}
 * @param nid the NID of the storage peer
 * @param state {@code running}, {@code done}, {@code aborted} or {@code failed}
 * @param note a note for people, may be empty
 * @param bytes the payload to move
 * @param bytesDone the payload that has moved
 * @param destinations NIDs of the storage peers that take the chunks, each once, in order
 */
public record DrainView(
        String plan, int nid, String state, String note, long bytes, long bytesDone, List<String> destinations) {}
