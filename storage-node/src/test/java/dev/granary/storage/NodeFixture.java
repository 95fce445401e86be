package dev.granary.storage;

import dev.granary.env.Disk;
import dev.granary.env.Environment;
import dev.granary.env.Loops;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.MemoryLayout;
import dev.granary.memory.SystemMemoryConfig;
import dev.granary.memory.paged.ChunkMemories;
import dev.granary.overlay.HostAddress;
import dev.granary.storage.backup.BackupDisk;
import dev.granary.storage.keyed.KeyedLimits;
import dev.granary.storage.migrate.GroupMoves;
import dev.granary.storage.replicate.ReplicationConfig;
import dev.granary.testkit.LinkConditions;
import dev.granary.testkit.SimulatedNode;
import dev.granary.testkit.Simulation;
import io.prometheus.client.CollectorRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One storage peer in the simulator with the real chunk memory, a super-peer that answers the real messages, and a
 * client. {@link #close} closes what it opened, and then verifies the memory.
 */
public final class NodeFixture implements AutoCloseable {

    static final HostAddress SUPER_PEER = new HostAddress("super", 7400);
    static final long MEMORY_BYTES = 4 << 20;
    static final long LATENCY_NANOS = 5_000_000;

    private static final long LIMIT_NANOS = 60_000_000_000L;

    public final Simulation world;
    final SimulatedNode machine;
    public final AnsweringSuperPeer superPeer;
    public final List<String> failures = new ArrayList<>();
    final List<@Nullable Throwable> causes = new ArrayList<>();

    /** Runs after each batch get, single create and replace, before the reply. */
    Runnable afterMemoryAccess = () -> {};

    /** Runs after each batch delete. */
    Runnable afterDeletes = () -> {};

    /** Runs before each insert. */
    Runnable beforeInserts = () -> {};

    /** Learns of slot groups that leave. */
    GroupMoves moves = GroupMoves.NOBODY;

    ReplicationConfig replication = ReplicationConfig.defaults();

    /** What keys may take, in all lives. */
    public final KeyedLimits keyed = KeyedLimits.none();

    /** Replaces the peer's disk. */
    UnaryOperator<Disk> disk = UnaryOperator.identity();

    /** Returns who does the work that waits for the disk, given the peer's scheduler. */
    UnaryOperator<Executor> diskWorker = UnaryOperator.identity();

    private final List<HostAddress> seeds;
    private @Nullable Life life;
    private boolean stopped;

    /** One life of the peer's process. */
    static final class Life {
        final CollectorRegistry registry = new CollectorRegistry();
        final SimulatedNode.World world;

        @Nullable
        ScarceTransport transport;

        @Nullable
        StorageNode node;

        @Nullable
        ChunkMemory memory;

        @Nullable
        HostAddress address;

        Life(SimulatedNode.World world) {
            this.world = world;
        }
    }

    public NodeFixture() {
        this(List.of(SUPER_PEER));
    }

    NodeFixture(List<HostAddress> seeds) {
        this.seeds = seeds;
        world = new Simulation(20_261_121);
        world.network().setConditions(new LinkConditions(LATENCY_NANOS, LATENCY_NANOS + 1, 0, 0, 0));
        superPeer = new AnsweringSuperPeer(world);
        machine = world.node("peer");
    }

    /** Starts the peer's process, without waiting for a lease. */
    NodeFixture start() {
        life = null;
        machine.start(this::run);
        advanceUntil(() -> life != null && life.address != null);
        return this;
    }

    private void run(SimulatedNode.World started) {
        Life begun = new Life(started);
        StorageNodeConfig config = new StorageNodeConfig(
                        "peer",
                        new HostAddress("0.0.0.0", 0),
                        "peer",
                        0,
                        seeds,
                        MEMORY_BYTES,
                        MemoryLayout.TYPED,
                        SystemMemoryConfig.defaults().withHugePages(false),
                        replication)
                .withKeyed(keyed);
        Environment own = started.environment();
        Environment environment = new Environment(own.clock(), own.scheduler(), own.random(), disk.apply(own.disk()));
        BackupDisk logs = BackupDisk.of(own, started.diskThread());
        begun.transport = new ScarceTransport(started.transport());
        begun.node = new StorageNode(
                environment,
                begun.transport,
                config,
                memoryConfig -> {
                    ChunkMemory opened = ChunkMemories.open(memoryConfig);
                    begun.memory = opened;
                    return InterruptedMemory.of(
                            opened, () -> beforeInserts.run(), () -> afterMemoryAccess.run(), () -> afterDeletes.run());
                },
                (reason, cause) -> {
                    failures.add(reason);
                    causes.add(cause);
                },
                begun.registry,
                new BackupDisk(logs.disk(), logs.writer(), diskWorker.apply(logs.readers())));
        life = begun;
        begun.node.tellMovesTo(moves);
        var _ = begun.node
                .start(new HostAddress("peer", 7501))
                .thenAccept(bound -> begun.address = new HostAddress("peer", bound.port()));
    }

    /** Starts the peer's process and waits until it serves. */
    public NodeFixture ready() {
        if (life == null) {
            start();
        }
        advanceUntil(() -> node().notReadyReason().isEmpty());
        return this;
    }

    /** Kills the process and starts another one with the same disk. */
    NodeFixture killAndStart() {
        machine.kill();
        release();
        return start();
    }

    /** Call it when the test has stopped the process by itself. */
    void stopped() {
        stopped = true;
    }

    /** Stops the process in the orderly way. */
    void stop() {
        stopped();
        var stop = node().stop();
        advanceUntil(stop::isDone);
        stop.join();
    }

    public RawClient client() {
        return new RawClient(this, "client", new HostAddress("peer", address().port()));
    }

    /** Returns another client, on a machine of its own. */
    RawClient otherClient() {
        return new RawClient(
                this, "other-client", new HostAddress("peer", address().port()));
    }

    public StorageNode node() {
        return present(life().node);
    }

    /** Returns the transport from which the node takes its buffers. */
    ScarceTransport transport() {
        return present(life().transport);
    }

    public ChunkMemory memory() {
        return present(life().memory);
    }

    private HostAddress address() {
        return present(life().address);
    }

    private Life life() {
        return present(life);
    }

    private static <T> T present(@Nullable T value) {
        if (value == null) {
            throw new AssertionError("not there yet");
        }
        return value;
    }

    /** Lets the process stand still, in the middle of what it does now, until its lease is over. */
    void standStillForALease() {
        machine.pauseAfterClockReads(1, superPeer.leaseNanos);
        life().world.environment().clock().nanoTime();
    }

    /** Lets the process stand still, in the middle of what it does now. */
    void standStill(long nanos) {
        machine.pauseAfterClockReads(1, nanos);
        life().world.environment().clock().nanoTime();
    }

    void cutSuperPeer() {
        world.network().cutBoth("super", "peer");
    }

    public void advance(long nanos) {
        world.runFor(nanos);
    }

    public void advanceUntil(BooleanSupplier condition) {
        if (!world.runUntil(condition, LIMIT_NANOS)) {
            throw new AssertionError("does not come true: " + world.lastEvents());
        }
    }

    CollectorRegistry registry() {
        return life().registry;
    }

    Loops loops() {
        return life().world.environment().scheduler().loops();
    }

    double sample(String name, String... labelsAndValues) {
        String[] labels = new String[labelsAndValues.length / 2];
        String[] values = new String[labels.length];
        for (int i = 0; i < labels.length; i++) {
            labels[i] = labelsAndValues[2 * i];
            values[i] = labelsAndValues[2 * i + 1];
        }
        Double value = life().registry.getSampleValue(name, labels, values);
        return value == null ? Double.NaN : value;
    }

    private void release() {
        Life ended = life;
        if (ended != null && ended.memory != null && !stopped) {
            ended.memory.verify().throwIfBroken();
            ended.memory.close();
        }
        life = null;
        stopped = false;
    }

    @Override
    public void close() {
        release();
    }
}
