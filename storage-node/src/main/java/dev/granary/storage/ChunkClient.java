package dev.granary.storage;

import dev.granary.client.AsyncGranaryClient;
import dev.granary.client.ClientOptions;
import dev.granary.client.internal.ConnectedClient;
import dev.granary.env.Environment;
import dev.granary.env.ThreadScheduler;
import dev.granary.net.Transport;
import dev.granary.net.access.Credentials;
import dev.granary.overlay.HostAddress;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Java client in a storage peer, for what clients of its door ask about chunks (ADR 0314). It shares the peer's
 * transport and has a thread for its timers, so that nothing of it happens on the thread that renews the lease. It
 * finds the cluster with its first operation: a peer that is asked for no chunks has no connection of it. Thread-safe.
 */
final class ChunkClient implements AutoCloseable {

    /** As long as the door waits for the owner of a key. */
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private static final Logger LOG = LoggerFactory.getLogger(ChunkClient.class);

    private final ThreadScheduler timers;
    private final AsyncGranaryClient client;

    /**
     * A client that has asked nothing.
     *
     * @param transport stays open when this is closed
     * @param credentials of the storage peer: what it asks for is what the users of its door may do
     * @param seeds super-peers to ask first
     */
    ChunkClient(Environment environment, Transport transport, Credentials credentials, List<HostAddress> seeds) {
        this.timers = new ThreadScheduler(
                "door-chunks", failure -> LOG.error("a task of the door's chunk client has failed", failure));
        ClientOptions options = ClientOptions.of(
                        seeds.stream().map(HostAddress::toString).toList())
                .withDeadline(PATIENCE)
                .withBatchDeadline(PATIENCE);
        this.client = new ConnectedClient(
                environment.clock(),
                timers,
                new SplittableRandom(environment.random().nextLong()),
                transport,
                options,
                credentials);
    }

    AsyncGranaryClient client() {
        return client;
    }

    /** Ends what is under way, with failures. */
    @Override
    public void close() {
        client.close();
        timers.close();
    }
}
