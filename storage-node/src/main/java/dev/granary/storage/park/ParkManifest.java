package dev.granary.storage.park;

import dev.granary.overlay.CidRange;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * What a parked storage peer knew beside its chunks, and which dump belongs to it. Little-endian; the checksum covers
 * all before it. Described in {@code docs/formats/park.md}.
 *
 * <pre>
 *   0          8         10      12          28       30        38       46          54         62
 *  +----------+---------+-------+-----------+--------+---------+--------+-----------+----------+--- ...
 *  | "GRANPARK" | ver 1 |   0   | clusterId |  nid   | dumpId  | epoch  | firstLid  | lidLimit |
 *  +----------+---------+-------+-----------+--------+---------+--------+-----------+----------+--- ...
 *   ... zones      u32 n, n x (zone i32, epoch i64, lastSequence i64, u8 m, m x member u16,
 *                              u32 r, r x (startCid i64, endCidInclusive i64))
 *   ... known      u32 n, n x (startCid i64, endCidInclusive i64, owner u16, epoch i64)
 *   ... requests   u32 n, n x (clientId i64, sequence i64, u32 length, completion as it is logged)
 *   ... tokens     u32 n, n x (cid i64, token i64)
 *   ... crc32c     u32
 * </pre>
 *
 * @param clusterId the cluster that the peer belongs to
 * @param nid its NID
 * @param dumpId the number that the dump was parked with, not 0
 * @param epoch of the peer's ranges
 * @param firstLid the first LID of the incarnation that was parked
 * @param lidLimit the LIDs below it are reserved
 * @param zones that it owned
 * @param known what others owned of its chunks, and it of others', and which of its chunks had no owner when it asked
 * @param requests what was carried out for clients that have not acknowledged the answer
 * @param tokens of locks
 */
public record ParkManifest(
        UUID clusterId,
        int nid,
        long dumpId,
        long epoch,
        long firstLid,
        long lidLimit,
        List<Zone> zones,
        List<CidRange> known,
        List<Request> requests,
        List<Token> tokens) {

    static final long MAGIC = 0x4B52_4150_4E41_5247L; // "GRANPARK" read as a little-endian number
    static final short VERSION = 1;

    private static final int[] NO_BACKUPS = {};
    private static final int CRC_BYTES = 4;

    /**
     * A zone that the peer owned.
     *
     * @param placement who had copies
     * @param lastSequence of its changes, all of which its members have
     * @param ranges which chunks are in it; their placements do not count
     */
    public record Zone(Placement placement, long lastSequence, List<CidRange> ranges) {

        public Zone {
            ranges = List.copyOf(ranges);
        }

        private void write(ByteBuf out) {
            out.writeIntLE(placement.zone()).writeLongLE(placement.epoch()).writeLongLE(lastSequence);
            out.writeByte(placement.backupCount());
            for (int i = 0; i < placement.backupCount(); i++) {
                out.writeShortLE(placement.backup(i));
            }
            out.writeIntLE(ranges.size());
            ranges.forEach(range -> out.writeLongLE(range.startCid()).writeLongLE(range.endCidInclusive()));
        }

        private static Zone read(ByteBuf in, int ownerNid) {
            int id = in.readIntLE();
            long epoch = in.readLongLE();
            long lastSequence = in.readLongLE();
            int[] members = new int[in.readUnsignedByte()];
            for (int i = 0; i < members.length; i++) {
                members[i] = in.readUnsignedShortLE();
            }
            Placement placement = new Placement(ownerNid, members, epoch, id, PlacementState.IN_SYNC);
            List<CidRange> ranges = new ArrayList<>();
            for (int left = in.readIntLE(); left > 0; left--) {
                ranges.add(new CidRange(in.readLongLE(), in.readLongLE(), placement));
            }
            return new Zone(placement, lastSequence, ranges);
        }
    }

    /**
     * A request that was carried out.
     *
     * @param completion as it is logged; not to be changed
     */
    // Nobody compares requests; a list would box every byte.
    @SuppressWarnings("ArrayRecordComponent")
    public record Request(long clientId, long sequence, byte[] completion) {}

    /** A token of a lock that was shown to a chunk. */
    public record Token(long cid, long token) {}

    public ParkManifest {
        tokens = List.copyOf(tokens);
        zones = List.copyOf(zones);
        known = List.copyOf(known);
        requests = List.copyOf(requests);
    }

    /** The bytes of the file. */
    byte[] encode() {
        ByteBuf out = Unpooled.buffer();
        out.writeLongLE(MAGIC).writeShortLE(VERSION).writeShortLE(0);
        out.writeLongLE(clusterId.getMostSignificantBits()).writeLongLE(clusterId.getLeastSignificantBits());
        out.writeShortLE(nid)
                .writeLongLE(dumpId)
                .writeLongLE(epoch)
                .writeLongLE(firstLid)
                .writeLongLE(lidLimit);
        out.writeIntLE(zones.size());
        zones.forEach(zone -> zone.write(out));
        out.writeIntLE(known.size());
        known.forEach(range -> out.writeLongLE(range.startCid())
                .writeLongLE(range.endCidInclusive())
                .writeShortLE(range.placement().owner())
                .writeLongLE(range.placement().epoch()));
        out.writeIntLE(requests.size());
        requests.forEach(request -> out.writeLongLE(request.clientId)
                .writeLongLE(request.sequence)
                .writeIntLE(request.completion.length)
                .writeBytes(request.completion));
        out.writeIntLE(tokens.size());
        tokens.forEach(token -> out.writeLongLE(token.cid).writeLongLE(token.token));
        out.writeIntLE(crcOf(out.array(), out.writerIndex()));
        return Arrays.copyOf(out.array(), out.writerIndex());
    }

    /**
     * Reads what {@link #encode} wrote.
     *
     * @throws IOException when it is damaged or of another version
     */
    static ParkManifest decode(byte[] bytes) throws IOException {
        ByteBuf in = Unpooled.wrappedBuffer(bytes);
        try {
            if (in.readLongLE() != MAGIC) {
                throw new IOException("it does not begin as the record of a planned stop does");
            }
            short version = in.readShortLE();
            int end = bytes.length - CRC_BYTES;
            if (version != VERSION) {
                throw new IOException("it has version " + version + ", this program reads " + VERSION);
            }
            if (in.getIntLE(end) != crcOf(bytes, end)) {
                throw new IOException("its checksum is wrong");
            }
            in.skipBytes(Short.BYTES);
            UUID cluster = new UUID(in.readLongLE(), in.readLongLE());
            int owner = in.readUnsignedShortLE();
            ParkManifest manifest = new ParkManifest(
                    cluster,
                    owner,
                    in.readLongLE(),
                    in.readLongLE(),
                    in.readLongLE(),
                    in.readLongLE(),
                    readZones(in, owner),
                    readRanges(in),
                    readRequests(in),
                    readTokens(in));
            if (in.readerIndex() != end) {
                throw new IOException((end - in.readerIndex()) + " bytes are too many");
            }
            return manifest;
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            throw new IOException("it is cut off or malformed: " + e.getMessage(), e);
        }
    }

    private static List<Zone> readZones(ByteBuf in, int ownerNid) {
        List<Zone> zones = new ArrayList<>();
        for (int left = in.readIntLE(); left > 0; left--) {
            zones.add(Zone.read(in, ownerNid));
        }
        return zones;
    }

    private static List<CidRange> readRanges(ByteBuf in) {
        List<CidRange> ranges = new ArrayList<>();
        for (int left = in.readIntLE(); left > 0; left--) {
            long start = in.readLongLE();
            long end = in.readLongLE();
            ranges.add(new CidRange(start, end, placement(in.readUnsignedShortLE(), in.readLongLE())));
        }
        return ranges;
    }

    /** Who had no owner may have got one since: the arc tells, also what is lost. */
    private static Placement placement(int owner, long epoch) {
        return owner == 0
                ? new Placement(owner, NO_BACKUPS, epoch, 0, PlacementState.RECOVERING)
                : Placement.unreplicated(owner, epoch);
    }

    private static List<Request> readRequests(ByteBuf in) {
        List<Request> requests = new ArrayList<>();
        for (int left = in.readIntLE(); left > 0; left--) {
            requests.add(new Request(in.readLongLE(), in.readLongLE(), readBytes(in)));
        }
        return requests;
    }

    private static List<Token> readTokens(ByteBuf in) {
        List<Token> tokens = new ArrayList<>();
        for (int left = in.readIntLE(); left > 0; left--) {
            tokens.add(new Token(in.readLongLE(), in.readLongLE()));
        }
        return tokens;
    }

    private static byte[] readBytes(ByteBuf in) {
        int length = in.readIntLE();
        if (length < 0 || length > in.readableBytes()) {
            throw new IllegalArgumentException("a part of " + length + " bytes");
        }
        byte[] bytes = new byte[length];
        in.readBytes(bytes);
        return bytes;
    }

    private static int crcOf(byte[] bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }
}
