package dev.granary.net.message;

import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * The storage peers of the arcs that the answering super-peer serves: its own as a rule, and those whose super-peers it
 * stands in for.
 *
 * @param ringEpoch of the ring as it knows it
 * @param peers by NID, ascending
 * @param arcs the NIDs of the super-peers whose arcs it serves, ascending
 * @param groups who votes in the groups that it leads
 */
public record PeerList(long ringEpoch, List<PeerInfo> peers, List<Integer> arcs, List<GroupVoters> groups)
        implements Message {

    /**
     * Who votes in a group.
     *
     * @param nid of the super-peer whose arc it is, 0 for the ring
     * @param voters their NIDs, as the leader saw them last; a change that is under way is not among them
     */
    public record GroupVoters(int nid, List<Integer> voters) {
        public GroupVoters {
            voters = List.copyOf(voters);
        }
    }

    public PeerList {
        peers = List.copyOf(peers);
        arcs = List.copyOf(arcs);
        groups = List.copyOf(groups);
    }

    @Override
    public void writeTo(ByteBuf out) {
        out.writeLongLE(ringEpoch);
        Wire.writeList(out, peers, (buffer, peer) -> peer.writeTo(buffer));
        Wire.writeList(out, arcs, ByteBuf::writeShortLE);
        Wire.writeList(out, groups, (buffer, group) -> {
            buffer.writeShortLE(group.nid());
            Wire.writeList(buffer, group.voters(), ByteBuf::writeShortLE);
        });
    }

    static PeerList read(ByteBuf in) {
        return new PeerList(
                in.readLongLE(),
                Wire.readList(in, PeerInfo::read),
                Wire.readList(in, ByteBuf::readUnsignedShortLE),
                Wire.readList(
                        in,
                        group -> new GroupVoters(
                                group.readUnsignedShortLE(), Wire.readList(group, ByteBuf::readUnsignedShortLE))));
    }
}
