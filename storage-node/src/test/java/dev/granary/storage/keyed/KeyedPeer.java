package dev.granary.storage.keyed;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.granary.net.message.MessageType;
import dev.granary.overlay.SlotGroup;
import dev.granary.resp.Protocol;
import dev.granary.storage.AnsweringGroups;
import dev.granary.storage.AnsweringSuperPeer;
import dev.granary.storage.NodeFixture;
import dev.granary.storage.RawClient;
import dev.granary.storage.keyed.GroupCall.WatchedKey;
import dev.granary.storage.keyed.GroupReply.Outcome;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A storage peer with keyed data that is asked as its door asks it, and as other storage peers do. All keys have the
 * tag {@code {g}}, so that they are in one slot group.
 */
final class KeyedPeer implements AutoCloseable {

    static final int NID = AnsweringSuperPeer.STORAGE_NID;
    static final int GROUP = SlotGroup.ofKey("{g}".getBytes(UTF_8));
    static final int GROUP_NID = SlotGroup.nid(GROUP);
    static final long MILLI = 1_000_000;
    static final long SECOND = 1_000 * MILLI;

    final NodeFixture node = new NodeFixture();
    final AnsweringSuperPeer superPeer = node.superPeer;
    final AnsweringGroups groups = superPeer.groups;

    /**
     * What became of a call.
     *
     * @param text the replies with spaces in place of the ends of lines, or why there are none
     */
    record Told(Outcome outcome, String text) {

        static Told of(GroupReply reply) {
            ByteBuf replies = reply.replies();
            if (replies == null) {
                return new Told(reply.outcome(), reply.message());
            }
            String text = replies.toString(UTF_8).replace("\r\n", " ").strip();
            replies.release();
            return new Told(reply.outcome(), text);
        }
    }

    static WatchedKey watched(String key, long mark) {
        return new WatchedKey(key.getBytes(UTF_8), mark);
    }

    /** A call of requests whose words are separated by spaces. */
    static GroupCall call(List<WatchedKey> watched, String... requests) {
        return call(GROUP, watched, requests);
    }

    static GroupCall call(int group, List<WatchedKey> watched, String... requests) {
        StringBuilder text = new StringBuilder();
        for (String request : requests) {
            List<String> words = List.of(request.split(" "));
            text.append('*').append(words.size()).append("\r\n");
            words.forEach(word -> text.append('$')
                    .append(word.length())
                    .append("\r\n")
                    .append(word)
                    .append("\r\n"));
        }
        return new GroupCall(
                group, Protocol.RESP2, watched, requests.length, Unpooled.copiedBuffer(text.toString(), UTF_8));
    }

    KeyedPeer ready() {
        node.ready();
        return this;
    }

    KeyedService keyed() {
        return node.node().keyed().orElseThrow();
    }

    CompletableFuture<Told> later(GroupCall call) {
        CompletableFuture<Told> told = new CompletableFuture<>();
        keyed().calls().carryOut(call, reply -> told.complete(Told.of(reply)));
        return told;
    }

    CompletableFuture<Told> later(String... requests) {
        return later(call(List.of(), requests));
    }

    /** Gives calls away together: one for each request, on {@link #GROUP} and those behind it. */
    List<CompletableFuture<Told>> together(String... requests) {
        List<GroupCall> calls = new ArrayList<>();
        List<CompletableFuture<Told>> told = new ArrayList<>();
        for (String request : requests) {
            calls.add(call(GROUP + calls.size(), List.of(), request));
            told.add(new CompletableFuture<>());
        }
        keyed().calls().carryOut(calls, (call, reply) -> {
            if (!told.get(call).complete(Told.of(reply))) {
                throw new AssertionError("call " + call + " has ended twice");
            }
        });
        return told;
    }

    List<Told> await(List<CompletableFuture<Told>> told) {
        return told.stream().map(this::await).toList();
    }

    Told await(CompletableFuture<Told> told) {
        node.advanceUntil(told::isDone);
        return told.join();
    }

    Told tell(GroupCall call) {
        return await(later(call));
    }

    /** Returns what becomes of a call that watches nothing. */
    Told tell(String... requests) {
        return tell(call(List.of(), requests));
    }

    /** Returns the replies of a call that is carried out. */
    String ask(String... requests) {
        Told told = tell(requests);
        if (told.outcome != Outcome.DONE) {
            throw new AssertionError("was not carried out: " + told);
        }
        return told.text;
    }

    /** Sends a call as another storage peer does. */
    GroupCallBytes.Answer forward(RawClient from, boolean open, String... requests) {
        GroupCall call = call(List.of(), requests);
        return from.await(from.send(
                MessageType.GROUP_CALL, out -> GroupCallBytes.write(call, open, out), GroupCallBytes::readReply));
    }

    /** Sends calls together as another storage peer does: one for each request, on {@link #GROUP} and those behind. */
    List<GroupCallBytes.Answer> forwardTogether(RawClient from, String... requests) {
        List<GroupCall> calls = new ArrayList<>();
        for (String request : requests) {
            calls.add(call(GROUP + calls.size(), List.of(), request));
        }
        return forwardTogether(from, calls);
    }

    List<GroupCallBytes.Answer> forwardTogether(RawClient from, List<GroupCall> calls) {
        return from.await(from.send(
                MessageType.GROUP_CALLS,
                out -> GroupCallBytes.writeAll(calls, out),
                in -> GroupCallBytes.readAnswers(in, calls.size())));
    }

    @Override
    public void close() {
        node.close();
        if (!node.failures.isEmpty()) {
            throw new AssertionError(node.failures);
        }
    }
}
