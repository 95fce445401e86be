package dev.granary.resp;

import io.netty.buffer.ByteBuf;

/** Whole numbers as Redis reads them: no sign but a minus, no leading zero, no space, within 64 bits. */
public final class Decimal {

    /** The digits of {@link Long#MIN_VALUE} with its sign. */
    private static final int MOST_BYTES = 20;

    private Decimal() {}

    /** Returns the number that the bytes from {@code from} to {@code to} are, or {@code otherwise} if they are none. */
    public static long parse(ByteBuf bytes, int from, int to, long otherwise) {
        int length = to - from;
        if (length <= 0 || length > MOST_BYTES) {
            return otherwise;
        }
        boolean negative = bytes.getByte(from) == '-';
        int at = negative ? from + 1 : from;
        if (at == to) {
            return otherwise;
        }
        int first = bytes.getByte(at) - '0';
        if (first < 1 || first > 9) {
            return first == 0 && length == 1 ? 0 : otherwise;
        }
        // Counted downwards: there is one negative number more.
        long value = -first;
        for (at++; at < to; at++) {
            int digit = bytes.getByte(at) - '0';
            if (digit < 0 || digit > 9 || value < Long.MIN_VALUE / 10) {
                return otherwise;
            }
            value *= 10;
            if (value < Long.MIN_VALUE + digit) {
                return otherwise;
            }
            value -= digit;
        }
        if (negative) {
            return value;
        }
        return value == Long.MIN_VALUE ? otherwise : -value;
    }
}
