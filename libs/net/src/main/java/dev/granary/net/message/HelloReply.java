package dev.granary.net.message;

import io.netty.buffer.ByteBuf;
import java.util.UUID;

/**
 * Who answers a {@link Hello}.
 *
 * @param version the protocol version to use on this connection
 * @param clusterId the answering node's cluster; zero while it belongs to none
 * @param role what it is
 * @param nid its NID, 0 while it has none
 * @param incarnation its incarnation
 */
public record HelloReply(int version, UUID clusterId, NodeRole role, int nid, long incarnation) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeByte(version);
        Wire.writeUuid(out, clusterId);
        out.writeByte(role.code()).writeShortLE(nid).writeLongLE(incarnation);
    }

    static HelloReply read(ByteBuf in) {
        return new HelloReply(
                in.readUnsignedByte(),
                Wire.readUuid(in),
                NodeRole.of(in.readUnsignedByte()),
                in.readUnsignedShortLE(),
                in.readLongLE());
    }
}
