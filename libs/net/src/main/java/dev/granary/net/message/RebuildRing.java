package dev.granary.net.message;

import dev.granary.overlay.HostAddress;
import io.netty.buffer.ByteBuf;
import java.util.List;

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
