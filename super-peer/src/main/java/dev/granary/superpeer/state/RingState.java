package dev.granary.superpeer.state;

import dev.granary.overlay.Nid;
import dev.granary.overlay.NidAllocator;
import dev.granary.overlay.NodeRole;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import dev.granary.superpeer.state.RingResult.Reason;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The ring as one super-peer knows it, and on the leader the disks that the NIDs belong to. Deterministic; one thread at
 * a time.
 *
 * <p>Invariants: (1) a cluster id never changes once it is known; (2) the ring's epoch never falls; (3) a disk keeps its
 * NID for ever and no NID belongs to two disks; (4) on the leader the super-peers among these disks are the members.
 *
 * <pre>
 * snapshot: version u8 (1), known u8, [ownNid u16, ring], list of (diskId, nid u16) in the order given
 * </pre>
 */
public final class RingState implements StateMachine<RingCommand, RingResult> {

    private static final int SNAPSHOT_VERSION = 1;

    private @Nullable Ring ring;
    private int ownNid;
    /** The disks that NIDs belong to; known to the leader only. */
    private NidAllocator nids = new NidAllocator();

    /** The ring, or null while this super-peer belongs to none. */
    public @Nullable Ring ring() {
        return ring;
    }

    /** The own NID, 0 while this super-peer belongs to no ring. */
    public int ownNid() {
        return ownNid;
    }

    /** Whether this super-peer leads the ring. */
    public boolean isLeader() {
        return ring != null && ring.leaderNid() == ownNid;
    }

    /** The NID of a disk, or {@link Nid#NONE}; known to the leader only. */
    public int nidOf(UUID diskId) {
        return nids.find(diskId).orElse(Nid.NONE);
    }

    @Override
    public RingResult apply(RingCommand command) {
        return switch (command) {
            case RingCommand.FoundRing found -> found(found);
            case RingCommand.AdmitMember admit -> admit(admit);
            case RingCommand.AssignNid assign -> assign(assign);
            case RingCommand.AdoptRing adopt -> adopt(adopt);
        };
    }

    private RingResult found(RingCommand.FoundRing command) {
        if (ring != null) {
            return new RingResult.Refused(
                    Reason.CONFLICT, "this super-peer already belongs to the cluster " + ring.clusterId());
        }
        int nid = nids.allocate(command.diskId(), NodeRole.SUPER_PEER);
        RingMember self = new RingMember(nid, command.name(), command.address(), command.httpAddress());
        Ring founded = new Ring(command.clusterId(), 1, command.expectedSize(), nid, List.of(self));
        ring = founded;
        ownNid = nid;
        return new RingResult.Member(nid, founded);
    }

    private RingResult admit(RingCommand.AdmitMember command) {
        Ring current = ring;
        if (current == null || !isLeader()) {
            return notLeader();
        }
        int nid = nidOf(command.diskId());
        if (nid == Nid.NONE && current.isComplete()) {
            return new RingResult.Refused(
                    Reason.FULL,
                    "the ring was founded for " + current.expectedSize() + " super-peers and has them all; the disk "
                            + command.diskId() + " is not among them");
        }
        if (nid != Nid.NONE && Nid.role(nid) != NodeRole.SUPER_PEER) {
            return otherRole(command.diskId(), nid);
        }
        nid = nids.allocate(command.diskId(), NodeRole.SUPER_PEER);
        RingMember member = new RingMember(nid, command.name(), command.address(), command.httpAddress());
        if (!member.equals(current.member(nid).orElse(null))) {
            current = current.withMember(member);
            ring = current;
        }
        return new RingResult.Member(nid, current);
    }

    private RingResult assign(RingCommand.AssignNid command) {
        if (!isLeader()) {
            return notLeader();
        }
        int known = nidOf(command.diskId());
        if (known != Nid.NONE && Nid.role(known) != NodeRole.STORAGE_PEER) {
            return otherRole(command.diskId(), known);
        }
        try {
            return new RingResult.Assigned(nids.allocate(command.diskId(), NodeRole.STORAGE_PEER));
        } catch (IllegalStateException allGiven) {
            return new RingResult.Refused(Reason.FULL, String.valueOf(allGiven.getMessage()));
        }
    }

    private static RingResult otherRole(UUID diskId, int nid) {
        return new RingResult.Refused(
                Reason.CONFLICT, "the disk " + diskId + " has NID " + Nid.toHex(nid) + ", which is of the other role");
    }

    private RingResult adopt(RingCommand.AdoptRing command) {
        Ring offered = command.ring();
        Ring current = ring;
        if (offered.member(command.ownNid()).isEmpty() || offered.leaderNid() == command.ownNid()) {
            return new RingResult.Refused(
                    Reason.CONFLICT, "NID " + Nid.toHex(command.ownNid()) + " does not follow the leader of that ring");
        }
        if (current != null) {
            if (!current.clusterId().equals(offered.clusterId()) || ownNid != command.ownNid()) {
                return new RingResult.Refused(
                        Reason.CONFLICT,
                        "this is super-peer " + Nid.toHex(ownNid) + " of the cluster " + current.clusterId()
                                + " and cannot become " + Nid.toHex(command.ownNid()) + " of "
                                + offered.clusterId());
            }
            if (offered.epoch() <= current.epoch()) {
                return new RingResult.Member(ownNid, current);
            }
        }
        ring = offered;
        ownNid = command.ownNid();
        return new RingResult.Member(ownNid, offered);
    }

    private static RingResult notLeader() {
        return new RingResult.Refused(Reason.NOT_LEADER, "this super-peer does not lead the ring");
    }

    @Override
    public void encode(RingCommand command, ByteBuf out) {
        RingCommand.write(out, command);
    }

    @Override
    public RingCommand decode(ByteBuf in) {
        return RingCommand.read(in);
    }

    @Override
    public void writeSnapshot(ByteBuf out) {
        out.writeByte(SNAPSHOT_VERSION).writeBoolean(ring != null);
        if (ring != null) {
            out.writeShortLE(ownNid);
            Fields.writeRing(out, ring);
        }
        List<NidAllocator.Assignment> given = nids.assignments();
        out.writeIntLE(given.size());
        for (NidAllocator.Assignment assignment : given) {
            Fields.writeUuid(out, assignment.diskId());
            out.writeShortLE(assignment.nid());
        }
    }

    @Override
    public void readSnapshot(ByteBuf in) {
        int version = in.readUnsignedByte();
        if (version != SNAPSHOT_VERSION) {
            throw new IllegalArgumentException(
                    "ring snapshot of version " + version + "; this program knows " + SNAPSHOT_VERSION);
        }
        boolean known = in.readBoolean();
        ownNid = known ? in.readUnsignedShortLE() : Nid.NONE;
        ring = known ? Fields.readRing(in) : null;
        nids = NidAllocator.restore(Fields.readList(
                in, item -> new NidAllocator.Assignment(Fields.readUuid(item), item.readUnsignedShortLE())));
    }
}
