package dev.granary.resp;

import io.netty.buffer.ByteBuf;

/**
 * Splits a line into arguments, as a person types it into a terminal. Arguments in double quotes may have escapes
 * ({@code \n \r \t \b \a \x41}, and any other character for itself), those in single quotes only {@code \'}. What
 * stands in quotes is never longer than what was sent, so the bytes are put right in their place.
 */
final class InlineRequest {

    private final ByteBuf line;
    private final int end;
    private int at;

    /** Where the next byte of the current argument is written. */
    private int out;

    private InlineRequest(ByteBuf line, int from, int end) {
        this.line = line;
        this.at = from;
        this.end = end;
    }

    /** Adds the arguments between {@code from} and {@code end}; false if a quote has no match. */
    static boolean split(ByteBuf line, int from, int end, Request into) {
        InlineRequest request = new InlineRequest(line, from, end);
        while (request.skipSpace()) {
            int start = request.at;
            request.out = start;
            if (!request.argument()) {
                return false;
            }
            into.add(start - from, request.out - start);
        }
        return true;
    }

    private boolean skipSpace() {
        while (at < end && isSpace(line.getByte(at))) {
            at++;
        }
        return at < end;
    }

    private boolean argument() {
        while (at < end) {
            byte next = line.getByte(at);
            if (next == ' ' || next == '\n' || next == '\r' || next == '\t') {
                return true;
            }
            at++;
            if (next == '"' || next == '\'') {
                return quoted(next);
            }
            write(next);
        }
        return true;
    }

    /** Reads up to the closing quote, behind which a space or the end must come. */
    private boolean quoted(byte quote) {
        while (at < end) {
            byte next = line.getByte(at++);
            if (next == quote) {
                return at == end || isSpace(line.getByte(at));
            }
            if (next == '\\' && at < end && (quote == '"' || line.getByte(at) == '\'')) {
                write(quote == '"' ? escaped() : line.getByte(at++));
            } else {
                write(next);
            }
        }
        return false;
    }

    private byte escaped() {
        byte next = line.getByte(at++);
        if (next == 'x' && at + 1 < end) {
            int high = Character.digit(line.getByte(at), 16);
            int low = Character.digit(line.getByte(at + 1), 16);
            if (high >= 0 && low >= 0) {
                at += 2;
                return (byte) (high << 4 | low);
            }
        }
        return switch (next) {
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'b' -> '\b';
            case 'a' -> 7;
            default -> next;
        };
    }

    private void write(byte value) {
        line.setByte(out++, value);
    }

    private static boolean isSpace(byte value) {
        return value == ' ' || (value >= '\t' && value <= '\r');
    }
}
