package dev.granary.superpeer.state;

import io.netty.buffer.ByteBuf;

/**
 * One migration of a plan.
 *
 * @param startCid the first chunk
 * @param endCidInclusive the last chunk, of the same creator
 * @param targetNid who shall own them
 * @param chunks how many there were when it was planned
 * @param bytes of these chunks
 * @param state how far it is
 */
public record Move(long startCid, long endCidInclusive, int targetNid, long chunks, long bytes, State state) {

    /** How far a move is. Codes are part of formats. */
    public enum State {
        PENDING(0),
        DONE(1),
        FAILED(2);

        private final int code;

        State(int code) {
            this.code = code;
        }

        public int code() {
            return code;
        }

        public static State ofCode(int code) {
            for (State state : values()) {
                if (state.code == code) {
                    return state;
                }
            }
            throw new IllegalArgumentException("there is no state of a move with the code " + code);
        }
    }

    public Move in(State next) {
        return new Move(startCid, endCidInclusive, targetNid, chunks, bytes, next);
    }

    public void write(ByteBuf out) {
        out.writeLongLE(startCid).writeLongLE(endCidInclusive).writeShortLE(targetNid);
        out.writeLongLE(chunks).writeLongLE(bytes).writeByte(state.code());
    }

    public static Move read(ByteBuf in) {
        return new Move(
                in.readLongLE(),
                in.readLongLE(),
                in.readUnsignedShortLE(),
                in.readLongLE(),
                in.readLongLE(),
                State.ofCode(in.readUnsignedByte()));
    }
}
