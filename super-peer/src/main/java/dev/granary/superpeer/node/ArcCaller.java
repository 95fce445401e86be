package dev.granary.superpeer.node;

import dev.granary.env.Steps;
import dev.granary.net.cluster.Inquiry;
import dev.granary.net.cluster.Inquiry.Rules;
import dev.granary.net.cluster.Target;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Ring;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls the super-peer that answers for a NID, which may be this one. Asks the super-peer to which the arc belongs,
 * then the next two if it is silent, and follows their redirects. Runs as tasks of the node's scheduler.
 */
public final class ArcCaller {

    private static final long TIMEOUT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** Asks one after the other, and follows redirects. */
    private static final Rules RULES = Rules.inTurn(TIMEOUT_NANOS, 1);

    private final Node node;
    private final Supplier<@Nullable Ring> ring;
    private final Steps steps;

    public ArcCaller(Node node, Supplier<@Nullable Ring> ring) {
        this.node = node;
        this.ring = ring;
        this.steps = new Steps(node.environment().scheduler(), "arc-calls", TIMEOUT_NANOS);
    }

    /**
     * Calls the super-peer that answers for a NID, and goes on with the reply or the failure, one of which is null.
     */
    public <Q extends Message, R extends Message> void call(
            int nid, MessageType<Q, R> type, Q request, BiConsumer<@Nullable R, @Nullable Throwable> then) {
        Ring current = ring.get();
        if (current == null || current.members().isEmpty()) {
            then.accept(null, new IllegalStateException("there is no ring yet"));
        } else {
            Inquiry.begin(
                    node.calls(),
                    type,
                    request,
                    Target.of(current.holdersOf(nid)),
                    RULES,
                    (from, reply, failure) -> then.accept(reply, failure));
        }
    }

    /**
     * Asks a node at its address for something that changes nothing. A node that does not answer in time is asked again
     * with twice the time, as it may only be busy; one that says "later" likewise.
     *
     * @param tries how often it is asked at most
     */
    public <Q extends Message, R extends Message> void askPatiently(
            HostAddress address,
            int nid,
            MessageType<Q, R> type,
            Q request,
            int tries,
            BiConsumer<@Nullable R, @Nullable Throwable> then) {
        askPatiently(address, nid, type, request, TIMEOUT_NANOS, tries, then);
    }

    private <Q extends Message, R extends Message> void askPatiently(
            HostAddress address,
            int nid,
            MessageType<Q, R> type,
            Q request,
            long timeoutNanos,
            int tries,
            BiConsumer<@Nullable R, @Nullable Throwable> then) {
        long sinceNanos = node.nanoTime();
        node.ask(address, nid, type, request, timeoutNanos, (reply, failure) -> {
            boolean refused = failure instanceof RemoteErrorException remote
                    && remote.code() != ErrorCode.RETRY_LATER
                    && remote.code() != ErrorCode.SHUTTING_DOWN;
            if (reply != null || refused || tries <= 1) {
                then.accept(reply, failure);
                return;
            }
            // A connection that is refused fails at once; the node is given its time all the same.
            long restNanos = Math.max(0, sinceNanos + timeoutNanos - node.nanoTime());
            steps.after(
                    restNanos,
                    () -> askPatiently(address, nid, type, request, 2 * timeoutNanos, tries - 1, then),
                    () -> then.accept(null, failure));
        });
    }

    /** Calls a node at its address. */
    public <Q extends Message, R extends Message> void callNode(
            HostAddress address,
            int nid,
            MessageType<Q, R> type,
            Q request,
            BiConsumer<@Nullable R, @Nullable Throwable> then) {
        node.ask(address, nid, type, request, TIMEOUT_NANOS, then);
    }
}
