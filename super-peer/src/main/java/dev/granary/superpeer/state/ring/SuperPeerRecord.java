package dev.granary.superpeer.state.ring;

import dev.granary.net.message.RecordBytes;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.RingMember;
import dev.granary.schema.I32;
import dev.granary.schema.U16;
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
        @U16 int nid,
        UUID diskId,
        String name,
        HostAddress address,
        HostAddress httpAddress,
        @I32 int generation) {

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
        RecordBytes.write(this, out);
    }

    static SuperPeerRecord read(ByteBuf in) {
        return RecordBytes.read(SuperPeerRecord.class, in);
    }
}
