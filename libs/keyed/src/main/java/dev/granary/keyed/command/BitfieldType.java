package dev.granary.keyed.command;

import dev.granary.resp.Decimal;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;

/**
 * A type of numbers in BITFIELD, such as i16 or u8.
 *
 * @param bits 1 to 64; up to 63 without a sign
 */
record BitfieldType(boolean signed, int bits) {

    /** All types have less; so a longer text that is cut is none either. */
    static final int MOST_CHARACTERS = 8;

    private static final String INVALID =
            "ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not" + " supported but i64 is.";

    /**
     * Reads a type.
     *
     * @throws CommandException when it is none
     */
    static BitfieldType of(String text) {
        boolean signed = text.startsWith("i");
        if (!signed && !text.startsWith("u")) {
            throw new CommandException(INVALID);
        }
        ByteBuf digits = Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1);
        long bits = Decimal.parse(digits, 1, text.length(), -1);
        if (bits < 1 || bits > (signed ? Long.SIZE : Long.SIZE - 1)) {
            throw new CommandException(INVALID);
        }
        return new BitfieldType(signed, (int) bits);
    }

    /** Returns the number that begins at a bit. */
    long get(byte[] bytes, int offset) {
        return cut(Bits.get(bytes, offset, bits));
    }

    /** Returns the number that the lowest bits of another one are. */
    private long cut(long value) {
        int unused = Long.SIZE - bits;
        return signed ? value << unused >> unused : value << unused >>> unused;
    }

    /**
     * A sum that may not fit.
     *
     * @param wrapped what its lowest bits are
     * @param saturated the nearest number that fits
     */
    record Sum(boolean overflows, long wrapped, long saturated) {}

    /** Adds two numbers. Without a sign, the first one counts as one of 64 bits without a sign: as in Redis. */
    Sum sum(long value, long increment) {
        long wrapped = cut(value + increment);
        int direction = signed ? signedOverflow(value, increment) : unsignedOverflow(value, increment);
        if (direction == 0) {
            return new Sum(false, wrapped, wrapped);
        }
        return new Sum(true, wrapped, direction > 0 ? most() : least());
    }

    private long most() {
        return (1L << (signed ? bits - 1 : bits)) - 1;
    }

    private long least() {
        return signed ? -most() - 1 : 0;
    }

    private int signedOverflow(long value, long increment) {
        long sum = value + increment;
        if (((value ^ sum) & (increment ^ sum)) < 0) {
            return value < 0 ? -1 : 1;
        }
        return sum > most() ? 1 : sum < least() ? -1 : 0;
    }

    private int unsignedOverflow(long value, long increment) {
        if (Long.compareUnsigned(value, most()) > 0) {
            return 1;
        }
        // The value and the limit have at most 63 bits: differences do not overflow.
        if (increment > most() - value) {
            return 1;
        }
        return increment < -value ? -1 : 0;
    }
}
