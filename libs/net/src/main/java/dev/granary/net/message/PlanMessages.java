package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/** Plans of many moves. */
public final class PlanMessages {

    private PlanMessages() {}

    /** What a plan of moves is for. Codes are part of the protocol. */
    public enum PlanKind {
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
        public int code() {
            return code;
        }

        /**
         * The kind with this number.
         *
         * @throws IllegalArgumentException when there is none
         */
        public static PlanKind ofCode(int code) {
            for (PlanKind kind : values()) {
                if (kind.code == code) {
                    return kind;
                }
            }
            throw new IllegalArgumentException("there is no kind of plan with the code " + code);
        }
    }

    /**
     * Asks a super-peer to plan moves and to carry them out.
     *
     * @param kind what for
     * @param nid the storage peer that is drained or filled; for {@link PlanKind#MOVE} the one that shall own the range
     * @param startCid for {@link PlanKind#MOVE} the first chunk, otherwise 0
     * @param endCidInclusive for {@link PlanKind#MOVE} the last chunk, of the same creator, otherwise 0
     */
    public record StartPlan(PlanKind kind, int nid, long startCid, long endCidInclusive) implements Message {

        @Override
        public void writeTo(ByteBuf out) {
            out.writeByte(kind.code()).writeShortLE(nid).writeLongLE(startCid).writeLongLE(endCidInclusive);
        }

        static StartPlan read(ByteBuf in) {
            return new StartPlan(
                    PlanKind.ofCode(in.readUnsignedByte()), in.readUnsignedShortLE(), in.readLongLE(), in.readLongLE());
        }
    }

    /**
     * Asks the super-peer of a plan to begin no more of its moves and to give up those that run. What has moved stays.
     *
     * @param homeNid the NID in whose arc the plan is kept
     * @param number of the plan
     */
    public record AbortPlan(int homeNid, long number) implements Message {

        @Override
        public void writeTo(ByteBuf out) {
            out.writeShortLE(homeNid).writeLongLE(number);
        }

        static AbortPlan read(ByteBuf in) {
            return new AbortPlan(in.readUnsignedShortLE(), in.readLongLE());
        }
    }

    /**
     * A plan is made.
     *
     * @param homeNid the NID in whose arc it is kept; with the number it names the plan
     * @param number counted by the arc
     * @param moves how many
     * @param bytes to be moved, as counted when it was made
     */
    public record PlanReply(int homeNid, long number, int moves, long bytes) implements Message {

        @Override
        public void writeTo(ByteBuf out) {
            out.writeShortLE(homeNid).writeLongLE(number).writeIntLE(moves).writeLongLE(bytes);
        }

        static PlanReply read(ByteBuf in) {
            return new PlanReply(in.readUnsignedShortLE(), in.readLongLE(), in.readIntLE(), in.readLongLE());
        }
    }
}
