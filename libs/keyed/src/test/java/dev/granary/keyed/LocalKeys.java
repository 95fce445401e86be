package dev.granary.keyed;

import dev.granary.keyed.command.CommandCall;
import dev.granary.keyed.command.KeyCommands;
import dev.granary.resp.Protocol;
import dev.granary.resp.ReplyWriter;
import dev.granary.resp.Request;
import dev.granary.resp.RequestDecoder;
import dev.granary.resp.RequestLimits;
import dev.granary.resp.command.Command;
import dev.granary.resp.command.CommandErrors;
import dev.granary.resp.command.CommandTable;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;

/** A keyspace on the heap with all commands, which answers requests as a server does. */
public final class LocalKeys {

    public static final CommandTable TABLE = CommandTable.redis();

    private final HeapKeyspace keys = new HeapKeyspace();
    private final KeyCommands commands = new KeyCommands();
    private final Protocol protocol;

    public LocalKeys(Protocol protocol) {
        this.protocol = protocol;
    }

    public HeapKeyspace keys() {
        return keys;
    }

    /** Returns a request as clients send it; each character is one byte. */
    public static byte[] request(String... arguments) {
        StringBuilder text = new StringBuilder("*" + arguments.length + "\r\n");
        for (String argument : arguments) {
            text.append('$').append(argument.length()).append("\r\n");
            text.append(argument).append("\r\n");
        }
        return bytes(text.toString());
    }

    public static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Returns the reply to one request. */
    public String answer(String... arguments) {
        return new String(answerAll(request(arguments)), StandardCharsets.ISO_8859_1);
    }

    /** Returns the reply to words that blanks part, with the ends of its lines as bars. */
    public String lines(String words) {
        return answer(words.split(" ", -1)).replace("\r\n", "|");
    }

    /** Returns the replies to requests that follow one another. */
    public byte[] answerAll(byte[] requests) {
        ByteBuf out = Unpooled.buffer();
        try (RequestDecoder decoder =
                new RequestDecoder(RequestLimits.DEFAULT, Unpooled.buffer().alloc())) {
            decoder.authenticated(true);
            decoder.add(Unpooled.wrappedBuffer(requests));
            ReplyWriter reply = new ReplyWriter(out, protocol);
            while (decoder.next() == RequestDecoder.Step.REQUEST) {
                answer(decoder.request(), reply);
            }
        }
        byte[] bytes = new byte[out.readableBytes()];
        out.readBytes(bytes);
        out.release();
        return bytes;
    }

    private void answer(Request request, ReplyWriter reply) {
        Command command = TABLE.find(request);
        if (command == null) {
            reply.error(CommandErrors.unknown(TABLE, request));
        } else if (!command.takes(request.count())) {
            reply.error(CommandErrors.wrongArity(command));
        } else {
            commands.run(new CommandCall(command, request, keys, reply));
        }
    }

    /** Returns whether a command is one of the module's. */
    public boolean has(String name) {
        return commands.has(name);
    }
}
