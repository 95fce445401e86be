package dev.granary.net.message;

import dev.granary.net.FrameException;
import dev.granary.net.message.Samples.Sample;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;

/**
 * One try of fuzzing: bytes are read as one of the messages. They are read or refused, and what was read is written in
 * bytes that are read as the same. {@code e2e/fuzz/run} lets Jazzer make up the bytes.
 */
public final class MessageFuzz {

    private static final List<Sample> SAMPLES = List.copyOf(Samples.all().values());

    private MessageFuzz() {}

    /** Loads what it needs, so that the first input of a fuzzer does not have to wait for that. */
    public static void fuzzerInitialize() {
        seeds().forEach(MessageFuzz::fuzzerTestOneInput);
    }

    /** The first byte says which message it is. */
    public static void fuzzerTestOneInput(byte[] input) {
        boolean _ = isRead(input);
    }

    /** Tries it, and returns whether something was read. */
    static boolean isRead(byte[] input) {
        if (input.length == 0) {
            return false;
        }
        Sample sample = SAMPLES.get((input[0] & 0xff) % SAMPLES.size());
        Message message;
        try {
            message = sample.reader().apply(Unpooled.wrappedBuffer(input, 1, input.length - 1));
        } catch (FrameException refused) {
            return false;
        }
        ByteBuf written = Unpooled.buffer();
        message.writeTo(written);
        Message again = sample.reader().apply(written);
        if (!again.equals(message)) {
            throw new AssertionError(message + " became " + again);
        }
        return true;
    }

    /** Returns inputs with which a fuzzer begins: the golden bytes of each message. */
    public static List<byte[]> seeds() {
        List<byte[]> seeds = new ArrayList<>();
        for (int i = 0; i < SAMPLES.size(); i++) {
            ByteBuf out = Unpooled.buffer().writeByte(i);
            SAMPLES.get(i).message().writeTo(out);
            byte[] bytes = new byte[out.readableBytes()];
            out.readBytes(bytes);
            seeds.add(bytes);
        }
        return seeds;
    }
}
