package dev.granary.log.backup;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The first bytes of the file of a segment or of the primary log, little-endian. They are written together with the
 * file's name, so that they are never torn.
 *
 * <pre>
 *   0               8      10      12  13      14      16                      32      36      40      44      48
 *  +---------------+-------+-------+---+-------+-------+-----------------------+-------+-------+-------+-------+
 *  |  "GRANBLOG"   | ver 1 |len 112|knd|members| owner | cluster id            | zone  | gener-|ordinal|  cut  |
 *  |               |       |       |   | count |       |                       |       | ation |       |       |
 *  +---------------+-------+-------+---+-------+-------+-----------------------+-------+-------+-------+-------+
 *   48              56              64              72                              88              108    112
 *  +---------------+---------------+---------------+-------------------------------+---------------+-------+
 *  | epoch         | base sequence | last sequence | members, 8 NIDs of 2 bytes    |       0       | crc32c|
 *  +---------------+---------------+---------------+-------------------------------+---------------+-------+
 * </pre>
 *
 * kind: 1 primary log, 2 segment that batches are sorted into, 3 segment of the cleaner. A primary log has an ordinal
 * only. last sequence: of the zone when the file was made; of a segment of the cleaner, the last one that it may have
 * dropped something for.
 *
 * @param kind see above
 * @param zone the zone as it was when the file was made
 * @param generation of the zone's log
 * @param ordinal of the file
 * @param cut how often the zone's log had been cut
 * @param lastSequence see above
 */
record LogFileHeader(byte kind, ZoneHeader zone, int generation, int ordinal, int cut, long lastSequence) {

    static final int LENGTH = 112;
    static final byte PRIMARY = 1;
    static final byte SEGMENT = 2;
    static final byte CLEANED = 3;

    private static final long MAGIC = 0x474F_4C42_4E41_5247L; // "GRANBLOG" read as a little-endian number
    private static final short VERSION = 1;
    private static final int CRC_AT = LENGTH - Integer.BYTES;
    private static final int MEMBERS_AT = 72;

    /** The header of a primary log. */
    static LogFileHeader primary(int ordinal) {
        ZoneHeader none = new ZoneHeader(new UUID(0, 0), 0, 0, 0, List.of(), 0, false);
        return new LogFileHeader(PRIMARY, none, 0, ordinal, 0, 0);
    }

    byte[] encode() {
        ByteBuffer out = ByteBuffer.allocate(LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        out.putLong(MAGIC).putShort(VERSION).putShort((short) LENGTH);
        out.put(kind).put((byte) zone.members().size()).putShort((short) zone.owner());
        out.putLong(zone.clusterId().getMostSignificantBits());
        out.putLong(zone.clusterId().getLeastSignificantBits());
        out.putInt(zone.zone()).putInt(generation).putInt(ordinal).putInt(cut);
        out.putLong(zone.epoch()).putLong(zone.baseSequence()).putLong(lastSequence);
        zone.members().forEach(nid -> out.putShort(nid.shortValue()));
        out.putInt(CRC_AT, crc(out.array()));
        return out.array();
    }

    /** Null when the bytes do not start with an intact header of a known version. */
    static @Nullable LogFileHeader decode(byte[] bytes) {
        if (bytes.length < LENGTH) {
            return null;
        }
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        if (in.getLong() != MAGIC
                || in.getShort() != VERSION
                || in.getShort() != LENGTH
                || in.getInt(CRC_AT) != crc(bytes)) {
            return null;
        }
        byte kind = in.get();
        int count = Math.min(in.get(), ZoneHeader.MAX_MEMBERS);
        int owner = in.getShort() & 0xFFFF;
        UUID clusterId = new UUID(in.getLong(), in.getLong());
        int zone = in.getInt();
        int generation = in.getInt();
        int ordinal = in.getInt();
        int cut = in.getInt();
        long epoch = in.getLong();
        long baseSequence = in.getLong();
        long lastSequence = in.getLong();
        List<Integer> members = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            members.add(in.getShort(MEMBERS_AT + Short.BYTES * i) & 0xFFFF);
        }
        ZoneHeader header = new ZoneHeader(clusterId, zone, owner, epoch, members, baseSequence, false);
        return new LogFileHeader(kind, header, generation, ordinal, cut, lastSequence);
    }

    private static int crc(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, CRC_AT);
        return (int) crc.getValue();
    }
}
