package dev.granary.net.message;

import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * Pieces that a storage peer owns.
 *
 * @param nextCid where to ask on, 0 when there is nothing more
 * @param pieces ascending
 */
public record SurveyReply(long nextCid, List<Piece> pieces) implements Message {

    /**
     * Consecutive chunks.
     *
     * @param startCid the first
     * @param endCidInclusive the last, of the same creator
     * @param chunks how many there are
     * @param bytes of these chunks
     */
    public record Piece(long startCid, long endCidInclusive, long chunks, long bytes) {

        private static void write(ByteBuf out, Piece piece) {
            out.writeLongLE(piece.startCid).writeLongLE(piece.endCidInclusive);
            out.writeLongLE(piece.chunks).writeLongLE(piece.bytes);
        }

        private static Piece read(ByteBuf in) {
            return new Piece(in.readLongLE(), in.readLongLE(), in.readLongLE(), in.readLongLE());
        }
    }

    public SurveyReply {
        pieces = List.copyOf(pieces);
    }

    @Override
    public void writeTo(ByteBuf out) {
        out.writeLongLE(nextCid);
        Wire.writeList(out, pieces, Piece::write);
    }

    static SurveyReply read(ByteBuf in) {
        return new SurveyReply(in.readLongLE(), Wire.readList(in, Piece::read));
    }
}
