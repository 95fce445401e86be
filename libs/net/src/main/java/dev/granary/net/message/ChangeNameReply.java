package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * What became of a change of a name.
 *
 * @param done whether the condition held and the name was changed
 * @param previousCid what the name stood for before, 0 for nothing
 */
public record ChangeNameReply(boolean done, long previousCid) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeBoolean(done).writeLongLE(previousCid);
    }

    static ChangeNameReply read(ByteBuf in) {
        return new ChangeNameReply(in.readBoolean(), in.readLongLE());
    }
}
