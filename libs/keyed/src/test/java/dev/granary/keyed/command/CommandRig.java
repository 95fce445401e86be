package dev.granary.keyed.command;

import dev.granary.keyed.HeapKeyspace;
import dev.granary.keyed.Keyspace;
import dev.granary.keyed.ValueType;
import dev.granary.keyed.hash.HashForm;
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
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.charset.StandardCharsets;

/** Carries out commands, written as lines, on keys on the heap. There is a hash "h" from the beginning. */
final class CommandRig {

    private static final CommandTable TABLE = CommandTable.redis();
    private static final KeyCommands COMMANDS = new KeyCommands();

    /** In 2026: times of tests that are over are over by any clock. */
    private static final long NOW_MILLIS = 1_780_000_000_000L;

    private final Keyspace keys;
    private final Protocol protocol;
    private final ByteBuf out = Unpooled.buffer();

    CommandRig(Protocol protocol) {
        this(protocol, withHash());
    }

    CommandRig(Protocol protocol, Keyspace keys) {
        this.protocol = protocol;
        this.keys = keys;
    }

    private static Keyspace withHash() {
        HeapKeyspace keys = new HeapKeyspace();
        keys.nowMillis(NOW_MILLIS);
        byte[] hash = HashForm.with(
                null, "field".getBytes(StandardCharsets.US_ASCII), "value".getBytes(StandardCharsets.US_ASCII));
        keys.put(new byte[] {'h'}, ValueType.HASH, hash, Long.MAX_VALUE);
        return keys;
    }

    Keyspace keys() {
        return keys;
    }

    /** Returns how many bytes the last command has written. */
    int replyBytes() {
        return out.readableBytes();
    }

    /** Returns the reply to a line as Redis reads it from people. */
    String run(String line) {
        return runBytes(line + "\r\n");
    }

    /** Returns the reply to a request of these arguments, whatever they contain. */
    String run(byte[]... arguments) {
        StringBuilder text = new StringBuilder("*" + arguments.length + "\r\n");
        for (byte[] argument : arguments) {
            text.append('$').append(argument.length).append("\r\n");
            text.append(new String(argument, StandardCharsets.ISO_8859_1)).append("\r\n");
        }
        return runBytes(text.toString());
    }

    private String runBytes(String bytes) {
        try (RequestDecoder decoder = new RequestDecoder(RequestLimits.DEFAULT, UnpooledByteBufAllocator.DEFAULT)) {
            decoder.authenticated(true);
            decoder.add(Unpooled.copiedBuffer(bytes, StandardCharsets.ISO_8859_1));
            if (decoder.next() != RequestDecoder.Step.REQUEST) {
                throw new IllegalArgumentException("no request: " + bytes);
            }
            return reply(decoder.request());
        }
    }

    private String reply(Request request) {
        out.clear();
        ReplyWriter writer = new ReplyWriter(out, protocol);
        Command command = TABLE.find(request);
        if (command == null) {
            throw new IllegalArgumentException(CommandErrors.unknown(TABLE, request));
        }
        if (command.takes(request.count())) {
            COMMANDS.run(new CommandCall(command, request, keys, writer));
        } else {
            writer.error(CommandErrors.wrongArity(command));
        }
        return escaped(out.toString(StandardCharsets.ISO_8859_1));
    }

    private static String escaped(String reply) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < reply.length(); i++) {
            char next = reply.charAt(i);
            switch (next) {
                case '\r' -> text.append("\\r");
                case '\n' -> text.append("\\n");
                case '\\' -> text.append("\\\\");
                default ->
                    text.append(next >= ' ' && next < 0x7f ? String.valueOf(next) : "\\x%02x".formatted((int) next));
            }
        }
        return text.toString();
    }
}
