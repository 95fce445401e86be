package dev.granary.superpeer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.StatusText;
import dev.granary.net.rpc.ConnectionLostException;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.overlay.HostAddress;
import dev.granary.superpeer.node.Async;
import dev.granary.superpeer.node.SuperPeerConfig;
import dev.granary.superpeer.node.SuperPeerMemory;
import dev.granary.superpeer.node.SuperPeerMetrics;
import dev.granary.testkit.Callers;
import dev.granary.testkit.SimulatedNode;
import dev.granary.testkit.Simulation;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Super-peers on simulated machines, and a client that calls them. */
public final class SimulatedRing {

    public static final long LEASE_NANOS = TimeUnit.SECONDS.toNanos(10);
    public static final long LID_BLOCK = 1000;
    private static final int PORT = 7400;
    private static final int MAX_ATTEMPTS = 5;
    private static final long CALL_NANOS = TimeUnit.SECONDS.toNanos(3);

    public final Simulation simulation;
    private final Map<String, SuperPeer> running = new HashMap<>();
    private final Map<String, CollectorRegistry> metrics = new HashMap<>();
    private final List<String> failures = new ArrayList<>();
    private @Nullable Callers client;

    public SimulatedRing() {
        this(new Random().nextLong());
    }

    public SimulatedRing(long seed) {
        simulation = new Simulation(seed);
        simulation.node("client").start(world -> client = new Callers(world));
        assertThat(simulation.runUntil(() -> client != null, 1_000_000)).isTrue();
    }

    /** Returns a configuration that joins through the first two names. */
    public static SuperPeerConfig config(String name) {
        return new SuperPeerConfig(
                name,
                new HostAddress("0.0.0.0", PORT),
                name,
                0,
                List.of(address("s0"), address("s1")),
                3,
                false,
                LEASE_NANOS,
                LEASE_NANOS,
                LID_BLOCK,
                0,
                "test");
    }

    /** Returns a configuration that founds a ring of a size. */
    public static SuperPeerConfig founder(String name, int ringSize) {
        return with(config(name), PORT, ringSize, true, LEASE_NANOS);
    }

    public static SuperPeerConfig onPort(SuperPeerConfig config, int port) {
        return with(config, port, config.ringSize(), config.bootstrap(), config.leaseNanos());
    }

    public static SuperPeerConfig withLease(SuperPeerConfig config, long leaseNanos) {
        return with(config, config.listen().port(), config.ringSize(), config.bootstrap(), leaseNanos);
    }

    /** Returns a configuration with this length of leases while the super-peer has few others beside it. */
    public static SuperPeerConfig withAloneLease(SuperPeerConfig config, long aloneLeaseNanos) {
        return new SuperPeerConfig(
                config.name(),
                config.listen(),
                config.advertiseHost(),
                config.advertisePort(),
                config.seeds(),
                config.ringSize(),
                config.bootstrap(),
                config.leaseNanos(),
                aloneLeaseNanos,
                config.lidBlock(),
                config.backups(),
                config.version());
    }

    public static SuperPeerConfig withSeeds(SuperPeerConfig config, List<HostAddress> seeds) {
        return new SuperPeerConfig(
                config.name(),
                config.listen(),
                config.advertiseHost(),
                config.advertisePort(),
                seeds,
                config.ringSize(),
                config.bootstrap(),
                config.leaseNanos(),
                config.aloneLeaseNanos(),
                config.lidBlock(),
                config.backups(),
                config.version());
    }

    public static SuperPeerConfig withBackups(SuperPeerConfig config, int backups) {
        return new SuperPeerConfig(
                config.name(),
                config.listen(),
                config.advertiseHost(),
                config.advertisePort(),
                config.seeds(),
                config.ringSize(),
                config.bootstrap(),
                config.leaseNanos(),
                config.aloneLeaseNanos(),
                config.lidBlock(),
                backups,
                config.version());
    }

    /** Returns a configuration whose parts may take what a process with that memory gives them. */
    public static SuperPeerConfig withMemory(SuperPeerConfig config, SuperPeerMemory memory) {
        return new SuperPeerConfig(
                config.name(),
                config.listen(),
                config.advertiseHost(),
                config.advertisePort(),
                config.seeds(),
                config.ringSize(),
                config.bootstrap(),
                config.leaseNanos(),
                config.aloneLeaseNanos(),
                config.lidBlock(),
                config.backups(),
                config.version(),
                memory,
                config.ports(),
                config.secret());
    }

    private static SuperPeerConfig with(
            SuperPeerConfig config, int port, int ringSize, boolean bootstrap, long leaseNanos) {
        return new SuperPeerConfig(
                config.name(),
                new HostAddress("0.0.0.0", port),
                config.advertiseHost(),
                0,
                config.seeds(),
                ringSize,
                bootstrap,
                leaseNanos,
                leaseNanos,
                config.lidBlock(),
                config.backups(),
                config.version());
    }

    public static HostAddress address(String name) {
        return new HostAddress(name, PORT);
    }

    /** Starts the process of a super-peer. */
    public void start(SuperPeerConfig config) {
        node(config.name()).start(program(config));
    }

    SimulatedNode.Program program(SuperPeerConfig config) {
        return world -> {
            try {
                CollectorRegistry registry = new CollectorRegistry();
                SuperPeer superPeer = SuperPeer.open(
                        config,
                        world.environment(),
                        world.transport(),
                        (reason, cause) -> failures.add(config.name() + ": " + reason),
                        new SuperPeerMetrics(registry));
                Async.whenDone(superPeer.start(new HostAddress(config.name(), 7401)), (bound, failure) -> {
                    if (failure != null) {
                        failures.add(config.name() + ": " + failure);
                    }
                });
                running.put(config.name(), superPeer);
                metrics.put(config.name(), registry);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
    }

    /** Starts a complete ring of {@code size} super-peers: s0 leads, the others follow. */
    public void startRing(int size) {
        start(founder("s0", size));
        for (int i = 1; i < size; i++) {
            start(config("s" + i));
        }
        for (int i = 0; i < size; i++) {
            awaitReady("s" + i);
        }
    }

    public void awaitReady(String name) {
        boolean ready = simulation.runUntil(() -> isReady(name), TimeUnit.SECONDS.toNanos(60));
        assertThat(ready).as("%s: %s, failures %s", this, name, failures).isTrue();
    }

    public boolean isReady(String name) {
        SuperPeer superPeer = running.get(name);
        return superPeer != null && superPeer.notReadyReason().isEmpty();
    }

    public SuperPeer superPeer(String name) {
        return Objects.requireNonNull(running.get(name));
    }

    /** Returns everything that a super-peer shows. */
    CollectorRegistry registry(String name) {
        return Objects.requireNonNull(metrics.get(name));
    }

    public double metric(String name, String sample) {
        return Objects.requireNonNull(metrics.get(name)).getSampleValue(sample);
    }

    /** Returns a sample with one label. */
    double metric(String name, String sample, String label, String value) {
        return Objects.requireNonNull(metrics.get(name))
                .getSampleValue(sample, new String[] {label}, new String[] {value});
    }

    /** Returns how many bytes of a share of its memory plan a super-peer shows as used. */
    public long usedBytes(String name, String share) {
        String area = share.endsWith("-frames") ? "direct" : "heap";
        return Objects.requireNonNull(metrics.get(name))
                .getSampleValue(
                        "granary_memory_plan_used_bytes", new String[] {"area", "share"}, new String[] {area, share})
                .longValue();
    }

    public SimulatedNode node(String name) {
        return simulation.node(name);
    }

    /** Returns the reasons for which super-peers could not go on. */
    public List<String> failures() {
        return failures;
    }

    public void runFor(long nanos) {
        simulation.runFor(nanos);
    }

    /** Sends a request, and sends it again when the connection turns out to be to an earlier process. */
    <Q extends Message, R extends Message> CompletableFuture<R> send(
            HostAddress to, MessageType<Q, R> type, Q request) {
        CompletableFuture<R> reply;
        int attempts = 0;
        do {
            reply = Objects.requireNonNull(client).call(to, 0, type, request, CALL_NANOS);
            simulation.runUntil(reply::isDone, 2 * CALL_NANOS);
            assertThat(reply).as("%s: %s", this, request).isDone();
            attempts++;
        } while (attempts < MAX_ATTEMPTS
                && reply.isCompletedExceptionally()
                && reply.exceptionNow() instanceof ConnectionLostException);
        return reply;
    }

    /** Sends a request and ignores the answer. */
    <Q extends Message, R extends Message> void tell(String to, MessageType<Q, R> type, Q request) {
        begin(to, type, request).isDone();
    }

    /** Sends a request; the answer comes while the simulation runs. */
    <Q extends Message, R extends Message> CompletableFuture<R> begin(String to, MessageType<Q, R> type, Q request) {
        return Objects.requireNonNull(client).call(address(to), 0, type, request, CALL_NANOS);
    }

    /** Returns the refusal that ended a request. */
    public static ErrorReply errorOf(CompletableFuture<?> reply) {
        Throwable failure = reply.exceptionNow();
        assertThat(failure).isInstanceOf(RemoteErrorException.class);
        return ((RemoteErrorException) failure).reply();
    }

    /** Sends a request and expects a reply. */
    public <Q extends Message, R extends Message> R call(String to, MessageType<Q, R> type, Q request) {
        try {
            return send(address(to), type, request).join();
        } catch (CompletionException e) {
            throw new AssertionError(this + ": " + request + " failed: " + e.getCause(), e);
        }
    }

    /** Sends a request and expects a refusal. */
    public <Q extends Message, R extends Message> ErrorReply refusal(String to, MessageType<Q, R> type, Q request) {
        return refusal(address(to), type, request);
    }

    public <Q extends Message, R extends Message> ErrorReply refusal(
            HostAddress to, MessageType<Q, R> type, Q request) {
        CompletableFuture<R> reply = send(to, type, request);
        assertThat(reply).as("%s: %s", this, request).isCompletedExceptionally();
        Throwable failure = reply.exceptionNow();
        assertThat(failure).as("%s: %s", this, request).isInstanceOf(RemoteErrorException.class);
        return ((RemoteErrorException) failure).reply();
    }

    /** Sends requests at one moment and waits until all have ended. */
    public <Q extends Message, R extends Message> List<CompletableFuture<R>> sendTogether(
            String to, MessageType<Q, R> type, List<Q> requests) {
        List<CompletableFuture<R>> replies = new ArrayList<>();
        for (Q request : requests) {
            replies.add(Objects.requireNonNull(client).call(address(to), 0, type, request, CALL_NANOS));
        }
        boolean ended = simulation.runUntil(() -> replies.stream().allMatch(CompletableFuture::isDone), 2 * CALL_NANOS);
        assertThat(ended).as("%s: %s", this, requests).isTrue();
        return replies;
    }

    public String status(String of) {
        StatusText text = call(of, MessageType.CLUSTER_STATUS, new Empty());
        return text.json();
    }

    @Override
    public String toString() {
        return "seed " + simulation.seed();
    }
}
