package dev.granary.storage.door.keys;

import dev.granary.resp.Protocol;
import dev.granary.resp.ReplyWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Makes requests for slot groups. */
final class Requests {

    private static final int USUAL_BYTES = 256;

    private Requests() {}

    static ByteBuf of(ByteBufAllocator allocator, List<byte[]> arguments) {
        ByteBuf out = allocator.buffer(USUAL_BYTES);
        ReplyWriter writer = new ReplyWriter(out, Protocol.RESP2);
        writer.array(arguments.size());
        arguments.forEach(writer::bulk);
        return out;
    }

    static ByteBuf of(ByteBufAllocator allocator, String... words) {
        ByteBuf out = allocator.buffer(USUAL_BYTES);
        ReplyWriter writer = new ReplyWriter(out, Protocol.RESP2);
        writer.array(words.length);
        for (String word : words) {
            writer.bulk(word);
        }
        return out;
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
