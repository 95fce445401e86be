package dev.granary.storage.door.keys;

import dev.granary.overlay.SlotGroup;
import dev.granary.resp.ReplyWriter;
import dev.granary.resp.Request;
import dev.granary.storage.door.reply.ReplyCursor;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Commands about all keys: they are carried out in each slot group, which are not asked at the same moment. */
final class AllKeysCommands {

    private static final int RANDOM_GROUPS = 16;

    private AllKeysCommands() {}

    static void addTo(Map<String, ComposedCommand> commands) {
        commands.put("dbsize", AllKeysCommands::size);
        commands.put("flushall", AllKeysCommands::flush);
        commands.put("flushdb", AllKeysCommands::flush);
        commands.put("keys", AllKeysCommands::keys);
        commands.put("randomkey", AllKeysCommands::random);
    }

    private static void size(Caller caller, Request request) {
        Gather.run(
                caller,
                0,
                SlotGroup.COUNT,
                replies -> {
                    caller.reply()
                            .integer(replies.stream()
                                    .mapToLong(reply -> ReplyCursor.number(reply, reply.readerIndex()))
                                    .sum());
                    caller.done();
                },
                "DBSIZE");
    }

    private static void flush(Caller caller, Request request) {
        if (request.count() > 2 || (request.count() == 2 && !request.is(1, "sync") && !request.is(1, "async"))) {
            caller.reply().error("ERR syntax error");
            caller.done();
            return;
        }
        Gather.run(
                caller,
                0,
                SlotGroup.COUNT,
                replies -> {
                    caller.reply().simple("OK");
                    caller.done();
                },
                "FLUSHALL");
    }

    /**
     * The reply begins with the number of keys, so all of them must be there first: group by group, as long as they are
     * no more than a client may leave unread. Nobody else waits meanwhile.
     */
    private static void keys(Caller caller, Request request) {
        String pattern = request.text(1);
        List<byte[]> words = List.of(Requests.bytes("KEYS"), Requests.bytes(pattern));
        List<Gather.Part> parts = IntStream.range(0, SlotGroup.COUNT)
                .mapToObj(group -> new Gather.Part(group, Requests.of(caller.allocator(), words)))
                .toList();
        Gather.run(caller, parts, replies -> {
            ReplyWriter out = caller.reply();
            out.array(replies.stream()
                    .mapToInt(reply -> (int) ReplyCursor.number(reply, reply.readerIndex()))
                    .sum());
            for (ByteBuf reply : replies) {
                int body = ReplyCursor.body(reply, reply.readerIndex());
                out.out().writeBytes(reply, body, reply.writerIndex() - body);
            }
            caller.done();
        });
    }

    /** Begins at a slot group by chance, and asks some groups at a time until one has a key. */
    private static void random(Caller caller, Request request) {
        int start = new SplittableRandom(caller.door().clock().nanoTime()).nextInt(SlotGroup.COUNT / RANDOM_GROUPS);
        random(caller, start, 0);
    }

    private static void random(Caller caller, int start, int asked) {
        int part = (start + asked) % (SlotGroup.COUNT / RANDOM_GROUPS);
        Gather.run(
                caller,
                part * RANDOM_GROUPS,
                RANDOM_GROUPS,
                replies -> {
                    for (ByteBuf reply : replies) {
                        // Nothing is $-1 or _.
                        if (reply.getByte(reply.readerIndex()) == '$'
                                && ReplyCursor.number(reply, reply.readerIndex()) >= 0) {
                            caller.reply().out().writeBytes(reply);
                            caller.done();
                            return;
                        }
                    }
                    if (asked + 1 == SlotGroup.COUNT / RANDOM_GROUPS) {
                        caller.reply().nothing();
                        caller.done();
                    } else {
                        random(caller, start, asked + 1);
                    }
                },
                "RANDOMKEY");
    }
}
