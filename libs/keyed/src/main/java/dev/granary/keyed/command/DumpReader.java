package dev.granary.keyed.command;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;

/** Reads a dump that a Redis, or a {@link DumpWriter}, has made. Whatever its bytes are, it takes bounded memory. */
final class DumpReader {

    private static final int FOOTER_BYTES = 10;

    private static final int CRC_BYTES = 8;

    private static final int EIGHT_BYTES_FOLLOW = 0x81;

    private static final int COMPRESSED = 0xc3;

    /** The two bits that say what a length is like. */
    private static final int FORM = 0xc0;

    private final ByteBuf in;

    private DumpReader(ByteBuf in) {
        this.in = in;
    }

    /**
     * Checks a dump's end, and returns a reader of what is before it.
     *
     * @throws CommandException when the version is newer than 10, or the bytes are not those that were written
     */
    static DumpReader of(byte[] payload) {
        int body = payload.length - FOOTER_BYTES;
        ByteBuf bytes = Unpooled.wrappedBuffer(payload);
        if (body < 0
                || bytes.getUnsignedShortLE(body) > DumpWriter.VERSION
                || bytes.getLongLE(payload.length - CRC_BYTES) != Crc64.of(payload, 0, payload.length - CRC_BYTES)) {
            throw new CommandException("ERR DUMP payload version or checksum are wrong");
        }
        return new DumpReader(bytes.slice(0, body));
    }

    static CommandException badFormat() {
        return new CommandException("ERR Bad data format");
    }

    int unsignedByte() {
        need(1);
        return in.readUnsignedByte();
    }

    /** Reads a length, or a number of elements. */
    int length() {
        return length(unsignedByte());
    }

    private int length(int first) {
        long length;
        if ((first & FORM) == 0) {
            length = first;
        } else if ((first & FORM) == DumpWriter.TWO_BYTES) {
            length = (((long) first & ~FORM) << Byte.SIZE) | unsignedByte();
        } else if (first == DumpWriter.FOUR_BYTES_FOLLOW) {
            need(Integer.BYTES);
            length = in.readUnsignedInt();
        } else if (first == EIGHT_BYTES_FOLLOW) {
            need(Long.BYTES);
            length = in.readLong();
        } else {
            throw badFormat();
        }
        if (length < 0 || length > Strings.MOST_BYTES) {
            throw badFormat();
        }
        return (int) length;
    }

    /** Reads a string, in whichever form it is. */
    byte[] string() {
        int first = unsignedByte();
        switch (first) {
            case DumpWriter.INT8 -> {
                need(Byte.BYTES);
                return digits(in.readByte());
            }
            case DumpWriter.INT16 -> {
                need(Short.BYTES);
                return digits(in.readShortLE());
            }
            case DumpWriter.INT32 -> {
                need(Integer.BYTES);
                return digits(in.readIntLE());
            }
            case COMPRESSED -> {
                int compressed = length();
                int length = length();
                return Lzf.decompressed(bytes(compressed), length);
            }
            default -> {
                return bytes(length(first));
            }
        }
    }

    private static byte[] digits(int number) {
        return Integer.toString(number).getBytes(StandardCharsets.US_ASCII);
    }

    private byte[] bytes(int length) {
        need(length);
        byte[] bytes = new byte[length];
        in.readBytes(bytes);
        return bytes;
    }

    private void need(int bytes) {
        if (in.readableBytes() < bytes) {
            throw badFormat();
        }
    }
}
