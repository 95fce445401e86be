package dev.granary.net.message;

import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * How far the recovery of zones is.
 *
 * @param zones in the order of the request
 */
public record RunRecoveryReply(List<Zone> zones) implements Message {

    /** How far a zone is. Codes are part of the protocol. */
    public enum State {
        /** It is being replayed, or waits for its turn. */
        RUNNING(0),
        /** It is in memory; the peer has told or tells the arc so by {@link Recovered}. */
        DONE(1),
        /** There is no room for it: another member is to be asked. */
        NO_ROOM(2),
        /** It cannot be recovered here: another member is to be asked. */
        FAILED(3),
        /**
         * This peer's copy cannot be read as a whole, nor could another's be fetched; others may have one that can. Nothing is
         * lost yet: only an order that says so has the damage accepted.
         */
        DAMAGED(4);

        private static final State[] BY_CODE = values();

        private final int code;

        State(int code) {
            this.code = code;
        }

        /** The number of the state on the wire. */
        public int code() {
            return code;
        }

        static State ofCode(int code) {
            if (code < 0 || code >= BY_CODE.length) {
                throw new IllegalArgumentException("there is no state of a recovery with the code " + code);
            }
            return BY_CODE[code];
        }
    }

    /**
     * A zone.
     *
     * @param zone its id
     * @param epoch of the attempt
     * @param state how far it is
     * @param chunks in memory so far
     * @param bytes of these chunks
     * @param note for people: why it failed, otherwise empty
     */
    public record Zone(int zone, long epoch, State state, long chunks, long bytes, String note) {

        private static void write(ByteBuf out, Zone item) {
            out.writeIntLE(item.zone).writeLongLE(item.epoch).writeByte(item.state.code());
            out.writeLongLE(item.chunks).writeLongLE(item.bytes);
            Wire.writeString(out, item.note);
        }

        private static Zone read(ByteBuf in) {
            return new Zone(
                    in.readIntLE(),
                    in.readLongLE(),
                    State.ofCode(in.readUnsignedByte()),
                    in.readLongLE(),
                    in.readLongLE(),
                    Wire.readString(in));
        }
    }

    public RunRecoveryReply {
        zones = List.copyOf(zones);
    }

    @Override
    public void writeTo(ByteBuf out) {
        Wire.writeList(out, zones, Zone::write);
    }

    static RunRecoveryReply read(ByteBuf in) {
        return new RunRecoveryReply(Wire.readList(in, Zone::read));
    }
}
