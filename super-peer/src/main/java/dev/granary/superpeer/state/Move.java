package dev.granary.superpeer.state;

import dev.granary.schema.Coded;
import dev.granary.schema.U16;

/**
 * One migration of a rebalance plan.
 *
 * @param startCid the first chunk
 * @param endCidInclusive the last chunk, of the same creator
 * @param targetNid the storage peer that shall own the chunks
 * @param chunks how many chunks there were when the move was planned
 * @param bytes of these chunks
 * @param state how far the move is
 */
public record Move(long startCid, long endCidInclusive, @U16 int targetNid, long chunks, long bytes, State state) {

    /** How far a move is. Codes are part of formats. */
    public enum State implements Coded {
        PENDING(0),
        DONE(1),
        FAILED(2);

        private final int code;

        State(int code) {
            this.code = code;
        }

        @Override
        public int code() {
            return code;
        }
    }

    public Move in(State next) {
        return new Move(startCid, endCidInclusive, targetNid, chunks, bytes, next);
    }
}
