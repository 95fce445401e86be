package dev.granary.bench.redis;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Requests and replies of a protocol. Used by one thread. */
public abstract class Wire {

    /** Bytes of a request or reply beside its key and its value, at most. */
    static final int FRAME_BYTES = 128;

    private final int expirySeconds;

    /**
     * A protocol.
     *
     * @param expirySeconds keys expire after this time or up to twice as long; 0 when they do not
     */
    Wire(int expirySeconds) {
        this.expirySeconds = expirySeconds;
    }

    abstract void get(byte[] key, ByteBuffer out);

    abstract void delete(byte[] key, ByteBuffer out);

    /**
     * Begins a set: all that comes before the value.
     *
     * @param expirySeconds 0 for none
     */
    abstract void beginSet(byte[] key, int expirySeconds, int valueBytes, ByteBuffer out);

    /**
     * Reads one reply and moves the buffer's position behind it.
     *
     * @return false, with the buffer as it was, when not all of the reply is there
     */
    abstract boolean read(ByteBuffer in, Reply reply);

    /** Writes a request. */
    final void write(long operation, byte[] key, Values values, ByteBuffer out) {
        switch (Operation.kind(operation)) {
            case GET -> get(key, out);
            case DELETE -> delete(key, out);
            case SET -> {
                long number = Operation.key(operation);
                int version = Operation.version(operation);
                int seconds = expirySeconds == 0 ? 0 : expirySeconds + (int) ((Mix.of(number) >>> 1) % expirySeconds);
                beginSet(key, seconds, values.size(number, version), out);
                values.write(number, version, out);
                line(out);
            }
        }
    }

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    static void line(ByteBuffer out) {
        out.put((byte) '\r').put((byte) '\n');
    }

    static void decimal(int number, ByteBuffer out) {
        int unit = 1;
        while (number / unit >= 10) {
            unit *= 10;
        }
        for (; unit > 0; unit /= 10) {
            out.put((byte) ('0' + number / unit % 10));
        }
    }

    /** Where the line that begins at the position ends: at its CR; -1 when its LF is not there yet. */
    static int lineEnd(ByteBuffer in) {
        for (int at = in.position() + 1; at < in.limit(); at++) {
            if (in.get(at) == '\n') {
                return at - 1;
            }
        }
        return -1;
    }

    /** The bytes between two places as text. */
    static String text(ByteBuffer in, int from, int end) {
        byte[] bytes = new byte[end - from];
        in.get(from, bytes);
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /** A decimal number between two places, such as -1. */
    static int number(ByteBuffer in, int from, int end) {
        boolean negative = from < end && in.get(from) == '-';
        int number = 0;
        for (int at = negative ? from + 1 : from; at < end; at++) {
            int digit = in.get(at) - '0';
            if (digit < 0 || digit > 9) {
                throw new IllegalArgumentException("no reply of the protocol: " + text(in, in.position(), end));
            }
            number = number * 10 + digit;
        }
        return negative ? -number : number;
    }

    /** Reads a value of a length from a place; it ends with a line's end and perhaps more. */
    static boolean value(ByteBuffer in, int from, int length, int behind, Reply reply) {
        if (in.limit() - from < length + behind) {
            return false;
        }
        reply.isValue(from, length);
        in.position(from + length + behind);
        return true;
    }
}
