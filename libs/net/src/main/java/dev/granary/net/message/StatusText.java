package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * The status of the whole cluster as the JSON object that docs/formats/status.md describes.
 */
public record StatusText(String json) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        Wire.writeLongString(out, json);
    }

    static StatusText read(ByteBuf in) {
        return new StatusText(Wire.readLongString(in));
    }
}
