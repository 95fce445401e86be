package dev.granary.superpeer.state;

import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * A storage peer that holds or is to hold a copy of a zone.
 *
 * @param nid its NID
 * @param epoch of its incarnation; a later one no longer has in memory what this one acknowledged
 */
public record ZoneMember(int nid, long epoch) {

    public static void write(ByteBuf out, List<ZoneMember> members) {
        out.writeIntLE(members.size());
        members.forEach(member -> out.writeShortLE(member.nid).writeLongLE(member.epoch));
    }

    public static List<ZoneMember> readList(ByteBuf in) {
        return Fields.readList(in, each -> new ZoneMember(each.readUnsignedShortLE(), each.readLongLE()));
    }
}
