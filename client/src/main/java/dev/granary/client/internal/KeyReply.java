package dev.granary.client.internal;

import dev.granary.net.FrameException;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A reply of the Redis protocol, version 2 (docs/formats/resp.md), to a request that a storage peer has carried out.
 *
 * @param kind the first byte of the reply: {@code + - : $ *}
 * @param number of an integer; 0 otherwise
 * @param bytes of a line or a bulk string; null when there are none, as no such key is there
 * @param parts of an array; empty otherwise
 */
// Replies are never compared.
@SuppressWarnings("ArrayRecordComponent")
public record KeyReply(char kind, long number, byte @Nullable [] bytes, List<KeyReply> parts) {

    private static final int CR = '\r';

    /** Returns what a line or a bulk string says; empty when there is nothing. */
    public String text() {
        return bytes == null ? "" : new String(bytes, StandardCharsets.UTF_8);
    }

    /** Returns whether the request was refused. The text says why. */
    public boolean isError() {
        return kind == '-';
    }

    /**
     * Reads all replies of a buffer.
     *
     * @throws FrameException when it has something else than replies
     */
    public static List<KeyReply> readAll(ByteBuf in) {
        List<KeyReply> replies = new ArrayList<>();
        while (in.isReadable()) {
            replies.add(read(in));
        }
        return replies;
    }

    private static KeyReply read(ByteBuf in) {
        char kind = (char) in.readUnsignedByte();
        byte[] line = line(in);
        return switch (kind) {
            case '+', '-' -> new KeyReply(kind, 0, line, List.of());
            case ':' -> new KeyReply(kind, number(line), null, List.of());
            case '$' -> new KeyReply(kind, 0, bulk(in, number(line)), List.of());
            case '*' -> {
                List<KeyReply> parts = new ArrayList<>();
                for (long i = number(line); i > 0; i--) {
                    parts.add(read(in));
                }
                yield new KeyReply(kind, 0, null, parts);
            }
            default -> throw new FrameException("a reply of the Redis protocol begins with '" + kind + "'");
        };
    }

    private static byte @Nullable [] bulk(ByteBuf in, long sizeBytes) {
        if (sizeBytes < 0) {
            return null;
        }
        if (sizeBytes > in.readableBytes()) {
            throw new FrameException("a reply has " + sizeBytes + " bytes, of " + in.readableBytes());
        }
        byte[] bytes = new byte[(int) sizeBytes];
        in.readBytes(bytes);
        in.skipBytes(2);
        return bytes;
    }

    private static byte[] line(ByteBuf in) {
        int length = in.bytesBefore((byte) CR);
        if (length < 0) {
            throw new FrameException("a reply of the Redis protocol ends within a line");
        }
        byte[] line = new byte[length];
        in.readBytes(line);
        in.skipBytes(2);
        return line;
    }

    private static long number(byte[] line) {
        return Long.parseLong(new String(line, StandardCharsets.US_ASCII));
    }
}
