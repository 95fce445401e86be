package dev.granary.storage.door.keys;

import dev.granary.overlay.SlotGroup;
import dev.granary.resp.Request;
import dev.granary.storage.door.reply.ReplyCursor;
import dev.granary.storage.keyed.GroupReply;
import dev.granary.storage.keyed.GroupReply.Outcome;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * {@code SCAN} goes through the slot groups one after the other. Its cursor says where it is:
 *
 * <pre>
 *   63    56 55                                8 7           0
 *  +--------+-----------------------------------+-------------+
 *  | 0      | cursor within the group (48 bits) | group (8)   |     0: from the start, or at the end
 *  +--------+-----------------------------------+-------------+
 * </pre>
 *
 * <p>A group that has few keys does not fill a reply: the next ones are asked as well, within limits.
 */
final class ScanCommand {

    private static final long CURSOR_END = 1L << 56;

    private static final int USUAL_COUNT = 10;

    /** Clusters with few keys have many empty groups; nobody should have to ask 256 times for them. */
    private static final int MOST_GROUPS = 64;

    private final Caller caller;
    private final List<byte[]> options;
    private final long count;
    private final List<ByteBuf> replies = new ArrayList<>();
    private long found;
    private int groups;

    private ScanCommand(Caller caller, List<byte[]> options, long count) {
        this.caller = caller;
        this.options = options;
        this.count = count;
    }

    static void addTo(Map<String, ComposedCommand> commands) {
        commands.put("scan", ScanCommand::run);
    }

    private static void run(Caller caller, Request request) {
        long cursor = request.number(1, -1);
        if (cursor < 0 || cursor >= CURSOR_END) {
            caller.reply().error("ERR invalid cursor");
            caller.done();
            return;
        }
        long count = USUAL_COUNT;
        List<byte[]> options = new ArrayList<>();
        for (int i = 2; i < request.count(); i++) {
            options.add(KeyPlaces.key(request, i));
            if (i % 2 == 0 && request.is(i, "count") && i + 1 < request.count()) {
                count = request.number(i + 1, USUAL_COUNT);
            }
        }
        new ScanCommand(caller, options, count).step((int) (cursor % SlotGroup.COUNT), cursor / SlotGroup.COUNT);
    }

    private void step(int group, long inner) {
        List<byte[]> words = new ArrayList<>();
        words.add(Requests.bytes("SCAN"));
        words.add(Requests.bytes(Long.toString(inner)));
        words.addAll(options);
        groups++;
        caller.call(group, List.of(), 1, Requests.of(caller.allocator(), words), reply -> took(group, reply));
    }

    private void took(int group, GroupReply reply) {
        ByteBuf content = reply.replies();
        if (reply.outcome() != Outcome.DONE || content == null) {
            caller.reply().error(Refusals.text(reply, group, caller.door().owners()));
            finish();
            return;
        }
        replies.add(content);
        if (ReplyCursor.isError(content, content.readerIndex())) {
            caller.reply().out().writeBytes(content);
            finish();
            return;
        }
        int cursorAt = ReplyCursor.body(content, content.readerIndex());
        long inner = ReplyCursor.bulkNumber(content, cursorAt);
        found += ReplyCursor.number(content, ReplyCursor.end(content, cursorAt));
        boolean groupEnds = inner == 0;
        boolean end = groupEnds && group == SlotGroup.COUNT - 1;
        if (groupEnds && !end && found < count && groups < MOST_GROUPS) {
            step(group + 1, 0);
            return;
        }
        answer(end ? 0 : groupEnds ? group + 1L : inner * SlotGroup.COUNT + group);
        finish();
    }

    private void answer(long cursor) {
        caller.reply().array(2);
        caller.reply().bulk(Long.toString(cursor).getBytes(StandardCharsets.US_ASCII));
        caller.reply().array(Math.toIntExact(found));
        for (ByteBuf reply : replies) {
            int keys = ReplyCursor.end(reply, ReplyCursor.body(reply, reply.readerIndex()));
            int body = ReplyCursor.body(reply, keys);
            caller.reply().out().writeBytes(reply, body, reply.writerIndex() - body);
        }
    }

    private void finish() {
        replies.forEach(ByteBuf::release);
        caller.done();
    }
}
