package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * A zone in an epoch.
 *
 * @param zone its id
 * @param epoch of its placement
 */
public record ZoneEpoch(int zone, long epoch) {

    static void write(ByteBuf out, ZoneEpoch item) {
        out.writeIntLE(item.zone).writeLongLE(item.epoch);
    }

    static ZoneEpoch read(ByteBuf in) {
        return new ZoneEpoch(in.readIntLE(), in.readLongLE());
    }
}
