package dev.granary.superpeer.state;

import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * A zone to be made for LIDs that are reserved.
 *
 * @param lids how many, at least 1
 * @param members who is to hold copies, in order
 * @param wanted how many members it should have
 */
public record NewZone(long lids, List<ZoneMember> members, int wanted) {

    /** Copies the members. */
    public NewZone {
        members = List.copyOf(members);
        if (lids < 1) {
            throw new IllegalArgumentException("a zone of " + lids + " LIDs");
        }
    }

    static void write(ByteBuf out, List<NewZone> zones) {
        out.writeIntLE(zones.size());
        for (NewZone zone : zones) {
            out.writeLongLE(zone.lids).writeByte(zone.wanted);
            ZoneMember.write(out, zone.members);
        }
    }

    static List<NewZone> readList(ByteBuf in) {
        return Fields.readList(in, each -> {
            long lids = each.readLongLE();
            int wanted = each.readUnsignedByte();
            return new NewZone(lids, ZoneMember.readList(each), wanted);
        });
    }
}
