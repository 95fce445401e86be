package dev.granary.net.message;

import dev.granary.net.FrameException;
import dev.granary.overlay.HostAddress;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** How parts of the layouts that are written by hand look; every number is little-endian (docs/formats/protocol.md). */
final class Wire {

    private Wire() {}

    static void writeUuid(ByteBuf out, UUID id) {
        out.writeLongLE(id.getMostSignificantBits()).writeLongLE(id.getLeastSignificantBits());
    }

    static UUID readUuid(ByteBuf in) {
        return new UUID(in.readLongLE(), in.readLongLE());
    }

    static void writeString(ByteBuf out, String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        if (utf8.length > 0xFFFF) {
            throw new FrameException("a text of " + utf8.length + " bytes does not fit into a message");
        }
        out.writeShortLE(utf8.length).writeBytes(utf8);
    }

    static String readString(ByteBuf in) {
        return readUtf8(in, in.readUnsignedShortLE());
    }

    private static String readUtf8(ByteBuf in, int sizeBytes) {
        if (sizeBytes < 0 || sizeBytes > in.readableBytes()) {
            throw new FrameException(
                    "a text of " + sizeBytes + " bytes in a message with " + in.readableBytes() + " left");
        }
        return in.readCharSequence(sizeBytes, StandardCharsets.UTF_8).toString();
    }

    static void writeAddress(ByteBuf out, HostAddress address) {
        writeString(out, address.host());
        out.writeShortLE(address.port());
    }

    static HostAddress readAddress(ByteBuf in) {
        return new HostAddress(readString(in), in.readUnsignedShortLE());
    }

    /** An address that may be missing: an empty host says so. */
    static void writeOptionalAddress(ByteBuf out, @Nullable HostAddress address) {
        if (address == null) {
            out.writeShortLE(0).writeShortLE(0);
        } else {
            writeAddress(out, address);
        }
    }

    static @Nullable HostAddress readOptionalAddress(ByteBuf in) {
        String host = readString(in);
        int port = in.readUnsignedShortLE();
        return host.isEmpty() ? null : new HostAddress(host, port);
    }
}
