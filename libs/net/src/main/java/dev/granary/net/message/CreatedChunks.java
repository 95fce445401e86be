package dev.granary.net.message;

import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * What an owner knows of a create.
 *
 * @param known false when it has forgotten the outcomes of requests as old as this one
 * @param cids what was created and came to this owner, at most {@link ChunkLayouts#MAX_COUNT}
 */
public record CreatedChunks(boolean known, List<Long> cids) implements Message {

    public CreatedChunks {
        cids = List.copyOf(cids);
    }

    @Override
    public void writeTo(ByteBuf out) {
        out.writeBoolean(known);
        Wire.writeList(out, cids, ByteBuf::writeLongLE);
    }

    static CreatedChunks read(ByteBuf in) {
        return new CreatedChunks(in.readBoolean(), Wire.readList(in, ChunkLayouts.MAX_COUNT, ByteBuf::readLongLE));
    }
}
