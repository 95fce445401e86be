package dev.granary.superpeer.node;

import dev.granary.net.cluster.Inquiry;
import dev.granary.net.cluster.Inquiry.Rules;
import dev.granary.net.cluster.Target;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
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

    public ArcCaller(Node node, Supplier<@Nullable Ring> ring) {
        this.node = node;
        this.ring = ring;
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
