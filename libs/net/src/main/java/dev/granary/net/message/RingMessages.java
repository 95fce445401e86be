package dev.granary.net.message;

import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Ring;
import dev.granary.schema.I32;
import dev.granary.schema.U16;
import java.util.List;
import java.util.UUID;

/** The ring: who is on it, how it changes its size, and how parts of arcs and Raft entries travel. */
public final class RingMessages {

    private RingMessages() {}

    /** The ring as the answering super-peer knows it. */
    public record RingReply(Ring ring) implements Message {}

    /**
     * A super-peer asks the ring's leader for its NID, tells where it is, and wants to know what the ring is committed
     * to be. The disk id is its identity, addresses may change.
     *
     * @param diskId the durable id of its data directory
     * @param incarnation of the process
     * @param name for people
     * @param address where it serves the binary protocol
     * @param httpAddress where it serves HTTP
     */
    public record JoinRing(UUID diskId, long incarnation, String name, HostAddress address, HostAddress httpAddress)
            implements Message {}

    /**
     * The ring's leader has admitted a super-peer, or knew it.
     *
     * @param yourNid the asker's NID
     * @param view what the ring is committed to be, laid out as docs/formats/super-peer-commands.md says
     */
    public record JoinRingReply(@U16 int yourNid, Blob view) implements Message {}

    /**
     * A storage peer asks the ring's leader for its NID, which belongs to its disk for ever.
     *
     * @param diskId the durable id of its data directory
     * @param incarnation of the process
     * @param name for people
     */
    public record AssignNid(UUID diskId, long incarnation, String name) implements Message {}

    /**
     * The NID that belongs to a disk, and the ring to find its arc's super-peer.
     */
    public record AssignNidReply(@U16 int nid, Ring ring) implements Message {}

    /**
     * Says how many super-peers the ring is to have.
     *
     * @param size at least 1
     */
    public record ResizeRing(@U16 int size) implements Message {}

    /**
     * A person asks to rebuild what super-peers knew from the storage peers, because no copy of it is left (ADR 0127).
     * Sent repeatedly until the answer says that it is done.
     *
     * @param storagePeers where they are
     * @param acceptLoss whether storage peers that do not answer are given up, and what only they have with them
     */
    public record RebuildRing(List<HostAddress> storagePeers, boolean acceptLoss) implements Message {

        public RebuildRing {
            storagePeers = List.copyOf(storagePeers);
        }
    }

    /**
     * How far a rebuild is.
     *
     * @param done whether nothing is left to do
     * @param text what is being done or waited for, for people
     * @param answered storage peers that have reported
     * @param missing storage peers that others mention and that have not answered, by their NIDs
     */
    public record RebuildProgress(
            boolean done, String text, @I32 int answered, List<@U16 Integer> missing) implements Message {

        public RebuildProgress {
            missing = List.copyOf(missing);
        }
    }

    /**
     * What the ring is committed to be.
     *
     * @param view laid out as docs/formats/super-peer-commands.md says
     */
    public record RingViewMessage(Blob view) implements Message {}

    /**
     * All of a part has arrived: the ring may be switched.
     *
     * @param operation of the ring
     */
    public record SwitchRing(@I32 int operation) implements Message {}

    /**
     * A super-peer that has just started says where it is. The receivers believe it only as far as to try that address:
     * the hello shows who answers there.
     *
     * @param nid the super-peer's NID
     * @param address where it serves the binary protocol
     */
    public record Announce(@U16 int nid, HostAddress address) implements Message {}

    /**
     * Where the answering super-peer believes all super-peers that it knows to be, itself among them.
     *
     * @param known by NID, ascending
     */
    public record AnnounceReply(List<Announce> known) implements Message {

        public AnnounceReply {
            known = List.copyOf(known);
        }
    }

    /**
     * One member of a Raft group tells another one something. The empty reply says only that it has arrived:
     * it bounds what is on its way.
     *
     * @param group the id of the group
     * @param member the member that it is for: a number that counts memberships above the 16 bits of the super-peer's
     *     NID
     * @param message laid out as docs/formats/raft.md says
     */
    public record RaftMessage(long group, long member, Blob message) implements Message {}

    /**
     * The leader of the arc that a part moves to asks for a piece of the part, which is sealed from then on.
     *
     * @param nid of the super-peer that comes onto the ring or leaves it
     * @param operation of the ring
     * @param version the first version of the ring's view that has the operation
     * @param offset of the piece in bytes
     */
    public record ArcPart(
            @U16 int nid,
            @I32 int operation,
            long version,
            @I32 int offset) implements Message {}

    /**
     * A piece of a part of an arc, laid out as docs/formats/super-peer-commands.md says.
     *
     * @param totalBytes of the part
     * @param checksum of the part, CRC-32C
     * @param piece as much as fits, from the offset on
     */
    public record ArcPartReply(@I32 int totalBytes, @I32 int checksum, Blob piece) implements Message {}
}
