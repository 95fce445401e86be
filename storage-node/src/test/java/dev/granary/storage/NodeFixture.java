package dev.granary.storage;

import dev.granary.env.Environment;
import dev.granary.env.FileDisk;
import dev.granary.memory.ChunkMemory;
import dev.granary.overlay.HostAddress;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One storage peer on virtual time with its super-peer; closes what it opened. */
final class NodeFixture implements AutoCloseable {

    static final HostAddress SUPER_PEER = new HostAddress("super", 7400);
    static final long MEMORY_BYTES = 4 << 20;

    final VirtualWorld world = new VirtualWorld();
    final AnsweringSuperPeer superPeer = new AnsweringSuperPeer(world, SUPER_PEER);
    final List<String> failures = new ArrayList<>();
    final HostAddress address;
    final CollectorRegistry registry = new CollectorRegistry();
    final StorageNode node;
    private final FileDisk disk;
    private boolean stopped;

    /** The memory that the node opened, for looking at it from outside. */
    @Nullable
    ChunkMemory memory;

    /** Done between the reading of a chunk and the reply, through the memory. */
    Runnable afterMemoryAccess = () -> {};

    NodeFixture(Path directory) {
        this(directory, 1, List.of(SUPER_PEER), superPeer -> {});
    }

    NodeFixture(Path directory, Consumer<AnsweringSuperPeer> prepare) {
        this(directory, 1, List.of(SUPER_PEER), prepare);
    }

    NodeFixture(Path directory, long seed, List<HostAddress> seeds, Consumer<AnsweringSuperPeer> prepare) {
        prepare.accept(superPeer);
        try {
            disk = FileDisk.open(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Environment environment = new Environment(world, world, new SplittableRandom(seed), disk);
        StorageNodeConfig config = new StorageNodeConfig(
                "peer", new HostAddress("0.0.0.0", 0), "peer-host", 0, seeds, MEMORY_BYTES, false);
        node = new StorageNode(
                environment,
                world,
                config,
                memoryConfig -> {
                    ChunkMemory opened = ChunkMemory.open(memoryConfig);
                    memory = opened;
                    return new InterruptedMemory(opened, () -> afterMemoryAccess.run());
                },
                (reason, cause) -> failures.add(reason),
                registry);
        var listening = node.start(new HostAddress("peer-host", 7501));
        world.advanceUntil(listening::isDone);
        address = listening.join();
    }

    NodeFixture ready() {
        world.advanceUntil(() -> node.notReadyReason().isEmpty());
        return this;
    }

    RawClient client() {
        return new RawClient(world, address);
    }

    ChunkMemory memory() {
        ChunkMemory opened = memory;
        if (opened == null) {
            throw new AssertionError("no memory was opened");
        }
        return opened;
    }

    double sample(String name, String... labelsAndValues) {
        String[] labels = new String[labelsAndValues.length / 2];
        String[] values = new String[labels.length];
        for (int i = 0; i < labels.length; i++) {
            labels[i] = labelsAndValues[2 * i];
            values[i] = labelsAndValues[2 * i + 1];
        }
        Double value = registry.getSampleValue(name, labels, values);
        return value == null ? Double.NaN : value;
    }

    void stop() {
        stopped = true;
        var stop = node.stop();
        world.advanceUntil(stop::isDone);
        stop.join();
    }

    @Override
    public void close() throws IOException {
        if (memory != null && !stopped) {
            memory.verify().throwIfBroken();
            stop();
        }
        disk.close();
    }
}
