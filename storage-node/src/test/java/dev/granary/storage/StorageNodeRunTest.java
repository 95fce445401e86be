package dev.granary.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.env.ThreadScheduler;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.CleanerConfig;
import dev.granary.memory.MemoryLayout;
import dev.granary.memory.SystemMemoryConfig;
import dev.granary.memory.paged.ChunkMemories;
import dev.granary.net.access.NodePorts;
import dev.granary.overlay.HostAddress;
import dev.granary.process.LogFormat;
import dev.granary.process.LogLevel;
import dev.granary.process.NodeConfig;
import dev.granary.process.TransportKind;
import dev.granary.storage.replicate.ReplicationConfig;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StorageNodeRunTest {
    private static final long MIB = 1L << 20;
    private static final HostAddress ANY_PORT = new HostAddress("127.0.0.1", 0);
    private static final HostAddress NOBODY = new HostAddress("127.0.0.1", 1);

    @TempDir
    private Path directory;

    /** A memory that was loaded from a dump must be defragmented like one that was opened empty. */
    @Test
    void loaded_scatteredMemory_isPutTogetherAndGrowsWithTheLimit() throws Exception {
        CleanerConfig cleaner = new CleanerConfig(0.05, 0.05, 10_000_000, 1 << 20, 1_000_000);
        MemoryGrowth.Sizes sizes = new MemoryGrowth.Sizes(32 * MIB, MIB, 64 * MIB);
        List<String> failures = new ArrayList<>();
        StorageNodeRun run = new StorageNodeRun(
                config(), nodeConfig(), null, null, cleaner, sizes, (reason, cause) -> failures.add(reason), 0);
        run.start();
        try (ChunkMemory memory = scattered()) {
            try {
                run.loaded(memory);
                await(() -> memory.reclaimableShare() < 0.05);
                await(() -> memory.statistics().capacityBytes() == 64 * MIB);
            } finally {
                run.stop();
            }
            assertThat(memory.verify().violations()).isEmpty();
        }
        assertThat(failures).isEmpty();
    }

    /** The lease, and with it the memory, may come while the run is told to stop. */
    @Test
    void loaded_runIsStopping_nobodyWorksAtTheMemory() throws Exception {
        StorageNodeRun run = new StorageNodeRun(
                config(),
                nodeConfig(),
                null,
                null,
                CleanerConfig.defaults(),
                new MemoryGrowth.Sizes(32 * MIB, MIB, 32 * MIB),
                (reason, cause) -> {},
                0);
        run.start();
        run.stop();
        try (ChunkMemory memory = scattered()) {
            run.loaded(memory);
            assertThat(Thread.getAllStackTraces().keySet())
                    .noneMatch(thread -> thread.getName().equals("granary-cleaner"));
        }
    }

    /** The control thread renews leases, so it may stand still no longer than the threads that serve clients. */
    @Test
    void limitReclaim_controlThread_hasTheLimitOfThreadsThatServe() throws Exception {
        LongSupplier limit = limitOfMemory();
        CompletableFuture<Long> control = new CompletableFuture<>();
        try (ThreadScheduler scheduler = new ThreadScheduler("storage-control", control::completeExceptionally)) {
            scheduler.execute(() -> control.complete(limit.getAsLong()));
            assertThat(control.get(30, TimeUnit.SECONDS)).isLessThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(5));
        }
        CompletableFuture<Long> worker = new CompletableFuture<>();
        Thread thread = new BackgroundThread(() -> worker.complete(limit.getAsLong()), "worker");
        thread.start();
        assertThat(worker.get(30, TimeUnit.SECONDS)).isEqualTo(Long.MAX_VALUE);
    }

    /** Returns the limit that a run sets for its chunk memory, depending on the calling thread. */
    private LongSupplier limitOfMemory() throws Exception {
        List<LongSupplier> told = new ArrayList<>();
        StorageNodeRun run = new StorageNodeRun(
                config(),
                nodeConfig(),
                null,
                null,
                null,
                new MemoryGrowth.Sizes(32 * MIB, MIB, 32 * MIB),
                (why, cause) -> {},
                0);
        try (ChunkMemory memory = scattered()) {
            run.loaded((ChunkMemory) Proxy.newProxyInstance(
                    ChunkMemory.class.getClassLoader(),
                    new Class<?>[] {ChunkMemory.class},
                    (self, method, arguments) -> {
                        if (method.getName().equals("limitReclaim")) {
                            told.add((LongSupplier) arguments[0]);
                        }
                        return method.invoke(memory, arguments);
                    }));
        } finally {
            run.close();
        }
        assertThat(told).hasSize(1);
        return told.getFirst();
    }

    @Test
    void start_tableOfZonesIsDamaged_saysWhatToDo() throws Exception {
        runOnce();
        Path table;
        try (Stream<Path> files = Files.walk(directory)) {
            table = files.filter(file -> file.getFileName().toString().matches("zones-[0-9a-f]+\\.log"))
                    .findFirst()
                    .orElseThrow();
        }
        byte[] bytes = Files.readAllBytes(table);
        bytes[9] ^= 1;
        Files.write(table, bytes);
        assertThatThrownBy(this::runOnce)
                .hasMessageContaining(table.getFileName().toString())
                .hasMessageContaining("start this storage peer with an empty data directory");
    }

    private void runOnce() throws Exception {
        StorageNodeRun run = new StorageNodeRun(
                config(),
                nodeConfig(),
                null,
                null,
                CleanerConfig.defaults(),
                new MemoryGrowth.Sizes(32 * MIB, MIB, 32 * MIB),
                (reason, cause) -> {},
                0);
        try {
            run.start();
        } finally {
            run.stop();
        }
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(deadlineNanos);
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    private static ChunkMemory scattered() {
        ChunkMemory memory = ChunkMemories.open(ChunkMemoryConfig.of(1, 32 * MIB)
                .withSystem(SystemMemoryConfig.defaults().withHugePages(false).withMaxCapacityBytes(64 * MIB)));
        memory.reserveLids(1 << 20);
        List<Long> cids = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            cids.add(memory.create(1000));
        }
        for (int i = 0; i < cids.size(); i++) {
            if (i % 8 != 0) {
                memory.delete(cids.get(i));
            }
        }
        assertThat(memory.reclaimableShare()).isGreaterThan(0.3);
        return memory;
    }

    private NodeConfig config() {
        return new NodeConfig(
                "peer",
                directory,
                ANY_PORT,
                NodePorts.NONE,
                100,
                100,
                "127.0.0.1",
                0,
                ANY_PORT,
                false,
                List.of(NOBODY),
                LogFormat.TEXT,
                LogLevel.INFO,
                TransportKind.NIO,
                null,
                null,
                null);
    }

    private StorageNodeConfig nodeConfig() {
        return new StorageNodeConfig(
                "peer",
                ANY_PORT,
                "127.0.0.1",
                0,
                List.of(NOBODY),
                32 * MIB,
                MemoryLayout.TYPED,
                SystemMemoryConfig.defaults(),
                ReplicationConfig.defaults());
    }
}
