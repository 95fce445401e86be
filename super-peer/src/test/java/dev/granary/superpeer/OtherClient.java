package dev.granary.superpeer;

import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.testkit.Callers;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A client on a machine of its own, which may end while it waits. */
public final class OtherClient {

    private static final long CALL_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final SimulatedRing ring;
    private final String host;
    private @Nullable Callers client;

    public OtherClient(SimulatedRing ring, String host) {
        this.ring = ring;
        this.host = host;
        ring.node(host).start(world -> client = new Callers(world));
        ring.simulation.runUntil(() -> client != null, 1_000_000);
    }

    public <Q extends Message, R extends Message> CompletableFuture<R> begin(
            String to, MessageType<Q, R> type, Q request) {
        return Objects.requireNonNull(client).call(SimulatedRing.address(to), 0, type, request, CALL_NANOS);
    }

    /** Sends a request and ignores the answer. */
    public <Q extends Message, R extends Message> void tell(String to, MessageType<Q, R> type, Q request) {
        begin(to, type, request).isDone();
    }

    /** Ends its process, and with it its connections. */
    public void kill() {
        ring.node(host).kill();
    }
}
