package dev.granary.resp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Requests and replies as text, in which each byte is a character of its own. */
public final class Wire {

    private Wire() {}

    /** Returns the bytes of a text. */
    public static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Returns a request as clients send it. */
    public static String array(String... arguments) {
        StringBuilder text = new StringBuilder("*" + arguments.length + "\r\n");
        for (String argument : arguments) {
            text.append('$')
                    .append(argument.length())
                    .append("\r\n")
                    .append(argument)
                    .append("\r\n");
        }
        return text.toString();
    }

    /** Returns a request that a decoder has read, with a copy of its bytes. */
    public static Request request(String... arguments) {
        try (RequestDecoder decoder =
                new RequestDecoder(RequestLimits.DEFAULT, Unpooled.buffer().alloc())) {
            decoder.authenticated(true);
            decoder.add(Unpooled.wrappedBuffer(bytes(array(arguments))));
            if (decoder.next() != RequestDecoder.Step.REQUEST) {
                throw new IllegalArgumentException("no request: " + List.of(arguments));
            }
            return decoder.request().copy(Unpooled.buffer().alloc());
        }
    }

    /** Returns the arguments of a request. */
    public static List<String> arguments(Request request) {
        List<String> arguments = new ArrayList<>();
        for (int i = 0; i < request.count(); i++) {
            arguments.add(request.text(i));
        }
        return arguments;
    }

    /** Returns all bytes of a buffer. */
    public static String text(ByteBuf bytes) {
        return bytes.toString(StandardCharsets.ISO_8859_1);
    }
}
