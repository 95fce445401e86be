package dev.granary.net.message;

import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * The zones of the arcs that the answering super-peer serves.
 *
 * @param inSync how many have as many members as they should
 * @param degraded how many have fewer
 * @param recovering how many are without an owner and are being recovered, or wait for members
 * @param lost how many had no copy left
 * @param recovered how many recoveries have ended since these super-peers lead
 * @param recoveries those that are not done, at most {@link #MAX_RECOVERIES}
 * @param peers what storage peers own and hold by what is committed in these arcs, by their NIDs
 */
public record ZoneStatus(
        int inSync,
        int degraded,
        int recovering,
        int lost,
        long recovered,
        List<Recovery> recoveries,
        List<Holding> peers)
        implements Message {

    /** More are not told. */
    public static final int MAX_RECOVERIES = 256;

    /**
     * A recovery.
     *
     * @param zone that is recovered
     * @param epoch of the attempt
     * @param candidateNid who replays, 0 while that is not decided
     * @param waitingFor the members that must answer before it is decided
     * @param chunks in memory so far
     * @param bytes of these chunks
     * @param ageMillis since when, as far as the answering super-peer knows
     * @param note for people: what it waits for or what failed last
     */
    public record Recovery(
            int zone,
            long epoch,
            int candidateNid,
            List<Integer> waitingFor,
            long chunks,
            long bytes,
            long ageMillis,
            String note) {

        public Recovery {
            waitingFor = List.copyOf(waitingFor);
        }

        private static void write(ByteBuf out, Recovery item) {
            out.writeIntLE(item.zone).writeLongLE(item.epoch).writeShortLE(item.candidateNid);
            Wire.writeList(out, item.waitingFor, ByteBuf::writeShortLE);
            out.writeLongLE(item.chunks).writeLongLE(item.bytes).writeLongLE(item.ageMillis);
            Wire.writeString(out, item.note);
        }

        private static Recovery read(ByteBuf in) {
            return new Recovery(
                    in.readIntLE(),
                    in.readLongLE(),
                    in.readUnsignedShortLE(),
                    Wire.readList(in, ByteBuf::readUnsignedShortLE),
                    in.readLongLE(),
                    in.readLongLE(),
                    in.readLongLE(),
                    Wire.readString(in));
        }
    }

    /**
     * What a storage peer has of zones.
     *
     * @param nid its NID
     * @param ranges that it owns
     * @param zones that it owns
     * @param copies of others' zones of which it is a member
     */
    public record Holding(int nid, long ranges, int zones, int copies) {

        private static void write(ByteBuf out, Holding item) {
            out.writeShortLE(item.nid)
                    .writeLongLE(item.ranges)
                    .writeIntLE(item.zones)
                    .writeIntLE(item.copies);
        }

        private static Holding read(ByteBuf in) {
            return new Holding(in.readUnsignedShortLE(), in.readLongLE(), in.readIntLE(), in.readIntLE());
        }
    }

    public ZoneStatus {
        recoveries = List.copyOf(recoveries);
        peers = List.copyOf(peers);
    }

    @Override
    public void writeTo(ByteBuf out) {
        out.writeIntLE(inSync).writeIntLE(degraded).writeIntLE(recovering).writeIntLE(lost);
        out.writeLongLE(recovered);
        Wire.writeList(out, recoveries, Recovery::write);
        Wire.writeList(out, peers, Holding::write);
    }

    static ZoneStatus read(ByteBuf in) {
        return new ZoneStatus(
                in.readIntLE(),
                in.readIntLE(),
                in.readIntLE(),
                in.readIntLE(),
                in.readLongLE(),
                Wire.readList(in, Recovery::read),
                Wire.readList(in, Holding::read));
    }
}
