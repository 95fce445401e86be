package dev.granary.net.message;

import dev.granary.schema.Coded;
import dev.granary.schema.I32;
import dev.granary.schema.U16;

/** Plans of many moves. */
public final class PlanMessages {

    private PlanMessages() {}

    /** What a plan of moves is for. Codes are part of the protocol. */
    public enum PlanKind implements Coded {
        /** Chunks go to a storage peer. */
        MOVE(0),
        /** Everything leaves a storage peer, which takes no new chunks meanwhile and afterwards. */
        DRAIN(1),
        /** A storage peer takes its share from the others. */
        SPREAD(2);

        private final int code;

        PlanKind(int code) {
            this.code = code;
        }

        /** The number of the kind on the wire and on disk. */
        @Override
        public int code() {
            return code;
        }
    }

    /**
     * Asks a super-peer to plan moves and to carry them out.
     *
     * @param kind what the plan is for
     * @param nid the storage peer that is drained or filled; for {@link PlanKind#MOVE} the one that shall own the range
     * @param startCid for {@link PlanKind#MOVE} the first chunk, otherwise 0
     * @param endCidInclusive for {@link PlanKind#MOVE} the last chunk, of the same creator, otherwise 0
     */
    public record StartPlan(PlanKind kind, @U16 int nid, long startCid, long endCidInclusive) implements Message {}

    /**
     * Asks the super-peer of a plan to begin no more of its moves and to give up those that run. What has moved stays.
     *
     * @param homeNid the NID in whose arc the plan is kept
     * @param number of the plan
     */
    public record AbortPlan(@U16 int homeNid, long number) implements Message {}

    /**
     * A plan is made.
     *
     * @param homeNid the NID in whose arc it is kept; with the number it names the plan
     * @param number counted by the arc
     * @param moves how many
     * @param bytes to be moved, as counted when it was made
     */
    public record PlanReply(
            @U16 int homeNid, long number, @I32 int moves, long bytes) implements Message {}
}
