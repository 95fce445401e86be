package dev.granary.superpeer.node;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls the super-peer that answers for a NID, this one among them: the one whose arc it is, when it is silent the next
 * two, and whom one of them names. Runs as tasks of the node's scheduler.
 */
public final class ArcCaller {

    private static final long TIMEOUT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final Node node;
    private final Supplier<@Nullable Ring> ring;

    public ArcCaller(Node node, Supplier<@Nullable Ring> ring) {
        this.node = node;
        this.ring = ring;
    }

    /** Calls, and goes on with the reply or the failure, one of which is null. */
    public <Q extends Message, R extends Message> void call(
            int nid, MessageType<Q, R> type, Q request, BiConsumer<@Nullable R, @Nullable Throwable> then) {
        Ring current = ring.get();
        if (current == null || current.members().isEmpty()) {
            then.accept(null, new IllegalStateException("there is no ring yet"));
        } else {
            callHolder(current.holdersOf(nid), 0, type, request, then);
        }
    }

    /** Calls a node at its address. */
    public <Q extends Message, R extends Message> void callNode(
            HostAddress address,
            int nid,
            MessageType<Q, R> type,
            Q request,
            BiConsumer<@Nullable R, @Nullable Throwable> then) {
        node.ask(address, nid, type, request, TIMEOUT_NANOS, (reply, failure) -> then.accept(reply, unwrap(failure)));
    }

    private <Q extends Message, R extends Message> void callHolder(
            List<RingMember> holders,
            int index,
            MessageType<Q, R> type,
            Q request,
            BiConsumer<@Nullable R, @Nullable Throwable> then) {
        RingMember holder = holders.get(index);
        callNode(holder.address(), holder.nid(), type, request, (reply, failure) -> {
            HostAddress named = redirectOf(failure);
            if (named != null) {
                callNode(named, Nid.NONE, type, request, then);
            } else if (reply == null && isSilent(failure) && index + 1 < holders.size()) {
                callHolder(holders, index + 1, type, request, then);
            } else {
                then.accept(reply, failure);
            }
        });
    }

    private static boolean isSilent(@Nullable Throwable failure) {
        return !(failure instanceof RemoteErrorException remote)
                || remote.code() == ErrorCode.SHUTTING_DOWN
                || remote.code() == ErrorCode.WRONG_NODE;
    }

    private static @Nullable HostAddress redirectOf(@Nullable Throwable failure) {
        return failure instanceof RemoteErrorException remote && remote.code() == ErrorCode.REDIRECT
                ? remote.reply().redirect()
                : null;
    }

    private static @Nullable Throwable unwrap(@Nullable Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }
}
