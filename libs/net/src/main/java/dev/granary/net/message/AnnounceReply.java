package dev.granary.net.message;

import io.netty.buffer.ByteBuf;
import java.util.List;

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
