package dev.granary.simulation;

import dev.granary.env.Environment;
import dev.granary.env.Scheduler;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.MemoryLayout;
import dev.granary.memory.SystemMemoryConfig;
import dev.granary.memory.paged.ChunkMemories;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.process.ProcessControl;
import dev.granary.simulation.conditions.ScarceMemory;
import dev.granary.storage.ChunkMemoryFactory;
import dev.granary.storage.StorageNode;
import dev.granary.storage.StorageNodeConfig;
import dev.granary.storage.backup.BackupDisk;
import dev.granary.storage.data.Ownership;
import dev.granary.storage.keyed.KeyedCalls;
import dev.granary.storage.keyed.KeyedLimits;
import dev.granary.storage.keyed.KeyedService;
import dev.granary.testkit.SimulatedNode;
import dev.granary.testkit.Simulation;
import io.prometheus.client.CollectorRegistry;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A machine with a storage peer. */
final class StorageMachine extends Machine {

    private static final long MEMORY_BYTES = 2 << 20;

    private final ClusterShape shape;
    private final List<HostAddress> seeds;
    private final OwnerDeaths deaths;
    private final ChunkMemoryFactory memories;
    private @Nullable StorageNode storageNode;
    private @Nullable ChunkMemory memory;
    private @Nullable Scheduler scheduler;
    private int opening;
    private int lastNid = Nid.NONE;
    private final ScarceMemory scarce = new ScarceMemory();
    private final KeyedLimits keyedLimits = KeyedLimits.none();

    StorageMachine(
            Simulation simulation, String name, ClusterShape shape, List<HostAddress> seeds, OwnerDeaths deaths) {
        super(simulation, name);
        this.shape = shape;
        this.seeds = seeds;
        this.deaths = deaths;
        this.memories = shape.memories().apply(ChunkMemories::open);
    }

    /** Returns the NID under which it serves, 0 while it does not. */
    int nid() {
        return memory == null ? Nid.NONE : memory.nid();
    }

    /** Returns the NID of its disk, 0 before the disk has one. */
    int lastNid() {
        return lastNid;
    }

    /** Returns the chunk memory whose allocations can fail. */
    ScarceMemory scarceMemory() {
        return scarce;
    }

    /** Takes over the NID of a machine whose disk its own disk was copied from. */
    void inheritNid(StorageMachine other) {
        lastNid = other.lastNid;
    }

    /** Forgets the NID, because the disk is empty. */
    void forgetNid() {
        lastNid = Nid.NONE;
    }

    /** Whether its process has dumped its memory to the disk and waits for its end. */
    boolean isParked() {
        return storageNode != null && storageNode.isParked();
    }

    /** Returns, for the id of each zone that it owns, the NIDs of the backups that get its changes. */
    Map<Integer, Set<Integer>> backupsByZone() {
        return storageNode == null ? Map.of() : storageNode.backupsByZone();
    }

    /** Returns what keys may take here, in all lives; it may be changed at any time. */
    KeyedLimits keyedLimits() {
        return keyedLimits;
    }

    /** Returns what has calls on slot groups carried out; empty while its process does not run. */
    Optional<KeyedCalls> keyed() {
        return storageNode == null ? Optional.empty() : storageNode.keyed().map(KeyedService::calls);
    }

    /** Runs a task in its process, which must run. */
    void execute(Runnable task) {
        Objects.requireNonNull(scheduler).execute(task);
    }

    @Override
    boolean isReady() {
        return storageNode != null && storageNode.notReadyReason().isEmpty();
    }

    @Override
    void begin(SimulatedNode.World world, ProcessControl control) {
        StorageNodeConfig config = new StorageNodeConfig(
                        name(),
                        new HostAddress("0.0.0.0", SimulatedCluster.STORAGE_PORT),
                        name(),
                        0,
                        seeds,
                        MEMORY_BYTES,
                        MemoryLayout.TYPED,
                        SystemMemoryConfig.defaults().withHugePages(false),
                        shape.tuning().replication(),
                        shape.tuning().log())
                .withMemory(shape.tuning().memory())
                .withKeyed(keyedLimits)
                .withPorts(shape.ports())
                .withSecret(SimulatedCluster.SECRET);
        scheduler = world.environment().scheduler();
        StorageNode[] holder = new StorageNode[1];
        Environment environment = shape.storageWorld().apply(world.environment());
        StorageNode started = new StorageNode(
                environment,
                shape.storageNetwork().apply(environment, world.transport()),
                config,
                new ChunkMemoryFactory() {
                    @Override
                    public ChunkMemory open(ChunkMemoryConfig memoryConfig) {
                        ChunkMemory opened = scarce.over(memories.open(memoryConfig));
                        opening = deaths.opened(opened.nid(), () -> ownershipOf(holder));
                        return use(opened);
                    }

                    @Override
                    public ChunkMemory loaded(ChunkMemory parked) {
                        opening = deaths.resumed(parked.nid(), () -> ownershipOf(holder));
                        return use(scarce.over(parked));
                    }
                },
                control,
                new CollectorRegistry(),
                BackupDisk.of(environment, world.diskThread()));
        storageNode = started;
        holder[0] = started;
        started.start(new HostAddress(name(), SimulatedCluster.STORAGE_PORT + 1))
                .exceptionally(failure -> {
                    control.fail("it does not start", failure);
                    return null;
                })
                .isDone();
    }

    private ChunkMemory use(ChunkMemory opened) {
        memory = opened;
        lastNid = opened.nid();
        return opened;
    }

    private static Optional<Ownership> ownershipOf(@Nullable StorageNode[] holder) {
        StorageNode node = holder[0];
        return node == null ? Optional.empty() : node.ownership();
    }

    @Override
    void ended() {
        boolean parked = isParked();
        storageNode = null;
        if (memory != null) {
            if (!parked) {
                deaths.died(memory.nid(), opening);
            }
            memory.close();
            memory = null;
        }
    }
}
