package dev.granary.keyed.command;

import dev.granary.resp.Decimal;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;

/**
 * Writes a dump. Strings are not compressed: Redis reads them as well. Lengths have one byte up to 63, two up to
 * 16,383, else five.
 */
final class DumpWriter {

    static final int VERSION = 10;

    static final int TWO_BYTES = 0x40;

    static final int FOUR_BYTES_FOLLOW = 0x80;

    /** In place of a length: the string is a number of one, two, or four bytes. */
    static final int INT8 = 0xc0;

    static final int INT16 = 0xc1;

    static final int INT32 = 0xc2;

    private static final int MOST_IN_SIX_BITS = (1 << 6) - 1;

    private static final int MOST_IN_14_BITS = (1 << 14) - 1;

    /** The characters of the least number of 32 bits. */
    private static final int MOST_INT_BYTES = 11;

    private final ByteBuf out = Unpooled.buffer();

    void unsignedByte(int value) {
        out.writeByte(value);
    }

    /** Writes a length, or a number of elements. */
    void length(int value) {
        if (value <= MOST_IN_SIX_BITS) {
            out.writeByte(value);
        } else if (value <= MOST_IN_14_BITS) {
            out.writeByte(TWO_BYTES | (value >> Byte.SIZE)).writeByte(value);
        } else {
            out.writeByte(FOUR_BYTES_FOLLOW).writeInt(value);
        }
    }

    /** Writes a string with its length; if it is a number of 32 bits, as that number. */
    void string(byte[] bytes) {
        long number = bytes.length > MOST_INT_BYTES
                ? Long.MIN_VALUE
                : Decimal.parse(Unpooled.wrappedBuffer(bytes), 0, bytes.length, Long.MIN_VALUE);
        if (number == (byte) number) {
            out.writeByte(INT8).writeByte((int) number);
        } else if (number == (short) number) {
            out.writeByte(INT16).writeShortLE((int) number);
        } else if (number == (int) number) {
            out.writeByte(INT32).writeIntLE((int) number);
        } else {
            length(bytes.length);
            out.writeBytes(bytes);
        }
    }

    /** Ends the dump, and returns all its bytes. */
    byte[] payload() {
        out.writeShortLE(VERSION);
        out.writeLongLE(Crc64.of(out.array(), 0, out.writerIndex()));
        return ByteBufUtil.getBytes(out);
    }
}
