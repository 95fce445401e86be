package dev.granary.net.message;

import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * The storage peers of the answering super-peer's arc.
 *
 * @param ringEpoch of the ring as it knows it
 * @param peers by NID, ascending
 */
public record PeerList(long ringEpoch, List<PeerInfo> peers) implements Message {

    public PeerList {
        peers = List.copyOf(peers);
    }

    @Override
    public void writeTo(ByteBuf out) {
        out.writeLongLE(ringEpoch);
        Wire.writeList(out, peers, (buffer, peer) -> peer.writeTo(buffer));
    }

    static PeerList read(ByteBuf in) {
        return new PeerList(in.readLongLE(), Wire.readList(in, PeerInfo::read));
    }
}
