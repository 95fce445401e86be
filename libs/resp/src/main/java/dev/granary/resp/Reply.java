package dev.granary.resp;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A reply as a client gets it, in RESP2. The opposite of {@link ReplyWriter}. Bytes of a reply are copied.
 */
public sealed interface Reply {

    /** There is nothing: a missing string or array. */
    Reply NOTHING = new Nothing();

    /** The deepest arrays that are read; no command answers with as many. */
    int MAX_DEPTH = 16;

    /** A line of text, such as {@code OK}. */
    record Text(String text) implements Reply {}

    /** What is wrong: a code in capitals, a space, and a text. */
    record Failure(String text) implements Reply {}

    record WholeNumber(long value) implements Reply {}

    @SuppressWarnings("ArrayRecordComponent") // It is read, never compared.
    record Bulk(byte[] bytes) implements Reply {}

    record Elements(List<Reply> elements) implements Reply {}

    /** No value. */
    record Nothing() implements Reply {}

    /**
     * Reads the next reply.
     *
     * @return null when the bytes end within the reply; the buffer is as before then
     * @throws IllegalArgumentException when the bytes are no reply
     */
    static @Nullable Reply read(ByteBuf in) {
        int start = in.readerIndex();
        Reply reply = read(in, 0);
        if (reply == null) {
            in.readerIndex(start);
        }
        return reply;
    }

    private static @Nullable Reply read(ByteBuf in, int depth) {
        int end = in.indexOf(in.readerIndex(), in.writerIndex(), (byte) '\r');
        if (end < 0 || end + 1 >= in.writerIndex()) {
            return null;
        }
        char type = (char) in.readUnsignedByte();
        String line = in.readCharSequence(end - in.readerIndex(), StandardCharsets.UTF_8)
                .toString();
        in.skipBytes(2);
        return switch (type) {
            case '+' -> new Text(line);
            case '-' -> new Failure(line);
            case ':' -> new WholeNumber(number(line));
            case '$' -> bulk(in, number(line));
            case '*' -> elements(in, number(line), depth);
            default -> throw new IllegalArgumentException("a reply begins with the byte " + (int) type);
        };
    }

    private static long number(String line) {
        try {
            return Long.parseLong(line);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("a reply has '" + line + "' in place of a number", e);
        }
    }

    private static @Nullable Reply bulk(ByteBuf in, long length) {
        if (length < 0) {
            return NOTHING;
        }
        if (in.readableBytes() < length + 2) {
            return null;
        }
        byte[] bytes = new byte[(int) length];
        in.readBytes(bytes);
        in.skipBytes(2);
        return new Bulk(bytes);
    }

    private static @Nullable Reply elements(ByteBuf in, long count, int depth) {
        if (count < 0) {
            return NOTHING;
        }
        if (depth == MAX_DEPTH) {
            throw new IllegalArgumentException("a reply has arrays that are more than " + MAX_DEPTH + " deep");
        }
        List<Reply> elements = new ArrayList<>();
        for (long i = 0; i < count; i++) {
            Reply element = read(in, depth + 1);
            if (element == null) {
                return null;
            }
            elements.add(element);
        }
        return new Elements(elements);
    }
}
