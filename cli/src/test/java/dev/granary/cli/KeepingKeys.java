package dev.granary.cli;

import dev.granary.net.message.GroupCalls;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.SlotGroup;
import dev.granary.resp.RequestWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The keys of a {@link KeepingCluster} by their slot groups, for calls on one group. Thread-safe. */
public final class KeepingKeys {

    /** By the NID of each group that somebody has used. */
    private final Map<Integer, KeptKeys> groups = new TreeMap<>();

    /** Carries out a command whose first argument is a key, and returns the reply. */
    public String command(String... words) {
        byte[][] arguments = Stream.of(words)
                .map(word -> word.getBytes(StandardCharsets.ISO_8859_1))
                .toArray(byte[][]::new);
        ByteBuf request = Unpooled.buffer();
        RequestWriter.write(request, arguments);
        return group(SlotGroup.nid(SlotGroup.ofKey(arguments[1])))
                .answer(request)
                .toString(StandardCharsets.ISO_8859_1);
    }

    private synchronized KeptKeys group(int groupNid) {
        return groups.computeIfAbsent(groupNid, _ -> new KeptKeys());
    }

    /** Whether somebody has used a slot group. */
    synchronized boolean has(int groupNid) {
        return groups.containsKey(groupNid);
    }

    /** Answers a call as the owner of its group. */
    public void carryOut(RpcRequest request) {
        GroupCalls.Head head = GroupCalls.Head.read(request.payload());
        ByteBuf replies = group(head.groupNid()).answer(request.payload().copy());
        request.reply(request.startReply(1 + replies.readableBytes())
                .writeByte(GroupCalls.DONE)
                .writeBytes(replies));
    }
}
