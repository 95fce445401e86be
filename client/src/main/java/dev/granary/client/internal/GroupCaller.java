package dev.granary.client.internal;

import dev.granary.net.FrameException;
import dev.granary.net.message.GroupCalls;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.SlotGroupMessages.OpenSlotGroup;
import dev.granary.net.message.SlotGroupMessages.SlotGroupPlace;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.overlay.SlotGroup;
import dev.granary.resp.Reply;
import dev.granary.resp.RequestWriter;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Has requests of the Redis protocol carried out by the owners of slot groups, as the storage peers do among themselves
 * (message group-call of docs/formats/protocol.md). Thread-safe.
 */
public final class GroupCaller {

    private final BatchContext context;

    /** By the NID of each group, who has it, or is to open it. */
    private final ConcurrentHashMap<Integer, SlotGroupPlace> places = new ConcurrentHashMap<>();

    public GroupCaller(BatchContext context) {
        this.context = context;
    }

    /**
     * A request of the Redis protocol.
     *
     * @param arguments the name of the command is the first one
     */
    public record Request(List<byte[]> arguments) {

        public Request {
            arguments = List.copyOf(arguments);
        }

        /** Returns a request whose arguments are text, with bytes behind them. */
        public static Request of(List<String> texts, byte[]... more) {
            List<byte[]> all = new ArrayList<>();
            texts.forEach(text -> all.add(text.getBytes(StandardCharsets.UTF_8)));
            all.addAll(List.of(more));
            return new Request(all);
        }

        private byte[][] words() {
            return arguments.toArray(byte[][]::new);
        }
    }

    /**
     * Carries out requests for keys of one group, as one call. It is repeated until it was carried out or its deadline
     * is over, also when it may have been carried out already: each request must lead to the same when it is repeated.
     *
     * @param what the call, for messages
     * @param opens whether the group is opened if nobody has it. Otherwise such a call has no reply at all.
     * @return a reply for each request; none when nobody has the group
     */
    public CompletableFuture<List<Reply>> carryOut(
            String what, int group, List<Request> requests, boolean opens, long deadlineNanos) {
        int nid = SlotGroup.nid(group);
        return Retry.run(context.retry(), () -> what, deadlineNanos, timeout -> place(nid, timeout)
                .thenCompose(place -> {
                    if (place.placement() == null && !opens) {
                        places.remove(nid);
                        return CompletableFuture.completedFuture(List.of());
                    }
                    return send(nid, place, requests, timeout);
                }));
    }

    private CompletableFuture<SlotGroupPlace> place(int nid, long timeoutNanos) {
        SlotGroupPlace known = places.get(nid);
        return known != null
                ? CompletableFuture.completedFuture(known)
                : context.directory()
                        .askSuperPeer(
                                nid, MessageType.OPEN_SLOT_GROUP, new OpenSlotGroup(nid, Nid.NONE, 0), timeoutNanos)
                        .thenApply(place -> {
                            places.put(nid, place);
                            return place;
                        });
    }

    private CompletableFuture<List<Reply>> send(
            int nid, SlotGroupPlace place, List<Request> requests, long timeoutNanos) {
        HostAddress address = place.address();
        if (place.nid() == Nid.NONE || address == null) {
            places.remove(nid);
            return CompletableFuture.failedFuture(new Retry.AgainException("no storage peer has slot group "
                    + SlotGroup.of(nid) + " at present, or its address is not known yet"));
        }
        return context.rpc()
                .call(
                        address,
                        place.nid(),
                        MessageType.GROUP_CALL,
                        out -> write(nid, place.placement() == null, requests, out),
                        GroupCaller::read,
                        timeoutNanos)
                .whenComplete((_, failure) -> {
                    if (failure != null || place.placement() == null) {
                        places.remove(nid, place);
                    }
                });
    }

    private static void write(int nid, boolean opens, List<Request> requests, ByteBuf out) {
        int requestBytes = requests.stream()
                .mapToInt(request -> RequestWriter.maxBytes(request.words()))
                .sum();
        out.ensureWritable(GroupCalls.Head.BYTES + requestBytes);
        int flags = opens ? GroupCalls.Head.OPEN : 0;
        new GroupCalls.Head(nid, flags, requests.size(), 0).writeTo(out);
        requests.forEach(request -> RequestWriter.write(out, request.words()));
    }

    static List<Reply> read(ByteBuf in) {
        int outcome = in.readUnsignedByte();
        if (outcome > GroupCalls.NOT_OWNER) {
            throw new FrameException("a reply of a slot group has the outcome " + outcome);
        }
        if (outcome != GroupCalls.DONE) {
            throw new Retry.AgainException(in.toString(StandardCharsets.UTF_8));
        }
        List<Reply> replies = new ArrayList<>();
        while (in.isReadable()) {
            Reply reply = Reply.read(in);
            if (reply == null) {
                throw new FrameException("a reply of a slot group ends too early");
            }
            replies.add(reply);
        }
        return replies;
    }
}
