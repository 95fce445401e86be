package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * One member of a Raft group tells another one something. The empty reply says only that it has arrived: it bounds what
 * is on its way.
 *
 * @param group the id of the group
 * @param member the member that it is for: a number that counts memberships above the 16 bits of the super-peer's NID
 * @param message laid out as docs/formats/raft.md says
 */
public record RaftMessage(long group, long member, Blob message) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeLongLE(group).writeLongLE(member);
        message.writeTo(out);
    }

    static RaftMessage read(ByteBuf in) {
        return new RaftMessage(in.readLongLE(), in.readLongLE(), Blob.read(in));
    }
}
