package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * How far a storage peer is with a planned stop.
 *
 * @param done whether it is as wanted
 * @param dumpBytes written so far
 * @param totalBytes about how many there will be
 * @param problem why it cannot be done, empty for none; then it works on as before
 */
public record HibernateReply(boolean done, long dumpBytes, long totalBytes, String problem) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeBoolean(done).writeLongLE(dumpBytes).writeLongLE(totalBytes);
        Wire.writeString(out, problem);
    }

    static HibernateReply read(ByteBuf in) {
        return new HibernateReply(in.readBoolean(), in.readLongLE(), in.readLongLE(), Wire.readString(in));
    }
}
