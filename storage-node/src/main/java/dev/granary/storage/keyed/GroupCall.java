package dev.granary.storage.keyed;

import dev.granary.net.message.Durability;
import dev.granary.overlay.SlotGroup;
import dev.granary.resp.Protocol;
import io.netty.buffer.ByteBuf;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Requests for keys of one slot group, which are carried out one after the other with nothing of others between them.
 * Whoever takes the call releases the requests.
 *
 * @param group 0..255
 * @param protocol the version of the replies
 * @param watched keys that must not have changed, or nothing is carried out
 * @param count how many requests there are, at least 1
 * @param requests arrays of bulk strings, one behind the other, as clients send them
 * @param durability of the changes; null for what this storage peer is configured to do
 * @param replyBytes a call that changes nothing ends behind the reply that takes its replies to this size;
 *     {@link Integer#MAX_VALUE} if it must not end early
 */
public record GroupCall(
        int group,
        Protocol protocol,
        List<WatchedKey> watched,
        int count,
        ByteBuf requests,
        @Nullable Durability durability,
        int replyBytes) {

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

    /** A call with the configured durability, all of whose requests are carried out. */
    public GroupCall(int group, Protocol protocol, List<WatchedKey> watched, int count, ByteBuf requests) {
        this(group, protocol, watched, count, requests, null, Integer.MAX_VALUE);
    }

    /** Returns this call with a durability, and a size of replies at which it ends. */
    GroupCall with(@Nullable Durability asked, int bytes) {
        return new GroupCall(group, protocol, watched, count, requests, asked, bytes);
    }

    /** Returns this call, which ends earlier if it may end behind a reply. */
    GroupCall within(long bytes) {
        return replyBytes <= bytes || replyBytes == Integer.MAX_VALUE ? this : with(durability, (int) bytes);
    }

    /** Returns the NID of the slot group. */
    int nid() {
        return SlotGroup.nid(group);
    }
}
