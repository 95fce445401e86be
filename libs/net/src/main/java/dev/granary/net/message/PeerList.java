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
 */
public record PeerList(long ringEpoch, List<PeerInfo> peers, List<Integer> arcs) implements Message {

    public PeerList {
        peers = List.copyOf(peers);
        arcs = List.copyOf(arcs);
    }

    @Override
    public void writeTo(ByteBuf out) {
        out.writeLongLE(ringEpoch);
        Wire.writeList(out, peers, (buffer, peer) -> peer.writeTo(buffer));
        Wire.writeList(out, arcs, ByteBuf::writeShortLE);
    }

    static PeerList read(ByteBuf in) {
        return new PeerList(
                in.readLongLE(), Wire.readList(in, PeerInfo::read), Wire.readList(in, ByteBuf::readUnsignedShortLE));
    }
}
