package dev.granary.storage;

import dev.granary.env.FileDisk;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.Cleaner;
import dev.granary.memory.CleanerConfig;
import dev.granary.net.netty.NettyOptions;
import dev.granary.net.netty.NettyOptions.Polling;
import dev.granary.net.netty.NettyTransport;
import dev.granary.overlay.HostAddress;
import dev.granary.process.HttpPort;
import dev.granary.process.Metrics;
import dev.granary.process.NodeConfig;
import dev.granary.process.NodeRuntime;
import dev.granary.process.PortsFile;
import dev.granary.process.ProcessControl;
import dev.granary.process.ProcessMain;
import dev.granary.process.Program;
import dev.granary.process.TransportKind;
import dev.granary.process.config.Config;
import dev.granary.process.config.ConfigSchema;
import dev.granary.storage.backup.BackupDisk;
import dev.granary.storage.recover.RecoveryWarmup;
import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The process of a storage peer. */
public final class StorageNodeMain implements Program {

    private static final long LISTEN_LIMIT_SECONDS = 60;

    /** Below the data directory: copies of what others own. */
    private static final String LOG_DIRECTORY = "log";

    private static final int LOG_READERS = 2;

    private StorageNodeMain() {}

    /** Runs until SIGTERM; see {@link ProcessMain} for the exit codes. */
    public static void main(String[] args) {
        ProcessMain.run(new StorageNodeMain(), args);
    }

    @Override
    public String name() {
        return "storage-node";
    }

    @Override
    public String description() {
        return "Stores chunks in RAM and serves them to clients, as a storage peer of a Granary cluster. A chunk has one"
                + " copy: it is lost when this process ends.";
    }

    @Override
    public ConfigSchema schema() {
        return StorageKeys.schema();
    }

    @Override
    public LogSettings logging(Config config) {
        NodeConfig node = StorageKeys.NODE.read(config, NodeRuntime.hostName());
        return new LogSettings(node.logFormat(), node.logLevel());
    }

    @Override
    public Running start(Config config, ProcessControl control) throws Exception {
        NodeConfig node = StorageKeys.NODE.read(config, NodeRuntime.hostName());
        RunningNode process =
                new RunningNode(node, StorageKeys.nodeConfig(config, node), StorageKeys.cleaner(config), control);
        boolean started = false;
        try {
            process.start();
            started = true;
            return process;
        } finally {
            if (!started) {
                process.release();
            }
        }
    }

    /** A running process and what it must release. */
    private static final class RunningNode implements Running {

        private final NodeConfig config;
        private final NodeRuntime runtime;
        private final FileDisk logDisk;
        private final ExecutorService logWriter;
        private final ExecutorService logReaders;
        private final NettyTransport transport;
        private final StorageNode node;
        private final @Nullable CleanerConfig cleanerConfig;
        private final AtomicReference<@Nullable Cleaner> cleaner = new AtomicReference<>();
        private @Nullable HttpPort http;

        RunningNode(
                NodeConfig config,
                StorageNodeConfig nodeConfig,
                @Nullable CleanerConfig cleanerConfig,
                ProcessControl control)
                throws IOException {
            this.config = config;
            this.cleanerConfig = cleanerConfig;
            this.runtime = NodeRuntime.open(config.dataDir(), "storage-control");
            this.logDisk = openLogDisk(config, runtime);
            this.logWriter = Executors.newSingleThreadExecutor(threads("backup-log"));
            this.logReaders = Executors.newFixedThreadPool(LOG_READERS, threads("backup-replay"));
            this.transport = new NettyTransport(NettyOptions.defaults().withPolling(polling(config.transport())));
            this.node = new StorageNode(
                    runtime.environment(),
                    transport,
                    nodeConfig,
                    this::open,
                    control,
                    Metrics.newRegistryWithJvm(),
                    new BackupDisk(logDisk, logWriter, logReaders));
        }

        private static FileDisk openLogDisk(NodeConfig config, NodeRuntime runtime) throws IOException {
            try {
                return FileDisk.open(config.dataDir().resolve(LOG_DIRECTORY));
            } catch (IOException | RuntimeException e) {
                runtime.close();
                throw e;
            }
        }

        private static ThreadFactory threads(String name) {
            return task -> {
                Thread thread = new Thread(task, name);
                thread.setDaemon(true);
                return thread;
            };
        }

        private static Polling polling(TransportKind kind) {
            return switch (kind) {
                case AUTO -> Polling.AUTO;
                case EPOLL -> Polling.EPOLL;
                case NIO -> Polling.NIO;
            };
        }

        private ChunkMemory open(ChunkMemoryConfig memoryConfig) {
            ChunkMemory memory = ChunkMemory.open(memoryConfig);
            if (cleanerConfig != null) {
                Cleaner started = new Cleaner(memory, cleanerConfig);
                started.start();
                cleaner.set(started);
            }
            return memory;
        }

        void start() throws IOException, InterruptedException, ExecutionException, TimeoutException {
            HttpPort opened = HttpPort.open(config.http(), node);
            http = opened;
            HostAddress httpAddress = new HostAddress(config.advertiseHost(), opened.port());
            HostAddress bound = node.start(httpAddress).get(LISTEN_LIMIT_SECONDS, TimeUnit.SECONDS);
            PortsFile.write(runtime.environment().disk(), bound.port(), opened.port());
            logReaders.execute(RecoveryWarmup::run);
        }

        @Override
        public void stop() throws Exception {
            Cleaner running = cleaner.getAndSet(null);
            if (running != null) {
                running.close();
            }
            try {
                node.stop().get();
            } finally {
                release();
            }
        }

        void release() throws IOException {
            transport.close();
            if (http != null) {
                http.close();
            }
            logReaders.shutdown();
            logWriter.shutdown();
            logDisk.close();
            runtime.close();
        }
    }
}
