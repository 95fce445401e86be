package dev.granary.storage.door.reply;

import dev.granary.resp.Decimal;
import io.netty.buffer.ByteBuf;

/**
 * Finds its way through replies that a slot group has written. They come from a storage peer, so they are trusted to be
 * well-formed; what is not is a bug and throws. All methods are pure.
 *
 * <pre>
 *   *2 CRLF $1 CRLF a CRLF :7 CRLF   +OK CRLF
 *   ^at     ^body                    ^end(at)
 * </pre>
 */
public final class ReplyCursor {

    private static final int LINE_END_BYTES = 2;

    private ReplyCursor() {}

    /** Returns whether the reply at a place is an error. */
    public static boolean isError(ByteBuf replies, int at) {
        return replies.getByte(at) == '-';
    }

    /** Returns where the reply ends that begins at a place, with everything in it. */
    public static int end(ByteBuf replies, int at) {
        int position = at;
        for (long open = 1; open > 0; open--) {
            byte type = replies.getByte(position);
            long number = type == '+' || type == '-' ? 0 : numberOrZero(replies, position);
            // So that no sum below overflows: each byte and each element that is counted takes at least a byte.
            if (number > replies.writerIndex() && isCount(type)) {
                throw malformed(replies, at);
            }
            position = body(replies, position);
            switch (type) {
                case '$', '=', '!' -> {
                    if (number >= 0) {
                        position = Math.toIntExact(position + number + LINE_END_BYTES);
                    }
                }
                case '*', '~', '>' -> open += Math.max(0, number);
                case '%' -> open += 2 * Math.max(0, number);
                // The reply that it belongs to follows.
                case '|' -> open += 2 * Math.max(0, number) + 1;
                default -> {}
            }
        }
        if (position > replies.writerIndex()) {
            throw malformed(replies, at);
        }
        return position;
    }

    /** Returns where the line of a reply ends, which is where the elements of an array begin. */
    public static int body(ByteBuf replies, int at) {
        return lineEnd(replies, at) + LINE_END_BYTES;
    }

    /**
     * Returns the number on the line of a reply: an integer itself, or how many bytes or elements there are.
     *
     * @throws IllegalArgumentException when there is none
     */
    public static long number(ByteBuf replies, int at) {
        long value = Decimal.parse(replies, at + 1, lineEnd(replies, at), Long.MIN_VALUE);
        if (value == Long.MIN_VALUE) {
            throw malformed(replies, at);
        }
        return value;
    }

    /** Returns the number that a bulk string is. */
    public static long bulkNumber(ByteBuf replies, int at) {
        int body = body(replies, at);
        long value = Decimal.parse(replies, body, Math.toIntExact(body + number(replies, at)), Long.MIN_VALUE);
        if (value == Long.MIN_VALUE) {
            throw malformed(replies, at);
        }
        return value;
    }

    /** Returns whether the number on the line of such a reply says how much follows. */
    private static boolean isCount(byte type) {
        return switch (type) {
            case '$', '=', '!', '*', '~', '>', '%', '|' -> true;
            default -> false;
        };
    }

    /** Fractions, yes and no have none; nobody needs the value of what is only passed over. */
    private static long numberOrZero(ByteBuf replies, int at) {
        return Decimal.parse(replies, at + 1, lineEnd(replies, at), 0);
    }

    private static int lineEnd(ByteBuf replies, int at) {
        int end = replies.indexOf(at, replies.writerIndex(), (byte) '\r');
        if (end < 0) {
            throw malformed(replies, at);
        }
        return end;
    }

    private static IllegalArgumentException malformed(ByteBuf replies, int at) {
        return new IllegalArgumentException(
                "no whole reply at byte " + at + " of " + replies.writerIndex() + "; this is a bug");
    }
}
