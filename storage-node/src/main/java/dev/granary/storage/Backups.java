package dev.granary.storage;

import dev.granary.env.Environment;
import dev.granary.env.Loop;
import dev.granary.env.Steps;
import dev.granary.log.LogDamagedException;
import dev.granary.log.backup.BackupLog;
import dev.granary.log.backup.BackupLogOptions;
import dev.granary.log.backup.LogStatistics;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.rpc.RequestHandler;
import dev.granary.net.rpc.RequestTable;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.storage.backup.BackupDisk;
import dev.granary.storage.backup.BackupMetrics;
import dev.granary.storage.backup.BackupService;
import dev.granary.storage.backup.CopySpools;
import dev.granary.storage.backup.Incarnation;
import dev.granary.storage.data.OperationGate;
import dev.granary.storage.probe.StorageProbe;
import dev.granary.storage.recover.Recoveries;
import dev.granary.storage.recover.RecoveryMetrics;
import dev.granary.storage.recover.RecoverySite;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The part of a storage peer that is there for what others own: it keeps copies of their zones from the start on,
 * without a lease, and recovers zones once it serves. Requests come on I/O threads; the rest by tasks of the scheduler.
 */
final class Backups {

    private static final Logger LOG = LoggerFactory.getLogger(Backups.class);

    private static final long BUSY_RETRY_NANOS = 20_000_000;
    private static final long LOOK_NANOS = 50_000_000;
    private static final long RETRY_NANOS = 1_000_000_000;

    private final Environment environment;
    private final BackupDisk disk;
    private final BackupLogOptions options;
    private final long spoolBytes;
    private final BackupMetrics metrics;
    private final RecoveryMetrics recoveryMetrics;
    private volatile OperationGate gate = new OperationGate();
    private volatile @Nullable BackupLog log;
    private volatile @Nullable CopySpools spools;
    private volatile @Nullable BackupService service;
    private volatile boolean closed;
    private volatile @Nullable Recoveries recoveries;

    /**
     * @param spoolBytes of copies that others fetch
     */
    Backups(
            Environment environment,
            BackupDisk disk,
            BackupLogOptions options,
            long spoolBytes,
            CollectorRegistry registry) {
        this.environment = environment;
        this.disk = disk;
        this.options = options;
        this.spoolBytes = spoolBytes;
        this.metrics = new BackupMetrics(registry);
        this.recoveryMetrics = new RecoveryMetrics(registry);
    }

    /**
     * Opens the log and serves copies.
     *
     * @throws IOException when the disk fails, or what it has cannot be trusted
     */
    void open(RpcIdentity identity, Incarnation incarnation) throws IOException {
        BackupLog opened;
        try {
            opened = openLog();
        } catch (LogDamagedException e) {
            throw new IOException(
                    e.getMessage()
                            + ". The copies in this data directory cannot be trusted; their owners fill new ones. When no zone waits"
                            + " for this disk any more ('granary status'), start this storage peer with an empty data directory: it"
                            + " joins as a new storage peer",
                    e);
        }
        begin(opened, identity, incarnation, Map.of());
        LOG.atInfo().addKeyValue("copies", opened.zones().size()).log("copies of zones were found on the disk");
    }

    private BackupLog openLog() throws IOException {
        return BackupLog.open(disk.disk(), options, environment.clock(), disk.writer());
    }

    private void begin(BackupLog opened, RpcIdentity identity, Incarnation incarnation, Map<Integer, Long> lost) {
        CopySpools begun =
                new CopySpools(opened, environment.clock(), environment.scheduler(), disk.readers(), spoolBytes);
        spools = begun;
        log = opened;
        service = new BackupService(opened, environment.scheduler(), identity, incarnation, metrics, begun, lost);
        Loop[] watch = new Loop[1];
        watch[0] = Loop.every(
                        environment.scheduler(),
                        "copy-log",
                        LOOK_NANOS,
                        () -> lookAfter(watch[0], opened, identity, incarnation))
                .vital();
        watch[0].beginAfter(LOOK_NANOS);
    }

    /**
     * A log that has failed takes nothing any more: it is given up with its copies, and others are filled in a new one.
     */
    private void lookAfter(Loop watch, BackupLog watched, RpcIdentity identity, Incarnation incarnation) {
        if (closed) {
            watch.stop();
            return;
        }
        BackupService failed = service;
        if (failed == null || !watched.hasFailed()) {
            return;
        }
        watch.stop();
        LOG.atError().addKeyValue("copies", watched.zones().size()).log("the disk has failed: its copies are given up");
        Map<Integer, Long> lost = failed.promises();
        StorageProbe.BACKUP_LOG_REPLACED.hit();
        var _ = close(failed).thenRunAsync(() -> replace(identity, incarnation, lost), disk.writer());
    }

    private void replace(RpcIdentity identity, Incarnation incarnation, Map<Integer, Long> lost) {
        if (closed) {
            return;
        }
        try {
            for (String name : disk.disk().list()) {
                disk.disk().delete(name);
            }
            BackupLog opened = openLog();
            environment.scheduler().execute(() -> {
                begin(opened, identity, incarnation, lost);
                if (closed) {
                    var _ = close();
                }
            });
        } catch (IOException | RuntimeException e) {
            LOG.atWarn().setCause(e).log("there is no log of copies yet: the disk still fails");
            new Steps(environment.scheduler(), "copy-log-replacement", RETRY_NANOS)
                    .after(RETRY_NANOS, () -> disk.writer().execute(() -> replace(identity, incarnation, lost)));
        }
    }

    /** Zones can be recovered from now on. */
    void serve(BiFunction<Supplier<BackupLog>, RecoveryMetrics, RecoverySite> site) {
        recoveries = new Recoveries(site.apply(() -> Objects.requireNonNull(log), recoveryMetrics));
    }

    /** Who replays logs. */
    Executor readers() {
        return disk.readers();
    }

    /**
     * Adds the requests for copies, and for what is recovered from them.
     *
     * @param moves the table for requests that wait while this peer is being put to sleep
     */
    void addTo(RequestTable requests, RequestTable moves) {
        BackupService.addTo(requests.behind(this::whileAwake), () -> service);
        Recoveries.addTo(moves.behind(this::whileAwake), () -> recoveries);
    }

    private RequestHandler whileAwake(RequestHandler handler) {
        return request -> {
            OperationGate entered = gate;
            if (!entered.enter()) {
                request.fail(ErrorReply.retryLater(BUSY_RETRY_NANOS, "this storage peer is being put to sleep"));
                return;
            }
            try {
                handler.handle(request);
            } finally {
                entered.exit();
            }
        };
    }

    /** Whether nothing is being recovered here. */
    boolean isIdle() {
        Recoveries begun = recoveries;
        return begun == null || begun.isIdle();
    }

    /** Takes nothing any more; completes when all that was taken is durable. */
    CompletableFuture<Void> freeze() {
        BackupLog opened = log;
        return gate.close()
                .thenCompose(out -> opened == null ? CompletableFuture.completedFuture(null) : opened.sync());
    }

    /** Takes copies again. */
    void thaw() {
        gate = new OperationGate();
    }

    /** This process goes on where one stopped that had frozen what it had. */
    void resume() {
        BackupService open = service;
        if (open != null) {
            open.resumed();
        }
    }

    /** Copies on the disk. */
    long copies() {
        BackupService open = service;
        return open == null ? 0 : open.count();
    }

    /** Figures of the log that is open, or null. Any thread. */
    @Nullable
    LogStatistics logStatistics() {
        BackupLog opened = log;
        return opened == null ? null : opened.statistics();
    }

    /** What copies take that others fetch. Any thread. */
    long spoolBytes() {
        CopySpools present = spools;
        return present == null ? 0 : present.bytes();
    }

    RecoveryMetrics recoveryMetrics() {
        return recoveryMetrics;
    }

    /** Bytes that they take. */
    long logBytes() {
        BackupService open = service;
        return open == null ? 0 : open.sizeBytes();
    }

    /** Recovers nothing any more; completes when the memory is left alone. */
    CompletableFuture<Void> stop() {
        Recoveries begun = recoveries;
        return begun == null ? CompletableFuture.completedFuture(null) : begun.stop();
    }

    /** Takes nothing any more; completes when what was taken is on the disk and the log is closed. */
    CompletableFuture<Void> close() {
        closed = true;
        BackupService open = service;
        return open == null ? CompletableFuture.completedFuture(null) : close(open);
    }

    /** By the thread that waits for the disk: it may be in the middle of a sync, for which nobody else is to wait. */
    private CompletableFuture<Void> close(BackupService open) {
        return open.close(disk.writer()).exceptionally(problem -> {
            LOG.atError().setCause(problem).log("the log of copies could not be closed");
            return null;
        });
    }
}
