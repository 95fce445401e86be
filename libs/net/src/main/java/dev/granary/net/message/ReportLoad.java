package dev.granary.net.message;

import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * A storage peer tells its super-peer how busy it is and with what. Rates decay by half in some ten seconds.
 *
 * @param nid its NID
 * @param chunksPerSecond read or changed in all
 * @param hot the chunks that are used most, the busiest first
 */
public record ReportLoad(int nid, long chunksPerSecond, List<HotChunk> hot) implements Message {

    /**
     * A chunk that is used much.
     *
     * @param cid of the chunk
     * @param perSecond how often it is read or changed, estimated
     */
    public record HotChunk(long cid, long perSecond) {

        private static void write(ByteBuf out, HotChunk chunk) {
            out.writeLongLE(chunk.cid).writeLongLE(chunk.perSecond);
        }

        private static HotChunk read(ByteBuf in) {
            return new HotChunk(in.readLongLE(), in.readLongLE());
        }
    }

    public ReportLoad {
        hot = List.copyOf(hot);
    }

    @Override
    public void writeTo(ByteBuf out) {
        out.writeShortLE(nid).writeLongLE(chunksPerSecond);
        Wire.writeList(out, hot, HotChunk::write);
    }

    static ReportLoad read(ByteBuf in) {
        return new ReportLoad(in.readUnsignedShortLE(), in.readLongLE(), Wire.readList(in, HotChunk::read));
    }
}
