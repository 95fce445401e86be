package dev.granary.resp;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/** Writes requests as clients send them: arrays of bulk strings. All methods are pure. */
public final class RequestWriter {

    /** The most bytes of the line in front of an argument: a type, ten digits, the end of the line. */
    private static final int LINE_BYTES = 13;

    private RequestWriter() {}

    /** Returns how many bytes a request takes at most. */
    public static int maxBytes(byte[]... arguments) {
        int bytes = LINE_BYTES;
        for (byte[] argument : arguments) {
            bytes += LINE_BYTES + argument.length + 2;
        }
        return bytes;
    }

    /** Appends a request. */
    public static void write(ByteBuf out, byte[]... arguments) {
        line(out, '*', arguments.length);
        for (byte[] argument : arguments) {
            line(out, '$', argument.length);
            out.writeBytes(argument);
            end(out);
        }
    }

    private static void line(ByteBuf out, char type, int number) {
        out.writeByte(type);
        out.writeCharSequence(Integer.toString(number), StandardCharsets.US_ASCII);
        end(out);
    }

    private static void end(ByteBuf out) {
        out.writeByte('\r').writeByte('\n');
    }
}
