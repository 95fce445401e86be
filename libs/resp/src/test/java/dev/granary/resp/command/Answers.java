package dev.granary.resp.command;

import dev.granary.resp.Protocol;
import dev.granary.resp.ReplyWriter;
import dev.granary.resp.Request;
import dev.granary.resp.Wire;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** What a server with a table of commands answers, before it carries anything out. */
public final class Answers {

    private Answers() {}

    /** Returns the reply to {@code COMMAND}, or the error for a request that is not in order. */
    public static String of(CommandTable table, Protocol protocol, String... arguments) {
        Request request = Wire.request(arguments);
        ByteBuf out = Unpooled.buffer();
        ReplyWriter writer = new ReplyWriter(out, protocol);
        Command command = table.find(request);
        if (command == null) {
            writer.error(CommandErrors.unknown(table, request));
        } else if (!command.takes(request.count())) {
            writer.error(CommandErrors.wrongArity(command));
        } else {
            new CommandReplies(table).answer(request, writer);
        }
        request.release();
        return Wire.text(out);
    }
}
