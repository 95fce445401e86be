package dev.granary.net.message;

import dev.granary.overlay.HostAddress;
import io.netty.buffer.ByteBuf;

/**
 * The payload of an error reply.
 *
 * @param code what kind of error
 * @param retryAfterNanos when to try again, for codes that allow it; otherwise 0
 * @param ringEpoch of the ring as the answering node knows it, 0 when it knows none
 * @param redirect the right node for {@link ErrorCode#REDIRECT}, otherwise {@link HostAddress#NONE}
 * @param message for people: what is wrong and what to do
 */
public record ErrorReply(ErrorCode code, long retryAfterNanos, long ringEpoch, HostAddress redirect, String message) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeShortLE(code.code()).writeLongLE(retryAfterNanos).writeLongLE(ringEpoch);
        Wire.writeAddress(out, redirect);
        Wire.writeString(out, message);
    }

    public static ErrorReply read(ByteBuf in) {
        return new ErrorReply(
                ErrorCode.of(in.readUnsignedShortLE()),
                in.readLongLE(),
                in.readLongLE(),
                Wire.readAddress(in),
                Wire.readString(in));
    }
}
