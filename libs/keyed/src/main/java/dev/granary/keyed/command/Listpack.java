package dev.granary.keyed.command;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads Redis's listpacks: strings and numbers one behind the other.
 *
 * <pre>
 *   all bytes (4) | number of elements (2) | element ... | 0xff
 *
 *   element: first byte         | rest                             | its length, backwards (1 to 5)
 *            0xxxxxxx           |                                  | number of 7 bits
 *            10xxxxxx           | bytes                            | string of up to 63 bytes
 *            110xxxxx           | 1 byte                           | number of 13 bits, with a sign
 *            1110xxxx           | 1 byte, bytes                    | string of up to 4,095 bytes
 *            11110000           | length (4), bytes                | string
 *            11110001 to 0100   | 2, 3, 4 or 8 bytes               | number, with a sign
 * </pre>
 */
final class Listpack {

    private static final int HEAD_BYTES = 6;
    private static final int END = 0xff;
    private static final int STRING_32 = 0xf0;
    private static final int INT_16 = 0xf1;
    private static final int INT_24 = 0xf2;
    private static final int INT_32 = 0xf3;
    private static final int INT_64 = 0xf4;

    private Listpack() {}

    /**
     * Returns the elements, numbers as their digits.
     *
     * @throws CommandException when the bytes are no listpack
     */
    static List<byte[]> read(byte[] bytes) {
        ByteBuf in = Unpooled.wrappedBuffer(bytes);
        if (bytes.length <= HEAD_BYTES || in.getUnsignedIntLE(0) != bytes.length) {
            throw DumpReader.badFormat();
        }
        in.skipBytes(HEAD_BYTES);
        List<byte[]> elements = new ArrayList<>();
        try {
            for (int first; (first = in.readUnsignedByte()) != END; ) {
                int begin = in.readerIndex() - 1;
                elements.add(element(first, in));
                in.skipBytes(backwardBytes(in.readerIndex() - begin));
            }
        } catch (IndexOutOfBoundsException cutShort) {
            throw DumpReader.badFormat();
        }
        if (in.isReadable()) {
            throw DumpReader.badFormat();
        }
        return elements;
    }

    private static byte[] element(int first, ByteBuf in) {
        if (first < 0x80) {
            return digits(first);
        } else if (first < 0xc0) {
            return string(in, first & 0x3f);
        } else if (first < 0xe0) {
            int unsigned = ((first & 0x1f) << 8) | in.readUnsignedByte();
            return digits(unsigned < 1 << 12 ? unsigned : unsigned - (1 << 13));
        } else if (first < 0xf0) {
            return string(in, ((first & 0xf) << 8) | in.readUnsignedByte());
        }
        return switch (first) {
            case STRING_32 -> string(in, in.readIntLE());
            case INT_16 -> digits(in.readShortLE());
            case INT_24 -> digits(in.readMediumLE());
            case INT_32 -> digits(in.readIntLE());
            case INT_64 -> digits(in.readLongLE());
            default -> throw DumpReader.badFormat();
        };
    }

    private static byte[] string(ByteBuf in, int length) {
        if (length < 0 || length > in.readableBytes()) {
            throw DumpReader.badFormat();
        }
        byte[] bytes = new byte[length];
        in.readBytes(bytes);
        return bytes;
    }

    private static byte[] digits(long number) {
        return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns how many bytes tell the length of an element backwards, seven bits in each. */
    private static int backwardBytes(int length) {
        int bytes = 1;
        for (int rest = length >>> 7; rest != 0; rest >>>= 7) {
            bytes++;
        }
        return bytes;
    }
}
