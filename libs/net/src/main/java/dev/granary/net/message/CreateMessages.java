package dev.granary.net.message;

import io.netty.buffer.ByteBuf;
import java.util.List;

/** Creates whose answer was lost: what became of them. */
public final class CreateMessages {

    private CreateMessages() {}

    /**
     * Asks an owner which chunks a create has made among ranges that it has from the peer that was asked to create them
     * (ADR 0135). Answered with {@link CreatedChunks}; refused for a while when it does not own one of the ranges.
     *
     * @param clientId of the create's request id
     * @param sequence of the create's request id
     * @param cids one of each range
     */
    public record FindCreated(long clientId, long sequence, List<Long> cids) implements Message {

        public FindCreated {
            cids = List.copyOf(cids);
        }

        @Override
        public void writeTo(ByteBuf out) {
            out.writeLongLE(clientId).writeLongLE(sequence);
            Wire.writeList(out, cids, ByteBuf::writeLongLE);
        }

        static FindCreated read(ByteBuf in) {
            return new FindCreated(in.readLongLE(), in.readLongLE(), Wire.readList(in, ByteBuf::readLongLE));
        }
    }

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
}
