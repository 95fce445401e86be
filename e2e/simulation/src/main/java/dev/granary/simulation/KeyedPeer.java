package dev.granary.simulation;

import dev.granary.overlay.SlotGroup;
import dev.granary.resp.Protocol;
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

/** Sends commands on keys to a storage peer, as its door does for a client of the Redis protocol. */
final class KeyedPeer {

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
        machine.execute(() -> calls.get().carryOut(call, reply -> answer.complete(read(reply))));
        return answer;
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
