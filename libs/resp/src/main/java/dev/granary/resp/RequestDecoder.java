package dev.granary.resp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.util.ByteProcessor;
import org.jspecify.annotations.Nullable;

/**
 * Reads requests from the bytes of one connection, however they are split. It reads and refuses as Redis 7.0 does, with
 * Redis's texts (docs/formats/resp.md).
 *
 * <pre>
 *   add(bytes) ----> next() --> REQUEST   request() holds until the next call
 *                      |  ^---------'
 *                      |------> MORE      everything is read; a part of a request may be kept for the next bytes
 *                      '------> REFUSED   for ever: tell refusal() to the client, and close the connection
 * </pre>
 *
 * <p>Bytes that are added belong to the decoder. It writes in them: arguments in quotes are put right in their place.
 * They are copied only when a request is split. What it holds is bounded by a few times the sum of
 * {@link RequestLimits#requestBytes} and what was added last, if {@link #next} is called until it returns
 * {@link Step#MORE}. A decoder is of one thread.
 */
public final class RequestDecoder implements AutoCloseable {

    /** What {@link #next} found. */
    public enum Step {
        REQUEST,
        MORE,
        REFUSED
    }

    /** In place of a number: its line is not whole. */
    private static final long PENDING = Long.MIN_VALUE;

    /** In place of the end of a line. */
    private static final int MISSING = -1;

    private static final int TOO_LONG = -2;

    /** A line that Redis looks for as a C string never ends behind a zero. */
    private static final ByteProcessor UNTIL_LF = value -> value != '\n' && value != 0;

    private static final ByteProcessor UNTIL_CR = value -> value != '\r' && value != 0;

    private final RequestLimits limits;
    private final ByteBufAllocator allocator;
    private final Request request = new Request();
    private boolean authenticated;

    /** Its reader index is at the first byte of the current request. */
    private ByteBuf buffer = Unpooled.EMPTY_BUFFER;

    /** How many bytes of the current request are read. */
    private int position;

    /** How many bytes behind them are known to hold no end of a line. */
    private int searched;

    /** How many arguments are still to come; 0 before their number is known. */
    private int missing;

    /** The length of the argument at the position; negative before it is known. */
    private int argumentBytes = -1;

    /** Whether the current request was shown. */
    private boolean shown;

    private @Nullable String refusal;

    /** The limits for clients that have not authenticated hold until {@link #authenticated} says otherwise. */
    public RequestDecoder(RequestLimits limits, ByteBufAllocator allocator) {
        this.limits = limits;
        this.allocator = allocator;
    }

    /** Sets whether the client may do more than authenticate. */
    public void authenticated(boolean value) {
        authenticated = value;
    }

    /** Takes bytes that came from the client. */
    public void add(ByteBuf bytes) {
        if (refusal != null) {
            bytes.release();
            return;
        }
        forgetShown();
        if (buffer.refCnt() == 1) {
            buffer.discardSomeReadBytes();
        }
        buffer = ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(allocator, buffer, writable(bytes));
    }

    private ByteBuf writable(ByteBuf bytes) {
        if (!bytes.isReadOnly()) {
            return bytes;
        }
        try {
            return allocator.buffer(bytes.readableBytes()).writeBytes(bytes);
        } finally {
            bytes.release();
        }
    }

    /** Goes on to the next request. */
    public Step next() {
        Step step;
        do {
            if (refusal != null) {
                return Step.REFUSED;
            }
            forgetShown();
            step = buffer.isReadable() ? read() : readAll();
            // Redis passes over empty lines and arrays.
        } while (step == Step.REQUEST && request.count() == 0);
        return step;
    }

    /** Returns the request that {@link #next} found. */
    public Request request() {
        if (!shown || request.count() == 0) {
            throw new IllegalStateException("there is no request: next() returns REQUEST first");
        }
        return request;
    }

    /**
     * Returns why nothing more is read from this client, as an error to be written to it. The connection must be closed
     * behind that: nobody knows where its next request begins.
     */
    public String refusal() {
        if (refusal == null) {
            throw new IllegalStateException("nothing is refused: next() returns REFUSED first");
        }
        return refusal;
    }

    /** Returns how many bytes are held for the client. */
    public int heldBytes() {
        return buffer.capacity();
    }

    /** Gives back the memory. Bytes that are added afterwards are dropped. */
    @Override
    public void close() {
        if (refusal == null) {
            refuse("the connection is closed");
        }
    }

    /** Gives back what held the last bytes: most clients are idle most of the time. */
    private Step readAll() {
        buffer.release();
        buffer = Unpooled.EMPTY_BUFFER;
        return Step.MORE;
    }

    private Step read() {
        int first = buffer.readerIndex();
        Step step = buffer.getByte(first) == '*' ? readArray() : readInline(first);
        if (step == Step.REQUEST) {
            shown = true;
            request.complete(buffer, first, position);
        }
        return step;
    }

    private void forgetShown() {
        if (shown) {
            shown = false;
            request.clear();
            buffer.skipBytes(position);
            position = 0;
            searched = 0;
        }
    }

    private Step readInline(int first) {
        int end = endOfLine(UNTIL_LF);
        if (end == MISSING) {
            return Step.MORE;
        }
        if (end == TOO_LONG) {
            return refuse("too big inline request");
        }
        position = end + 1 - first;
        boolean carriageReturn = end > first && buffer.getByte(end - 1) == '\r';
        return InlineRequest.split(buffer, first, carriageReturn ? end - 1 : end, request)
                ? Step.REQUEST
                : refuse("unbalanced quotes in request");
    }

    private Step readArray() {
        if (missing == 0) {
            long count = number("too big mbulk count string");
            if (count == PENDING) {
                return pending();
            }
            if (count > limits.arguments()) {
                return refuse("invalid multibulk length");
            }
            if (count > limits.unauthenticatedArguments() && !authenticated) {
                return refuse("unauthenticated multibulk length");
            }
            missing = (int) Math.max(0, count);
        }
        while (missing > 0) {
            if (argumentBytes < 0 && !readLength()) {
                return pending();
            }
            if (buffer.readableBytes() - position < argumentBytes + 2L) {
                return Step.MORE;
            }
            request.add(position, argumentBytes);
            position += argumentBytes + 2;
            argumentBytes = -1;
            missing--;
        }
        return Step.REQUEST;
    }

    /** Reads the length of the next argument; false if its line is not whole, or refused. */
    private boolean readLength() {
        int start = buffer.readerIndex() + position;
        long length = number("too big bulk count string");
        if (length == PENDING) {
            return false;
        }
        byte type = buffer.getByte(start);
        if (type != '$') {
            refuse("expected '$', got '" + (char) (type & 0xff) + "'");
        } else if (length < 0 || length > limits.argumentBytes()) {
            refuse("invalid bulk length");
        } else if (length > limits.unauthenticatedArgumentBytes() && !authenticated) {
            refuse("unauthenticated bulk length");
        } else if (position + length + 2 > limits.requestBytes()) {
            refuse("too big request, more than " + limits.requestBytes() + " bytes");
        } else {
            argumentBytes = (int) length;
        }
        return refusal == null;
    }

    /**
     * Reads a line at the position: a character, which is left to the caller, and a number. {@link #PENDING} if the
     * line is not whole, or too long; {@link Long#MAX_VALUE} if it has no number.
     */
    private long number(String refusalOfLongLine) {
        int quick = shortNumber();
        if (quick >= 0) {
            return quick;
        }
        int start = buffer.readerIndex() + position;
        int end = endOfLine(UNTIL_CR);
        if (end == TOO_LONG) {
            refuse(refusalOfLongLine);
            return PENDING;
        }
        if (end == MISSING || end + 1 >= buffer.writerIndex()) {
            return PENDING;
        }
        // Redis does not look at what follows the carriage return.
        position += end + 2 - start;
        searched = 0;
        return Math.max(PENDING + 1, Decimal.parse(buffer, start + 1, end, Long.MAX_VALUE));
    }

    /** Reads a line that is whole and has one to eight digits, in one go; -1 for all others, which are rare. */
    private int shortNumber() {
        int start = buffer.readerIndex() + position;
        int most = Math.min(buffer.writerIndex() - 1, start + 10);
        if (start >= most || buffer.getByte(start) == 0) {
            return -1;
        }
        int value = 0;
        for (int at = start + 1; at < most; at++) {
            int digit = buffer.getByte(at) - '0';
            if (digit >= 0 && digit <= 9) {
                value = 10 * value + digit;
            } else if (digit == '\r' - '0' && (at == start + 2 || (value > 0 && buffer.getByte(start + 1) != '0'))) {
                position += at + 2 - start;
                searched = 0;
                return value;
            } else {
                return -1;
            }
        }
        return -1;
    }

    /** Returns where the line at the position ends, or {@link #MISSING}, or {@link #TOO_LONG}. */
    private int endOfLine(ByteProcessor until) {
        int start = buffer.readerIndex() + position;
        int readable = buffer.writerIndex() - start;
        int looked = Math.min(readable, limits.lineBytes() + 1);
        int end = looked > searched ? buffer.forEachByte(start + searched, looked - searched, until) : -1;
        if (end >= 0 && buffer.getByte(end) != 0) {
            searched = end - start;
            return end;
        }
        searched = end >= 0 ? end - start : looked;
        return readable > limits.lineBytes() ? TOO_LONG : MISSING;
    }

    private Step pending() {
        return refusal == null ? Step.MORE : Step.REFUSED;
    }

    private Step refuse(String why) {
        refusal = "ERR Protocol error: " + why;
        shown = false;
        request.clear();
        buffer.release();
        buffer = Unpooled.EMPTY_BUFFER;
        return Step.REFUSED;
    }
}
