package dev.granary.net.message;

import dev.granary.net.FrameException;
import io.netty.buffer.ByteBuf;

/** Planned stops of one storage peer and of all. */
public final class HibernationMessages {

    private HibernationMessages() {}

    /**
     * A person or the operator takes a storage peer through a planned stop (ADR 0120). All peers are to refuse changes before the
     * first one is parked, so that none misses anything of another. Asked again it tells how far it is.
     *
     * @param step what is wanted
     */
    public record Hibernate(Step step) implements Message {

        /** Codes are part of the protocol: never reuse. */
        public enum Step {
            /** Changes are taken again; nothing of a parked peer. */
            WORK(0),
            /** Changes are refused; what was taken goes to the backups, and is synced there. */
            REFUSE_CHANGES(1),
            /** Nothing is served any more; the memory goes to the disk. */
            PARK(2);

            private final int code;

            Step(int code) {
                this.code = code;
            }

            private static Step ofCode(int code) {
                for (Step step : values()) {
                    if (step.code == code) {
                        return step;
                    }
                }
                throw new FrameException("there is no step " + code + " of a planned stop");
            }
        }

        @Override
        public void writeTo(ByteBuf out) {
            out.writeByte(step.code);
        }

        static Hibernate read(ByteBuf in) {
            return new Hibernate(Step.ofCode(in.readUnsignedByte()));
        }
    }

    /**
     * How far a storage peer is with a planned stop.
     *
     * @param done whether it is as wanted
     * @param dumpBytes written so far
     * @param totalBytes about how many there will be
     * @param problem why it cannot be done, empty for none; then it works on as before
     */
    public record HibernateReply(boolean done, long dumpBytes, long totalBytes, String problem) implements Message {

        @Override
        public void writeTo(ByteBuf out) {
            out.writeBoolean(done).writeLongLE(dumpBytes).writeLongLE(totalBytes);
            Wire.writeString(out, problem);
        }

        static HibernateReply read(ByteBuf in) {
            return new HibernateReply(in.readBoolean(), in.readLongLE(), in.readLongLE(), Wire.readString(in));
        }
    }

    /**
     * A storage peer stops for a while: it serves nothing any more, and its memory is dumped on its disk. Nobody takes its place
     * until it resumes with this dump or is given up (SAFETY rule "one writer", ADR 0120).
     *
     * @param nid its NID
     * @param incarnation of the process
     * @param dumpId of the dump, random, not 0
     */
    public record ParkPeer(int nid, long incarnation, long dumpId) implements Message {

        @Override
        public void writeTo(ByteBuf out) {
            out.writeShortLE(nid).writeLongLE(incarnation).writeLongLE(dumpId);
        }

        static ParkPeer read(ByteBuf in) {
            return new ParkPeer(in.readUnsignedShortLE(), in.readLongLE(), in.readLongLE());
        }
    }

    /**
     * A person gives a parked storage peer up: those who have copies take its place, what has no copy is lost (ADR 0120).
     *
     * @param nid its NID
     */
    public record UnparkPeer(int nid) implements Message {

        @Override
        public void writeTo(ByteBuf out) {
            out.writeShortLE(nid);
        }

        static UnparkPeer read(ByteBuf in) {
            return new UnparkPeer(in.readUnsignedShortLE());
        }
    }

    /**
     * Has a storage peer without a chunk start anew, with LIDs from a mark on, so that chunks with lower ones can come out of
     * a backup. It must refuse changes by then.
     *
     * @param lidMark the mark
     * @param backup the backup's fingerprint, not 0
     */
    public record RestorePeer(long lidMark, long backup) implements Message {

        @Override
        public void writeTo(ByteBuf out) {
            out.writeLongLE(lidMark).writeLongLE(backup);
        }

        static RestorePeer read(ByteBuf in) {
            return new RestorePeer(in.readLongLE(), in.readLongLE());
        }
    }
}
