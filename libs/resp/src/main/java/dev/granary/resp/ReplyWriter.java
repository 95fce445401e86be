package dev.granary.resp;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * Writes replies into a buffer, in the version of the protocol that the client has chosen. What RESP2 lacks is written
 * as Redis does it for such clients.
 *
 * <pre>
 *              RESP2                RESP3
 *  map(2)      *4                   %2          keys and values follow, one by one
 *  set(2)      *2                   ~2
 *  push(2)     *2                   >2          RESP2 knows pushes of published messages only
 *  nothing()   $-1                  _
 *  noArray()   *-1                  _
 *  bool(true)  :1                   #t
 *  real(1.5)   $3 CRLF 1.5          ,1.5
 *  big("12")   $2 CRLF 12           (12
 *  verbatim    $3 CRLF abc          =7 CRLF txt:abc
 * </pre>
 *
 * <p>Nothing is checked: as many elements as were announced must follow. A writer is of one thread.
 */
public final class ReplyWriter {

    private static final int CRLF = '\r' << 8 | '\n';

    private static final int MOST_BYTE = 0xff;

    /** A type, 19 digits with a sign, and the end of the line. */
    private static final int MOST_LINE_BYTES = 23;

    private ByteBuf out;
    private Protocol protocol;

    public ReplyWriter(ByteBuf out, Protocol protocol) {
        this.out = out;
        this.protocol = protocol;
    }

    /** Returns the buffer to which replies are written. */
    public ByteBuf out() {
        return out;
    }

    /** Writes to another buffer from now on. */
    public void out(ByteBuf buffer) {
        out = buffer;
    }

    public Protocol protocol() {
        return protocol;
    }

    /** Writes another version of the protocol from now on. */
    public void protocol(Protocol version) {
        protocol = version;
    }

    /** A simple string: text of a line, in which each character is one byte. */
    public void simple(String text) {
        line('+', text);
    }

    /**
     * An error: its code in capitals, a space, and what is wrong. Each character is one byte, or a question mark if it
     * is none; ends of lines, which would end the reply, become spaces.
     */
    public void error(String text) {
        line('-', text);
    }

    private void line(char type, String text) {
        out.ensureWritable(text.length() + 3);
        out.writeByte(type);
        for (int i = 0; i < text.length(); i++) {
            char next = text.charAt(i);
            out.writeByte(next == '\r' || next == '\n' ? ' ' : next > MOST_BYTE ? '?' : next);
        }
        out.writeShort(CRLF);
    }

    /** A whole number. */
    public void integer(long value) {
        number(':', value);
    }

    /** A bulk string. */
    public void bulk(byte[] bytes) {
        beginBulk(bytes.length);
        out.writeBytes(bytes);
        endBulk();
    }

    /** A bulk string from a part of a buffer, whose indexes stay as they are. */
    public void bulk(ByteBuf bytes, int from, int length) {
        beginBulk(length);
        out.writeBytes(bytes, from, length);
        endBulk();
    }

    /** A bulk string in UTF-8. */
    public void bulk(String text) {
        bulk(text.getBytes(StandardCharsets.UTF_8));
    }

    /** A bulk string of a number's digits, as GET answers for a counter. */
    public void bulk(long value) {
        beginBulk(digits(value));
        writeDigits(value);
        endBulk();
    }

    /** Begins a bulk string: the caller writes just as many bytes to {@link #out}, which has room, then ends it. */
    public void beginBulk(int length) {
        out.ensureWritable(MOST_LINE_BYTES + length + 2);
        number('$', length);
    }

    public void endBulk() {
        out.writeShort(CRLF);
    }

    /** Nothing, in place of a bulk string or of anything else that is no array. */
    public void nothing() {
        if (protocol == Protocol.RESP2) {
            number('$', -1);
        } else {
            null3();
        }
    }

    /** Nothing, in place of an array: what a transaction answers that was not carried out. */
    public void noArray() {
        if (protocol == Protocol.RESP2) {
            number('*', -1);
        } else {
            null3();
        }
    }

    private void null3() {
        out.writeByte('_').writeShort(CRLF);
    }

    /** An array, whose elements follow. */
    public void array(int elements) {
        number('*', elements);
    }

    /** A map, whose keys and values follow in turn. */
    public void map(int entries) {
        if (protocol == Protocol.RESP2) {
            number('*', 2L * entries);
        } else {
            number('%', entries);
        }
    }

    /** A set, whose elements follow. */
    public void set(int elements) {
        number(protocol == Protocol.RESP2 ? '*' : '~', elements);
    }

    /** A message that answers no request. A client of RESP2 expects none but published messages. */
    public void push(int elements) {
        number(protocol == Protocol.RESP2 ? '*' : '>', elements);
    }

    /** Attributes of the reply behind them: keys and values follow in turn. There is nothing of the kind in RESP2. */
    public void attribute(int entries) {
        if (protocol == Protocol.RESP2) {
            throw new IllegalStateException("RESP2 has no attributes; leave them out for this client");
        }
        number('|', entries);
    }

    /** Yes or no. */
    public void bool(boolean value) {
        if (protocol == Protocol.RESP2) {
            integer(value ? 1 : 0);
        } else {
            out.writeByte('#').writeByte(value ? 't' : 'f').writeShort(CRLF);
        }
    }

    /** A number with a fraction, in as few digits as tell it from all others. */
    public void real(double value) {
        textOrBulk(',', DoubleText.of(value));
    }

    /** A whole number of any size, in decimal digits. */
    public void big(String decimal) {
        textOrBulk('(', decimal);
    }

    private void textOrBulk(char type, String text) {
        if (protocol == Protocol.RESP2) {
            bulk(text);
        } else {
            line(type, text);
        }
    }

    /** Text for people, with its format in three letters, such as {@code txt}. */
    public void verbatim(String format, byte[] text) {
        if (format.length() != 3) {
            throw new IllegalArgumentException("the format '" + format + "' must have three letters");
        }
        if (protocol == Protocol.RESP2) {
            bulk(text);
        } else {
            number('=', text.length + 4L);
            out.writeCharSequence(format, StandardCharsets.US_ASCII);
            out.writeByte(':').writeBytes(text).writeShort(CRLF);
        }
    }

    /** Begins an array whose length is not known yet, and returns where, for {@link #endArray}. */
    public int beginArray() {
        int mark = out.writerIndex();
        array(0);
        return mark;
    }

    /** Says how many elements the array has that began at the mark: as many as were written since. */
    public void endArray(int mark, int elements) {
        int more = digits(elements) - 1;
        int body = mark + 4;
        int end = out.writerIndex();
        if (more > 0) {
            // One digit is there; what follows moves up to make room for the others.
            out.ensureWritable(more);
            out.setBytes(body + more, out, body, end - body);
        }
        out.writerIndex(mark);
        array(elements);
        out.writerIndex(end + more);
    }

    private void number(char type, long value) {
        out.ensureWritable(MOST_LINE_BYTES);
        out.writeByte(type);
        writeDigits(value);
        out.writeShort(CRLF);
    }

    private void writeDigits(long value) {
        int end = out.writerIndex() + digits(value);
        long rest = value;
        int at = end;
        do {
            // Digits of negative numbers are negative: the least number has no positive one.
            out.setByte(--at, '0' + (int) Math.abs(rest % 10));
            rest /= 10;
        } while (rest != 0);
        if (value < 0) {
            out.setByte(--at, '-');
        }
        out.writerIndex(end);
    }

    /** Returns how many characters a number has in decimal, with its sign. */
    private static int digits(long value) {
        int count = value < 0 ? 2 : 1;
        for (long rest = value / 10; rest != 0; rest /= 10) {
            count++;
        }
        return count;
    }
}
