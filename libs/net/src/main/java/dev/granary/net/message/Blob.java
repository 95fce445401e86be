package dev.granary.net.message;

import dev.granary.net.FrameException;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/**
 * Bytes whose meaning is not the protocol's business, compared by value.
 *
 * @param bytes not changed by anybody
 */
@SuppressWarnings("ArrayRecordComponent") // compared by value below
public record Blob(byte[] bytes) {

    void writeTo(ByteBuf out) {
        out.writeIntLE(bytes.length).writeBytes(bytes);
    }

    static Blob read(ByteBuf in) {
        int sizeBytes = in.readIntLE();
        if (sizeBytes < 0 || sizeBytes > in.readableBytes()) {
            throw new FrameException(
                    "a field of " + sizeBytes + " bytes in a message with " + in.readableBytes() + " left");
        }
        byte[] bytes = new byte[sizeBytes];
        in.readBytes(bytes);
        return new Blob(bytes);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Blob that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return bytes.length + " bytes";
    }
}
