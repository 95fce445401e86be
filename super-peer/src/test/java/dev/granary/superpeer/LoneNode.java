package dev.granary.superpeer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.Transport;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NodeRole;
import dev.granary.net.rpc.RequestHandler;
import dev.granary.net.rpc.RequestTable;
import dev.granary.net.rpc.RpcClient;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.net.rpc.RpcServer;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.process.NodeIdentity;
import dev.granary.superpeer.node.Node;
import dev.granary.superpeer.node.SuperPeerConfig;
import dev.granary.superpeer.node.SuperPeerMetrics;
import dev.granary.testkit.Callers;
import dev.granary.testkit.SimulatedNode;
import dev.granary.testkit.Simulation;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The node of a super-peer without its parts, and nodes beside it that answer as a test wants. */
public final class LoneNode {

    public static final int NID = 0x0001;
    public static final UUID CLUSTER = new UUID(1, 1);
    private static final int PORT = 7400;
    private static final String NAME = "s0";
    private static final long CALL_NANOS = TimeUnit.MINUTES.toNanos(1);

    public final Simulation simulation = new Simulation(1);

    /** The reasons for which the process was to end. */
    public final List<String> failures = new ArrayList<>();

    private final SuperPeerConfig config;
    private final boolean belongs;
    private CollectorRegistry registry = new CollectorRegistry();
    private @Nullable Node node;
    private SimulatedNode.@Nullable World world;
    private @Nullable RequestTable services;
    private @Nullable Callers client;

    public LoneNode() {
        this(SimulatedRing.config(NAME));
    }

    /** @param config of a super-peer of the name s0 */
    public LoneNode(SuperPeerConfig config) {
        this(config, true);
    }

    private LoneNode(SuperPeerConfig config, boolean belongs) {
        this.config = config;
        this.belongs = belongs;
        start();
    }

    /** A node that belongs to no cluster and has no NID yet. */
    public static LoneNode withoutCluster(SuperPeerConfig config) {
        return new LoneNode(config, false);
    }

    private void start() {
        machine().start(begun -> {
            RpcIdentity identity = new RpcIdentity(NodeRole.SUPER_PEER, 1);
            if (belongs) {
                identity.joinCluster(CLUSTER);
                identity.takeNid(NID);
            }
            world = begun;
            try {
                node = new Node(
                        config,
                        begun.environment(),
                        NodeIdentity.open(begun.environment()),
                        identity,
                        new RpcClient(
                                begun.transport(),
                                begun.environment().clock(),
                                begun.environment().scheduler(),
                                identity),
                        (reason, cause) -> failures.add(reason),
                        new SuperPeerMetrics(registry));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        assertThat(simulation.runUntil(() -> node != null, 1_000_000)).isTrue();
    }

    /** Starts another process on the same disk. */
    public void restart() {
        machine().kill();
        node = null;
        services = null;
        if (client != null) {
            // It would find out with the next request that its connection is one to the former process.
            simulation.node("client").kill();
            client = null;
        }
        registry = new CollectorRegistry();
        start();
    }

    public SimulatedNode machine() {
        return simulation.node(NAME);
    }

    public Node node() {
        return Objects.requireNonNull(node);
    }

    public Transport transport() {
        return Objects.requireNonNull(world).transport();
    }

    /** Runs something as a task of the node's scheduler. */
    public void run(Runnable task) {
        AtomicBoolean done = new AtomicBoolean();
        Objects.requireNonNull(world).environment().scheduler().execute(() -> {
            task.run();
            done.set(true);
        });
        assertThat(simulation.runUntil(done::get, TimeUnit.MINUTES.toNanos(10))).isTrue();
    }

    /** Has a service of the node answer requests of a type, as tasks of the node's scheduler. */
    public <Q extends Message, R extends Message> void answer(
            MessageType<Q, R> type, BiConsumer<RpcRequest, Q> service) {
        SimulatedNode.World present = Objects.requireNonNull(world);
        RequestTable table = services;
        if (table == null) {
            RequestTable made = new RequestTable("a super-peer by itself");
            run(() -> {
                var _ = present.transport()
                        .listen(new HostAddress("0.0.0.0", PORT), new RpcServer(node().rpcIdentity(), made));
            });
            services = made;
            table = made;
        }
        table.addTask(type, present.environment().scheduler(), service);
    }

    /** Asks a service of the node as a client does; the answer comes while the simulation runs. */
    public <Q extends Message, R extends Message> CompletableFuture<R> ask(MessageType<Q, R> type, Q request) {
        if (client == null) {
            simulation.node("client").start(begun -> client = new Callers(begun));
            assertThat(simulation.runUntil(() -> client != null, 1_000_000)).isTrue();
        }
        return Objects.requireNonNull(client).call(address(NAME), 0, type, request, CALL_NANOS);
    }

    /** The answer to a client. */
    public <Q extends Message, R extends Message> R reply(MessageType<Q, R> type, Q request) {
        return ended(ask(type, request)).join();
    }

    /** Why a client is refused. */
    public <Q extends Message, R extends Message> ErrorReply refusal(MessageType<Q, R> type, Q request) {
        return SimulatedRing.errorOf(ended(ask(type, request)));
    }

    private <T> CompletableFuture<T> ended(CompletableFuture<T> future) {
        assertThat(simulation.runUntil(future::isDone, 2 * CALL_NANOS)).isTrue();
        return future;
    }

    public void runFor(long nanos) {
        simulation.runFor(nanos);
    }

    public double metric(String sample) {
        return registry.getSampleValue(sample);
    }

    /** Starts a node on a machine of its own, which answers requests as given. */
    public HostAddress serve(String name, int nid, Answers answers) {
        boolean[] listening = {false};
        simulation.node(name).start(begun -> {
            boolean superPeer = Nid.role(nid) == dev.granary.overlay.NodeRole.SUPER_PEER;
            RpcIdentity identity = new RpcIdentity(superPeer ? NodeRole.SUPER_PEER : NodeRole.STORAGE_PEER, 2);
            identity.joinCluster(CLUSTER);
            identity.takeNid(nid);
            var _ = begun.transport().listen(new HostAddress("0.0.0.0", PORT), new RpcServer(identity, answers));
            listening[0] = true;
        });
        assertThat(simulation.runUntil(() -> listening[0], 1_000_000)).isTrue();
        return address(name);
    }

    public static HostAddress address(String name) {
        return new HostAddress(name, PORT);
    }

    /** The answers of a node by type; it does not answer when an answer is null, and no type without an answer. */
    public static final class Answers implements RequestHandler {

        private final Map<Integer, RequestHandler> handlers = new TreeMap<>();

        /** The types of the requests, in order. */
        public final List<Integer> asked = new ArrayList<>();

        public <Q extends Message, R extends Message> Answers to(
                MessageType<Q, R> type, Function<Q, @Nullable R> answer) {
            handlers.put(type.code(), request -> {
                R reply = answer.apply(request.read(type));
                if (reply != null) {
                    request.reply(reply);
                }
            });
            return this;
        }

        public Answers refuse(MessageType<?, ?> type, ErrorCode code, String message) {
            return refuse(type, ErrorReply.of(code, message));
        }

        public Answers refuse(MessageType<?, ?> type, ErrorReply reply) {
            handlers.put(type.code(), request -> request.fail(reply));
            return this;
        }

        public int count(MessageType<?, ?> type) {
            return (int) asked.stream().filter(code -> code == type.code()).count();
        }

        @Override
        public void handle(RpcRequest request) {
            asked.add(request.type());
            RequestHandler handler = handlers.get(request.type());
            if (handler != null) {
                handler.handle(request);
            }
        }
    }
}
