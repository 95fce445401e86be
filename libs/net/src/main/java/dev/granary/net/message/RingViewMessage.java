package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * What the ring is committed to be.
 *
 * @param view laid out as docs/formats/super-peer-commands.md says
 */
public record RingViewMessage(Blob view) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        view.writeTo(out);
    }

    static RingViewMessage read(ByteBuf in) {
        return new RingViewMessage(Blob.read(in));
    }
}
