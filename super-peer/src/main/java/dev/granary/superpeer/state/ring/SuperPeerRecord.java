package dev.granary.superpeer.state.ring;

import dev.granary.overlay.HostAddress;
import dev.granary.overlay.RingMember;
import dev.granary.superpeer.state.Fields;
import io.netty.buffer.ByteBuf;
import java.util.UUID;

/**
 * A super-peer that the ring knows, be it on the ring or a candidate outside.
 *
 * @param nid its NID, which belongs to its disk for ever
 * @param diskId the disk
 * @param name for people
 * @param address where it serves the binary protocol
 * @param httpAddress where it serves HTTP
 * @param generation the number of its arc's Raft group, another one each time that it comes onto the ring; 0 for a
 *     candidate
 */
public record SuperPeerRecord(
        int nid, UUID diskId, String name, HostAddress address, HostAddress httpAddress, int generation) {

    /** A generation that no super-peer on the ring has. */
    public static final int OUTSIDE = 0;

    /** Whether it is on the ring. */
    public boolean isMember() {
        return generation != OUTSIDE;
    }

    /** As others see it on the ring. */
    RingMember member() {
        return new RingMember(nid, name, address, httpAddress);
    }

    SuperPeerRecord withGeneration(int newGeneration) {
        return new SuperPeerRecord(nid, diskId, name, address, httpAddress, newGeneration);
    }

    void write(ByteBuf out) {
        out.writeShortLE(nid);
        Fields.writeUuid(out, diskId);
        Fields.writeText(out, name);
        Fields.writeAddress(out, address);
        Fields.writeAddress(out, httpAddress);
        out.writeIntLE(generation);
    }

    static SuperPeerRecord read(ByteBuf in) {
        return new SuperPeerRecord(
                in.readUnsignedShortLE(),
                Fields.readUuid(in),
                Fields.readText(in),
                Fields.readAddress(in),
                Fields.readAddress(in),
                in.readIntLE());
    }
}
