package dev.granary.resp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;

/**
 * The arguments of one request, in place: positions in the buffer in which they came.
 *
 * <pre>
 *   buffer    ... *2 CRLF $3 CRLF G E T CRLF $1 CRLF k CRLF ...
 *                 ^                ^                 ^
 *                 base             base + starts[0]  base + starts[1]
 * </pre>
 *
 * <p>The request that a {@link RequestDecoder} shows belongs to the decoder, and holds until the decoder's next call.
 * {@link #copy} makes one that holds until its {@link #release}, {@link #view} one that holds as long as the bytes do.
 * A request is used by one thread.
 */
public final class Request {

    private static final int FEW = 16;

    /** Room for more arguments than this is given back with the next request. */
    private static final int MANY = 1 << 10;

    private ByteBuf buffer = Unpooled.EMPTY_BUFFER;
    private int base;
    private int sizeBytes;
    private int count;
    private int[] starts;
    private int[] lengths;
    private boolean owned;

    Request() {
        starts = new int[FEW];
        lengths = new int[FEW];
    }

    /** A request with the arguments of another one, in bytes that are the same from a position on. */
    private Request(Request other, ByteBuf buffer, int base) {
        this.buffer = buffer;
        this.base = base;
        this.sizeBytes = other.sizeBytes;
        this.count = other.count;
        this.starts = Arrays.copyOf(other.starts, count);
        this.lengths = Arrays.copyOf(other.lengths, count);
    }

    /** Returns how many arguments there are, the command's name included; at least one. */
    public int count() {
        return count;
    }

    /** Returns how many bytes the whole request took, as it was sent. */
    public int sizeBytes() {
        return sizeBytes;
    }

    /** Returns the buffer in which the arguments lie, and other bytes as well. The caller only reads. */
    public ByteBuf buffer() {
        return buffer;
    }

    /** Returns where an argument begins in {@link #buffer}. */
    public int start(int argument) {
        return base + starts[Objects.checkIndex(argument, count)];
    }

    /** Returns how many bytes an argument has. */
    public int length(int argument) {
        return lengths[Objects.checkIndex(argument, count)];
    }

    /** Returns whether an argument is a word, in capitals or not. The word is given in small letters. */
    public boolean is(int argument, String word) {
        int length = length(argument);
        if (length != word.length()) {
            return false;
        }
        int start = start(argument);
        for (int i = 0; i < length; i++) {
            if (lower(buffer.getByte(start + i)) != word.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /** Returns the whole number that an argument is, or {@code otherwise} if it is none. */
    public long number(int argument, long otherwise) {
        int start = start(argument);
        return Decimal.parse(buffer, start, start + length(argument), otherwise);
    }

    /** Returns an argument's first bytes, as text in which each byte is a character of its own. */
    public String text(int argument, int mostBytes) {
        return buffer.toString(start(argument), Math.min(mostBytes, length(argument)), StandardCharsets.ISO_8859_1);
    }

    /** Returns an argument as text in which each byte is a character of its own. */
    public String text(int argument) {
        return text(argument, Integer.MAX_VALUE);
    }

    /**
     * Returns a request with the same bytes, which stay where they are and are kept by the caller: it costs little, and
     * is not released.
     */
    public Request view() {
        return new Request(this, buffer, base);
    }

    /** Returns a request with a copy of the bytes, which takes no more memory than it needs. */
    public Request copy(ByteBufAllocator allocator) {
        Request copied =
                new Request(this, allocator.buffer(sizeBytes, sizeBytes).writeBytes(buffer, base, sizeBytes), 0);
        copied.owned = true;
        return copied;
    }

    /** Appends the request to a buffer as an array of bulk strings, whatever it was sent as. */
    public void writeTo(ByteBuf out) {
        if (buffer.getByte(base) == '*') {
            out.writeBytes(buffer, base, sizeBytes);
            return;
        }
        ReplyWriter array = new ReplyWriter(out, Protocol.RESP2);
        array.array(count);
        for (int i = 0; i < count; i++) {
            array.bulk(buffer, start(i), lengths[i]);
        }
    }

    /** Gives back the memory of a request from {@link #copy}. */
    public void release() {
        if (!owned) {
            throw new IllegalStateException("only a request that was copied is released");
        }
        buffer.release();
    }

    void clear() {
        buffer = Unpooled.EMPTY_BUFFER;
        count = 0;
        if (starts.length > MANY) {
            starts = new int[FEW];
            lengths = new int[FEW];
        }
    }

    /** Adds an argument by its place behind the request's first byte. */
    void add(int start, int length) {
        if (count == starts.length) {
            starts = Arrays.copyOf(starts, 2 * count);
            lengths = Arrays.copyOf(lengths, 2 * count);
        }
        starts[count] = start;
        lengths[count++] = length;
    }

    void complete(ByteBuf in, int first, int size) {
        buffer = in;
        base = first;
        sizeBytes = size;
    }

    private static int lower(byte letter) {
        return letter >= 'A' && letter <= 'Z' ? letter + ('a' - 'A') : letter;
    }
}
