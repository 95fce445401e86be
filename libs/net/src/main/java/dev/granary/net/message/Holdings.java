package dev.granary.net.message;

import dev.granary.overlay.CidRange;
import dev.granary.overlay.HostAddress;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.UUID;

/**
 * Who a storage peer is and what it owns, as far as it knows.
 *
 * @param clusterId that its disk belongs to
 * @param nid of its disk
 * @param diskId its disk
 * @param incarnation of its process
 * @param epoch of the incarnation, 0 when it had no lease yet and its memory is empty
 * @param firstLid of the incarnation
 * @param lidLimit LIDs below it were reserved for it
 * @param greatestToken of all locks of its chunks that it was shown, 0 for none
 * @param leaseRemainingNanos how long its lease is still valid, 0 when it is not
 * @param leaseNanos how long its last lease was
 * @param ringEpoch of the ring that it knows, 0 for none
 * @param superPeers the NIDs of that ring
 * @param ringAddresses where they were
 * @param name for people
 * @param address where it serves the binary protocol
 * @param httpAddress where it serves HTTP
 * @param capacityBytes size of its chunk memory
 * @param machine the label of its machine, empty for none
 * @param failureZone the label of its failure zone, empty for none
 * @param moves migrations that it takes part in
 * @param nextCid where to ask on, 0 when there is nothing more
 * @param ranges that it owns, or knows others to own, ascending
 */
public record Holdings(
        UUID clusterId,
        int nid,
        UUID diskId,
        long incarnation,
        long epoch,
        long firstLid,
        long lidLimit,
        long greatestToken,
        long leaseRemainingNanos,
        long leaseNanos,
        long ringEpoch,
        List<Integer> superPeers,
        List<HostAddress> ringAddresses,
        String name,
        HostAddress address,
        HostAddress httpAddress,
        long capacityBytes,
        String machine,
        String failureZone,
        List<Move> moves,
        long nextCid,
        List<CidRange> ranges)
        implements Message {

    /**
     * A migration that has not ended for one who takes part.
     *
     * @param creatorNid who made the CIDs
     * @param number of the migration
     * @param incoming whether this peer is the target
     * @param otherNid the other peer
     * @param startCid the first chunk
     * @param endCidInclusive the last chunk
     * @param zone in which a target logs what it takes, 0 for none
     */
    public record Move(
            int creatorNid,
            long number,
            boolean incoming,
            int otherNid,
            long startCid,
            long endCidInclusive,
            int zone) {

        private static void write(ByteBuf out, Move move) {
            out.writeShortLE(move.creatorNid).writeLongLE(move.number).writeBoolean(move.incoming);
            out.writeShortLE(move.otherNid).writeLongLE(move.startCid).writeLongLE(move.endCidInclusive);
            out.writeIntLE(move.zone);
        }

        private static Move read(ByteBuf in) {
            return new Move(
                    in.readUnsignedShortLE(),
                    in.readLongLE(),
                    in.readBoolean(),
                    in.readUnsignedShortLE(),
                    in.readLongLE(),
                    in.readLongLE(),
                    in.readIntLE());
        }
    }

    public Holdings {
        superPeers = List.copyOf(superPeers);
        ringAddresses = List.copyOf(ringAddresses);
        moves = List.copyOf(moves);
        ranges = List.copyOf(ranges);
    }

    /** Whether its memory has what it owned. */
    public boolean isAlive() {
        return epoch > 0;
    }

    @Override
    public void writeTo(ByteBuf out) {
        Wire.writeUuid(out, clusterId);
        out.writeShortLE(nid);
        Wire.writeUuid(out, diskId);
        out.writeLongLE(incarnation).writeLongLE(epoch).writeLongLE(firstLid).writeLongLE(lidLimit);
        out.writeLongLE(greatestToken);
        out.writeLongLE(leaseRemainingNanos).writeLongLE(leaseNanos).writeLongLE(ringEpoch);
        Wire.writeList(out, superPeers, ByteBuf::writeShortLE);
        Wire.writeList(out, ringAddresses, Wire::writeAddress);
        Wire.writeString(out, name);
        Wire.writeAddress(out, address);
        Wire.writeAddress(out, httpAddress);
        out.writeLongLE(capacityBytes);
        Wire.writeString(out, machine);
        Wire.writeString(out, failureZone);
        Wire.writeList(out, moves, Move::write);
        out.writeLongLE(nextCid);
        Wire.writeList(out, ranges, Wire::writeRange);
    }

    static Holdings read(ByteBuf in) {
        return new Holdings(
                Wire.readUuid(in),
                in.readUnsignedShortLE(),
                Wire.readUuid(in),
                in.readLongLE(),
                in.readLongLE(),
                in.readLongLE(),
                in.readLongLE(),
                in.readLongLE(),
                in.readLongLE(),
                in.readLongLE(),
                in.readLongLE(),
                Wire.readList(in, ByteBuf::readUnsignedShortLE),
                Wire.readList(in, Wire::readAddress),
                Wire.readString(in),
                Wire.readAddress(in),
                Wire.readAddress(in),
                in.readLongLE(),
                Wire.readString(in),
                Wire.readString(in),
                Wire.readList(in, Move::read),
                in.readLongLE(),
                Wire.readList(in, Wire::readRange));
    }
}
