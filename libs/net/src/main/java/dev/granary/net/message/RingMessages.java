package dev.granary.net.message;

import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Ring;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.UUID;

/** The ring: who is on it, how it changes its size, and how parts of arcs and Raft entries travel. */
public final class RingMessages {

    private RingMessages() {}

    /** The ring as the answering super-peer knows it. */
    public record RingReply(Ring ring) implements Message {

        @Override
        public void writeTo(ByteBuf out) {
            Wire.writeRing(out, ring);
        }

        static RingReply read(ByteBuf in) {
            return new RingReply(Wire.readRing(in));
        }
    }

    /**
     * A super-peer asks the ring's leader for its NID, tells where it is, and wants to know what the ring is committed to be.
     * The disk id is its identity, addresses may change.
     *
     * @param diskId the durable id of its data directory
     * @param incarnation of the process
     * @param name for people
     * @param address where it serves the binary protocol
     * @param httpAddress where it serves HTTP
     */
    public record JoinRing(UUID diskId, long incarnation, String name, HostAddress address, HostAddress httpAddress)
            implements Message {

        @Override
        public void writeTo(ByteBuf out) {
            Wire.writeUuid(out, diskId);
            out.writeLongLE(incarnation);
            Wire.writeString(out, name);
            Wire.writeAddress(out, address);
            Wire.writeAddress(out, httpAddress);
        }

        static JoinRing read(ByteBuf in) {
            return new JoinRing(
                    Wire.readUuid(in),
                    in.readLongLE(),
                    Wire.readString(in),
                    Wire.readAddress(in),
                    Wire.readAddress(in));
        }
    }

    /**
     * The ring's leader has admitted a super-peer, or knew it.
     *
     * @param yourNid the asker's NID
     * @param view what the ring is committed to be, laid out as docs/formats/super-peer-commands.md says
     */
    public record JoinRingReply(int yourNid, Blob view) implements Message {

        @Override
        public void writeTo(ByteBuf out) {
            out.writeShortLE(yourNid);
            view.writeTo(out);
        }

        static JoinRingReply read(ByteBuf in) {
            return new JoinRingReply(in.readUnsignedShortLE(), Blob.read(in));
        }
    }

    /**
     * A storage peer asks the ring's leader for its NID, which belongs to its disk for ever.
     *
     * @param diskId the durable id of its data directory
     * @param incarnation of the process
     * @param name for people
     */
    public record AssignNid(UUID diskId, long incarnation, String name) implements Message {

        @Override
        public void writeTo(ByteBuf out) {
            Wire.writeUuid(out, diskId);
            out.writeLongLE(incarnation);
            Wire.writeString(out, name);
        }

        static AssignNid read(ByteBuf in) {
            return new AssignNid(Wire.readUuid(in), in.readLongLE(), Wire.readString(in));
        }
    }

    /**
     * The NID that belongs to a disk, and the ring to find its arc's super-peer.
     */
    public record AssignNidReply(int nid, Ring ring) implements Message {

        @Override
        public void writeTo(ByteBuf out) {
            out.writeShortLE(nid);
            Wire.writeRing(out, ring);
        }

        static AssignNidReply read(ByteBuf in) {
            return new AssignNidReply(in.readUnsignedShortLE(), Wire.readRing(in));
        }
    }

    /**
     * Says how many super-peers the ring is to have.
     *
     * @param size at least 1
     */
    public record ResizeRing(int size) implements Message {

        @Override
        public void writeTo(ByteBuf out) {
            out.writeShortLE(size);
        }

        static ResizeRing read(ByteBuf in) {
            return new ResizeRing(in.readUnsignedShortLE());
        }
    }

    /**
     * A person has what super-peers knew rebuilt from the storage peers, because no copy of it is left (ADR 0127). Sent again
     * and again until the answer says that it is done.
     *
     * @param storagePeers where they are
     * @param acceptLoss whether storage peers that do not answer are given up, and what only they have with them
     */
    public record RebuildRing(List<HostAddress> storagePeers, boolean acceptLoss) implements Message {

        public RebuildRing {
            storagePeers = List.copyOf(storagePeers);
        }

        @Override
        public void writeTo(ByteBuf out) {
            Wire.writeList(out, storagePeers, Wire::writeAddress);
            out.writeBoolean(acceptLoss);
        }

        static RebuildRing read(ByteBuf in) {
            return new RebuildRing(Wire.readList(in, Wire::readAddress), in.readBoolean());
        }
    }

    /**
     * How far a rebuilding is.
     *
     * @param done whether nothing is left to do
     * @param text what is being done or waited for, for people
     * @param answered storage peers that have reported
     * @param missing storage peers that others mention and that have not answered, by their NIDs
     */
    public record RebuildProgress(boolean done, String text, int answered, List<Integer> missing) implements Message {

        public RebuildProgress {
            missing = List.copyOf(missing);
        }

        @Override
        public void writeTo(ByteBuf out) {
            out.writeBoolean(done);
            Wire.writeString(out, text);
            out.writeIntLE(answered);
            Wire.writeList(out, missing, ByteBuf::writeShortLE);
        }

        static RebuildProgress read(ByteBuf in) {
            return new RebuildProgress(
                    in.readBoolean(),
                    Wire.readString(in),
                    in.readIntLE(),
                    Wire.readList(in, ByteBuf::readUnsignedShortLE));
        }
    }

    /**
     * What the ring is committed to be.
     *
     * @param view laid out as docs/formats/super-peer-commands.md says
     */
    public record RingViewMessage(Blob view) implements Message {

        @Override
        public void writeTo(ByteBuf out) {
            view.writeTo(out);
        }

        static RingViewMessage read(ByteBuf in) {
            return new RingViewMessage(Blob.read(in));
        }
    }

    /**
     * All of a part has arrived: the ring may be switched.
     *
     * @param operation of the ring
     */
    public record SwitchRing(int operation) implements Message {

        @Override
        public void writeTo(ByteBuf out) {
            out.writeIntLE(operation);
        }

        static SwitchRing read(ByteBuf in) {
            return new SwitchRing(in.readIntLE());
        }
    }

    /**
     * A super-peer that has just started says where it is. Those who are told believe it as far as to try that address: who
     * answers there shows it in the hello.
     *
     * @param nid the super-peer's NID
     * @param address where it serves the binary protocol
     */
    public record Announce(int nid, HostAddress address) implements Message {

        @Override
        public void writeTo(ByteBuf out) {
            out.writeShortLE(nid);
            Wire.writeAddress(out, address);
        }

        static Announce read(ByteBuf in) {
            return new Announce(in.readUnsignedShortLE(), Wire.readAddress(in));
        }
    }

    /**
     * Where the answering super-peer believes all super-peers that it knows to be, itself among them.
     *
     * @param known by NID, ascending
     */
    public record AnnounceReply(List<Announce> known) implements Message {

        public AnnounceReply {
            known = List.copyOf(known);
        }

        @Override
        public void writeTo(ByteBuf out) {
            Wire.writeList(out, known, (buffer, each) -> each.writeTo(buffer));
        }

        static AnnounceReply read(ByteBuf in) {
            return new AnnounceReply(Wire.readList(in, Announce::read));
        }
    }

    /**
     * One member of a Raft group tells another one something. The empty reply says only that it has arrived: it bounds what
     * is on its way.
     *
     * @param group the id of the group
     * @param member the member that it is for: a number that counts memberships above the 16 bits of the super-peer's NID
     * @param message laid out as docs/formats/raft.md says
     */
    public record RaftMessage(long group, long member, Blob message) implements Message {

        @Override
        public void writeTo(ByteBuf out) {
            out.writeLongLE(group).writeLongLE(member);
            message.writeTo(out);
        }

        static RaftMessage read(ByteBuf in) {
            return new RaftMessage(in.readLongLE(), in.readLongLE(), Blob.read(in));
        }
    }

    /**
     * Whoever leads the arc that a part moves to asks for a piece of it; the part is sealed from then on.
     *
     * @param nid of the super-peer that comes onto the ring or leaves it
     * @param operation of the ring
     * @param version of the ring's view that has the operation first
     * @param offset of the piece in bytes
     */
    public record ArcPart(int nid, int operation, long version, int offset) implements Message {

        @Override
        public void writeTo(ByteBuf out) {
            out.writeShortLE(nid).writeIntLE(operation).writeLongLE(version).writeIntLE(offset);
        }

        static ArcPart read(ByteBuf in) {
            return new ArcPart(in.readUnsignedShortLE(), in.readIntLE(), in.readLongLE(), in.readIntLE());
        }
    }

    /**
     * A piece of a part of an arc, laid out as docs/formats/super-peer-commands.md says.
     *
     * @param totalBytes of the part
     * @param checksum of the part, CRC-32C
     * @param piece as much as fits, from the offset on
     */
    public record ArcPartReply(int totalBytes, int checksum, Blob piece) implements Message {

        @Override
        public void writeTo(ByteBuf out) {
            out.writeIntLE(totalBytes).writeIntLE(checksum);
            piece.writeTo(out);
        }

        static ArcPartReply read(ByteBuf in) {
            return new ArcPartReply(in.readIntLE(), in.readIntLE(), Blob.read(in));
        }
    }
}
