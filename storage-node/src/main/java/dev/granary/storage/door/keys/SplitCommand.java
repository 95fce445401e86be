package dev.granary.storage.door.keys;

import dev.granary.resp.Protocol;
import dev.granary.resp.ReplyWriter;
import dev.granary.resp.Request;
import dev.granary.storage.door.reply.ReplyCursor;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Commands whose keys may be of any slots: a request is split into one for each slot group, and their replies are put
 * together in the order of the keys. The parts are not carried out at the same moment: each is by itself (ADR 0290).
 */
public enum SplitCommand {
    /** Answers a value for each key. */
    VALUES(1),
    /** Takes a value with each key and answers OK. */
    SET(2),
    /** Answers how many keys there were. */
    COUNT(1);

    private final int argumentsPerKey;

    SplitCommand(int argumentsPerKey) {
        this.argumentsPerKey = argumentsPerKey;
    }

    /** Returns how a command is split; null if it is not. */
    static @Nullable SplitCommand of(String name) {
        return switch (name) {
            case "mget" -> VALUES;
            case "mset" -> SET;
            case "del", "unlink", "exists", "touch" -> COUNT;
            default -> null;
        };
    }

    /** The keys of one slot group, by their numbers among all keys. */
    private record Share(int group, List<Integer> keys) {}

    /** Carries out a request whose keys are in several slot groups. */
    public void run(Caller caller, Request request, KeyPlaces places) {
        if (request.count() != 1 + places.count() * argumentsPerKey) {
            caller.reply().error("ERR wrong number of arguments for 'mset' command");
            caller.done();
            return;
        }
        Map<Integer, Share> byGroup = new TreeMap<>();
        for (int key = 0; key < places.count(); key++) {
            byGroup.computeIfAbsent(places.groupOf(key), group -> new Share(group, new ArrayList<>()))
                    .keys
                    .add(key);
        }
        List<Share> shares = List.copyOf(byGroup.values());
        List<Gather.Part> parts = new ArrayList<>(shares.size());
        for (Share share : shares) {
            parts.add(new Gather.Part(share.group, part(caller, request, places, share.keys)));
        }
        int keys = places.count();
        Gather.run(caller, parts, replies -> {
            join(caller.reply(), keys, shares, replies);
            caller.done();
        });
    }

    private ByteBuf part(Caller caller, Request request, KeyPlaces places, Collection<Integer> keys) {
        ByteBuf out = caller.allocator().buffer();
        ReplyWriter writer = new ReplyWriter(out, Protocol.RESP2);
        writer.array(1 + keys.size() * argumentsPerKey);
        writer.bulk(request.buffer(), request.start(0), request.length(0));
        for (int key : keys) {
            for (int i = 0; i < argumentsPerKey; i++) {
                int argument = places.argument(key) + i;
                writer.bulk(request.buffer(), request.start(argument), request.length(argument));
            }
        }
        return out;
    }

    private void join(ReplyWriter out, int keys, List<Share> shares, List<ByteBuf> replies) {
        switch (this) {
            case SET -> out.simple("OK");
            case COUNT ->
                out.integer(replies.stream()
                        .mapToLong(reply -> ReplyCursor.number(reply, reply.readerIndex()))
                        .sum());
            case VALUES -> joinValues(out, keys, shares, replies);
        }
    }

    private static void joinValues(ReplyWriter out, int keys, List<Share> shares, List<ByteBuf> replies) {
        int[] shareOf = new int[keys];
        int[] starts = new int[keys];
        int[] ends = new int[keys];
        for (int i = 0; i < shares.size(); i++) {
            ByteBuf reply = replies.get(i);
            int at = ReplyCursor.body(reply, reply.readerIndex());
            for (int key : shares.get(i).keys) {
                shareOf[key] = i;
                starts[key] = at;
                at = ReplyCursor.end(reply, at);
                ends[key] = at;
            }
        }
        out.array(keys);
        for (int key = 0; key < keys; key++) {
            out.out().writeBytes(replies.get(shareOf[key]), starts[key], ends[key] - starts[key]);
        }
    }
}
