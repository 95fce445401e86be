package dev.granary.storage;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.memory.CleanerConfig;
import dev.granary.process.NodeConfig;
import dev.granary.process.NodeRuntime;
import dev.granary.process.ProcessControl;
import dev.granary.process.Program;
import dev.granary.process.config.Config;
import dev.granary.storage.door.state.DoorConfig;
import dev.granary.storage.lease.IncarnationEndedException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A storage peer as long as its process lives. When its incarnation has ended because others took its place, it drops
 * its memory and joins again as a later one, at the same addresses and with the same disk (ADR 0123);
 * any other failure ends the process.
 */
final class StorageProcess implements Program.Running {

    private static final Logger LOG = LoggerFactory.getLogger(StorageProcess.class);

    private final Config config;
    private final ProcessControl control;
    private final @Nullable CleanerConfig cleaner;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    @GuardedBy("lock")
    private NodeConfig node;

    @GuardedBy("lock")
    private @Nullable DoorConfig door;

    @GuardedBy("lock")
    private @Nullable StorageNodeRun current;

    @GuardedBy("lock")
    private boolean stopping;

    @GuardedBy("lock")
    private int ended;

    private StorageProcess(Config config, ProcessControl control) {
        this.config = config;
        this.control = control;
        this.cleaner = StorageKeys.cleaner(config);
        this.node = StorageKeys.NODE.read(config, NodeRuntime.hostName());
        this.door = DoorKeys.read(config, node);
    }

    /** Starts a storage peer; returns when it listens. */
    static StorageProcess start(Config config, ProcessControl control) throws Exception {
        StorageProcess process = new StorageProcess(config, control);
        process.lock.lock();
        try {
            process.node.tellOfSecret();
            process.run();
        } finally {
            process.lock.unlock();
        }
        return process;
    }

    @GuardedBy("lock")
    private void run() throws Exception {
        AtomicBoolean told = new AtomicBoolean();
        ProcessControl ofRun = (reason, cause) -> {
            if (!(cause instanceof IncarnationEndedException)) {
                control.fail(reason, cause);
            } else if (told.compareAndSet(false, true)) {
                // On a thread of its own: the run cannot stop while the caller's thread, which is the run's, waits for
                // it.
                Thread.ofPlatform().name("join-again").start(this::joinAgain);
            }
        };
        StorageNodeRun run = new StorageNodeRun(
                node,
                StorageKeys.nodeConfig(config, node),
                door,
                DoorKeys.usersFile(config, node),
                cleaner,
                StorageKeys.sizes(config),
                ofRun,
                ended);
        boolean started = false;
        try {
            // The same ports again: what others, and 'granary up', know stays true.
            node = run.start();
            door = door == null ? null : door.listeningOn(run.redisPort());
            current = run;
            started = true;
        } finally {
            if (!started) {
                run.close();
            }
        }
    }

    private void joinAgain() {
        lock.lock();
        try {
            StorageNodeRun before = current;
            if (stopping || before == null) {
                return;
            }
            LOG.atWarn()
                    .addKeyValue("peer", node.name())
                    .log("the place of this storage peer was taken; it drops its memory and joins again");
            ended++;
            current = null;
            before.stop();
            run();
        } catch (Exception e) {
            control.fail("the storage peer cannot join again: " + e.getMessage(), e);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void stop() throws Exception {
        lock.lock();
        try {
            stopping = true;
            StorageNodeRun running = current;
            current = null;
            if (running != null) {
                try {
                    running.leave();
                } finally {
                    running.stop();
                }
            }
        } finally {
            lock.unlock();
        }
    }
}
