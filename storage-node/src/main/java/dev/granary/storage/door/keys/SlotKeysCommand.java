package dev.granary.storage.door.keys;

import dev.granary.overlay.KeySlot;
import dev.granary.overlay.SlotGroup;
import dev.granary.resp.Request;
import dev.granary.storage.door.reply.ReplyCursor;
import dev.granary.storage.keyed.GroupReply;
import dev.granary.storage.keyed.GroupReply.Outcome;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * {@code CLUSTER COUNTKEYSINSLOT} and {@code GETKEYSINSLOT}: a slot group knows its keys and not their slots, so all of
 * them are looked through, some at a time. For people and tests; Redis's own tools move slots with it.
 */
final class SlotKeysCommand {

    private static final String LOOKED_AT = "1000";

    private final Caller caller;
    private final int slot;
    private final long most;
    private final boolean countsOnly;
    private final List<byte[]> keys = new ArrayList<>();
    private long count;

    private SlotKeysCommand(Caller caller, int slot, long most, boolean countsOnly) {
        this.caller = caller;
        this.slot = slot;
        this.most = most;
        this.countsOnly = countsOnly;
    }

    static void addTo(Map<String, ComposedCommand> commands) {
        commands.put("cluster|countkeysinslot", (caller, request) -> run(caller, request, true));
        commands.put("cluster|getkeysinslot", (caller, request) -> run(caller, request, false));
    }

    private static void run(Caller caller, Request request, boolean countsOnly) {
        long slot = request.number(2, -1);
        long most = countsOnly ? Long.MAX_VALUE : request.number(3, -1);
        if (slot < 0 || slot >= KeySlot.COUNT || most < 0) {
            caller.reply().error(countsOnly ? "ERR Invalid slot" : "ERR Invalid slot or number of keys");
            caller.done();
            return;
        }
        new SlotKeysCommand(caller, (int) slot, most, countsOnly).step("0");
    }

    private void step(String cursor) {
        ByteBuf request = Requests.of(caller.allocator(), "SCAN", cursor, "COUNT", LOOKED_AT);
        caller.call(SlotGroup.ofSlot(slot), List.of(), 1, request, this::took);
    }

    private void took(GroupReply reply) {
        ByteBuf content = reply.replies();
        if (reply.outcome() != Outcome.DONE || content == null) {
            caller.reply()
                    .error(Refusals.text(
                            reply, SlotGroup.ofSlot(slot), caller.door().owners()));
            caller.done();
            return;
        }
        long cursor;
        try {
            int at = ReplyCursor.body(content, content.readerIndex());
            cursor = ReplyCursor.bulkNumber(content, at);
            take(content, ReplyCursor.end(content, at));
        } finally {
            content.release();
        }
        if (cursor != 0 && count < most) {
            step(Long.toString(cursor));
        } else {
            answer();
        }
    }

    private void take(ByteBuf content, int array) {
        long elements = ReplyCursor.number(content, array);
        int at = ReplyCursor.body(content, array);
        for (long i = 0; i < elements && count < most; i++) {
            byte[] key = new byte[Math.toIntExact(ReplyCursor.number(content, at))];
            content.getBytes(ReplyCursor.body(content, at), key);
            at = ReplyCursor.end(content, at);
            if (KeySlot.of(key) == slot) {
                count++;
                if (!countsOnly) {
                    keys.add(key);
                }
            }
        }
    }

    private void answer() {
        if (countsOnly) {
            caller.reply().integer(count);
        } else {
            caller.reply().array(keys.size());
            keys.forEach(key -> caller.reply().bulk(key));
        }
        caller.done();
    }
}
