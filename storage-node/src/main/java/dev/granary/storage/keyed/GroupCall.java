package dev.granary.storage.keyed;

import dev.granary.overlay.SlotGroup;
import dev.granary.resp.Protocol;
import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * Requests for keys of one slot group, which are carried out one after the other with nothing of others between them.
 * Whoever takes the call releases the requests.
 *
 * @param group 0..255
 * @param protocol the version of the replies
 * @param watched keys that must not have changed, or nothing is carried out
 * @param count how many requests there are, at least 1
 * @param requests arrays of bulk strings, one behind the other, as clients send them
 */
public record GroupCall(int group, Protocol protocol, List<WatchedKey> watched, int count, ByteBuf requests) {

    /**
     * A key that must not have changed.
     *
     * @param mark what {@code WATCH} answered for the key
     */
    @SuppressWarnings("ArrayRecordComponent") // It is written and read, never compared.
    public record WatchedKey(byte[] key, long mark) {}

    public GroupCall {
        watched = List.copyOf(watched);
    }

    /** Returns the NID of the slot group. */
    int nid() {
        return SlotGroup.nid(group);
    }
}
