package dev.granary.storage.door.keys;

import dev.granary.resp.Request;
import dev.granary.storage.door.reply.ReplyCursor;
import dev.granary.storage.keyed.GroupCall.WatchedKey;
import dev.granary.storage.keyed.GroupReply;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The keys that a connection watches, all of one slot, with the marks that their slot group gave for them. The group
 * compares the marks again when the transaction is carried out. I/O thread only.
 */
final class Watches {

    static final int NO_SLOT = -1;

    private final List<WatchedKey> watched = new ArrayList<>();
    private int slot = NO_SLOT;

    /** Returns the slot of the watched keys, or {@link #NO_SLOT}. */
    int slot() {
        return slot;
    }

    List<WatchedKey> keys() {
        return List.copyOf(watched);
    }

    void clear() {
        watched.clear();
        slot = NO_SLOT;
    }

    /** Carries out {@code WATCH}. */
    void add(Caller caller, Route route, Request request, KeyPlaces places) {
        if (!places.find(route.command(), request)
                || places.slot() == KeyPlaces.SEVERAL
                || (slot != NO_SLOT && slot != places.slot())) {
            caller.reply().error(Refusals.CROSS_SLOT);
            caller.done();
            return;
        }
        List<byte[]> keys = new ArrayList<>();
        for (int i = 1; i < request.count(); i++) {
            byte[] key = KeyPlaces.key(request, i);
            // A key that is watched already keeps its mark: it must not have changed since then.
            if (watched.stream().noneMatch(each -> Arrays.equals(each.key(), key))) {
                keys.add(key);
            }
        }
        if (keys.isEmpty()) {
            caller.reply().simple("OK");
            caller.done();
            return;
        }
        slot = places.slot();
        int group = places.group();
        caller.call(group, List.of(), 1, request(caller, keys), reply -> marked(caller, group, keys, reply));
    }

    /** Returns a request that asks for the marks of keys. */
    static ByteBuf request(Caller caller, List<byte[]> keys) {
        List<byte[]> words = new ArrayList<>();
        words.add(Requests.bytes("WATCH"));
        words.addAll(keys);
        return Requests.of(caller.allocator(), words);
    }

    private void marked(Caller caller, int group, List<byte[]> keys, GroupReply reply) {
        ByteBuf content = reply.replies();
        if (content == null) {
            caller.reply().error(Refusals.text(reply, group, caller.door().owners()));
        } else {
            if (ReplyCursor.isError(content, content.readerIndex())) {
                caller.reply().out().writeBytes(content);
            } else {
                int at = ReplyCursor.body(content, content.readerIndex());
                for (byte[] key : keys) {
                    watched.add(new WatchedKey(key, ReplyCursor.number(content, at)));
                    at = ReplyCursor.end(content, at);
                }
                caller.reply().simple("OK");
            }
            content.release();
        }
        slot = watched.isEmpty() ? NO_SLOT : slot;
        caller.done();
    }
}
