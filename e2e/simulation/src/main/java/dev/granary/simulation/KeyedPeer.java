package dev.granary.simulation;

import dev.granary.overlay.SlotGroup;
import dev.granary.resp.Protocol;
import dev.granary.resp.ReplyWriter;
import dev.granary.resp.RequestDecoder;
import dev.granary.resp.RequestLimits;
import dev.granary.resp.command.Command;
import dev.granary.resp.command.CommandTable;
import dev.granary.storage.keyed.GroupCall;
import dev.granary.storage.keyed.GroupReply;
import dev.granary.storage.keyed.GroupReply.Outcome;
import dev.granary.storage.keyed.KeyedCalls;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Sends commands on keys to a storage peer, as its door does for a client of the Redis protocol. */
final class KeyedPeer {

    private static final CommandTable TABLE = CommandTable.redis();

    private final StorageMachine machine;

    KeyedPeer(StorageMachine machine) {
        this.machine = machine;
    }

    /**
     * What became of a command.
     *
     * @param text the replies as RESP2 has them, or the message of another outcome
     */
    record Answer(Outcome outcome, String text) {

        boolean isDone() {
            return outcome == Outcome.DONE;
        }
    }

    /**
     * Carries out a command whose first argument is its key. The answer never comes if the peer dies before; it is
     * {@link Outcome#REFUSED} at once when the peer is down.
     */
    CompletableFuture<Answer> send(String... command) {
        return send(List.of(), List.of(List.of(command)));
    }

    /** The same for commands that are carried out as one, and only if no watched key has changed. */
    CompletableFuture<Answer> send(List<GroupCall.WatchedKey> watched, List<List<String>> commands) {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        Optional<KeyedCalls> calls = machine.keyed();
        if (calls.isEmpty() || !machine.node().isRunning()) {
            answer.complete(new Answer(Outcome.REFUSED, machine.name() + " is down"));
            return answer;
        }
        int group = SlotGroup.ofKey(commands.getFirst().get(1).getBytes(StandardCharsets.UTF_8));
        GroupCall call = new GroupCall(group, Protocol.RESP2, watched, commands.size(), requests(commands));
        // As a task of the process, which may stand still.
        machine.execute(() -> carryOut(calls.get(), call, answer));
        return answer;
    }

    private static void carryOut(KeyedCalls calls, GroupCall call, CompletableFuture<Answer> answer) {
        Answer atOnce = call.count() == 1 && call.watched().isEmpty() ? tryAtOnce(calls, call) : null;
        if (atOnce == null) {
            calls.carryOut(call, reply -> answer.complete(read(reply)));
        } else {
            call.requests().release();
            answer.complete(atOnce);
        }
    }

    /** Has a call of one request carried out at once, as a door tries first; null if that cannot be. */
    private static @Nullable Answer tryAtOnce(KeyedCalls calls, GroupCall call) {
        ByteBuf out = Unpooled.buffer();
        try (RequestDecoder decoder = new RequestDecoder(RequestLimits.DEFAULT, out.alloc())) {
            decoder.authenticated(true);
            decoder.add(call.requests().retainedDuplicate());
            decoder.next();
            Command command = TABLE.find(decoder.request());
            if (command == null || command.name().equals("watch")) {
                return null;
            }
            ReplyWriter reply = new ReplyWriter(out, call.protocol());
            return switch (calls.tryAtOnce(call.group(), command, decoder.request(), reply)) {
                case ANSWERED -> new Answer(Outcome.DONE, out.toString(StandardCharsets.ISO_8859_1));
                case UNKNOWN -> new Answer(Outcome.UNKNOWN, "the change may be lost");
                case NOT_DONE -> null;
            };
        } finally {
            out.release();
        }
    }

    private static ByteBuf requests(List<List<String>> commands) {
        StringBuilder text = new StringBuilder();
        for (List<String> command : commands) {
            text.append('*').append(command.size()).append("\r\n");
            for (String argument : command) {
                text.append('$')
                        .append(argument.length())
                        .append("\r\n")
                        .append(argument)
                        .append("\r\n");
            }
        }
        return Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1);
    }

    private static Answer read(GroupReply reply) {
        ByteBuf replies = reply.replies();
        if (replies == null) {
            return new Answer(reply.outcome(), reply.message());
        }
        try {
            return new Answer(reply.outcome(), replies.toString(StandardCharsets.ISO_8859_1));
        } finally {
            replies.release();
        }
    }
}
