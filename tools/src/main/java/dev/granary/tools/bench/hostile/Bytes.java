package dev.granary.tools.bench.hostile;

import dev.granary.net.Frame;
import dev.granary.net.message.HandshakeMessages.Hello;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MutationHeader;
import dev.granary.net.message.NodeRole;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.function.Consumer;

/** What hostile clients send. */
final class Bytes {

    /** The bytes of a large frame that are not sent. */
    private static final int LARGE_BYTES = 256 << 10;

    private Bytes() {}

    private static byte[] frame(int type, long correlation, Consumer<ByteBuf> payload) {
        ByteBuf frame = Unpooled.buffer();
        Frame.start(frame, Frame.KIND_REQUEST, type, correlation);
        payload.accept(frame);
        Frame.finish(frame);
        return ByteBufUtil.getBytes(frame);
    }

    /** The hello of a client that does not know its cluster. */
    static byte[] hello() {
        return frame(MessageType.HELLO.code(), 0, out -> new Hello(
                        Frame.VERSION, Frame.VERSION, new UUID(0, 0), NodeRole.CLIENT, 0, 0, 0)
                .writeTo(out));
    }

    /** A hello, and the first half of a frame of 256 KiB. */
    static byte[] helloAndHalfAFrame() {
        byte[] hello = hello();
        ByteBuf out = Unpooled.buffer().writeBytes(hello).writeIntLE(LARGE_BYTES);
        return ByteBufUtil.getBytes(out.writeByte(Frame.VERSION).writeZero(LARGE_BYTES / 2));
    }

    /** The first KiB of a frame of 16 MiB, sent in place of a hello. */
    static byte[] largestFrameBeforeHello() {
        ByteBuf out = Unpooled.buffer().writeIntLE(Frame.MAX_BYTES - Frame.LENGTH_BYTES);
        return ByteBufUtil.getBytes(out.writeByte(Frame.VERSION).writeZero(1 << 10));
    }

    /** A put of one chunk by a client that nobody has seen before. */
    static byte[] put(long clientId, long correlation, long cid, byte[] content) {
        return frame(MessageType.PUT, correlation, out -> {
            new MutationHeader(clientId, 1, 0, 0, 1).writeTo(out);
            out.writeLongLE(cid).writeIntLE(content.length).writeBytes(content);
        });
    }

    /** A request of the Redis protocol. */
    static byte[] request(String... words) {
        StringBuilder text =
                new StringBuilder().append('*').append(words.length).append("\r\n");
        for (String word : words) {
            text.append('$').append(word.length()).append("\r\n").append(word).append("\r\n");
        }
        return text.toString().getBytes(StandardCharsets.US_ASCII);
    }
}
