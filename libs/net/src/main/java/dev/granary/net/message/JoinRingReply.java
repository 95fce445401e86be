package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * The ring's leader has admitted a super-peer, or knew it.
 *
 * @param yourNid the asker's NID
 * @param view what the ring is committed to be, laid out as docs/formats/super-peer-commands.md says
 */
public record JoinRingReply(int yourNid, Blob view) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeShortLE(yourNid);
        view.writeTo(out);
    }

    static JoinRingReply read(ByteBuf in) {
        return new JoinRingReply(in.readUnsignedShortLE(), Blob.read(in));
    }
}
