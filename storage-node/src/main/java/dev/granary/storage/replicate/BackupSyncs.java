package dev.granary.storage.replicate;

import dev.granary.env.Loop;
import dev.granary.env.Steps;
import dev.granary.net.message.ReplicationMessages.CopyState;
import dev.granary.net.message.ReplicationMessages.Replicate;
import dev.granary.overlay.HostAddress;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Asks one backup to sync its copies, and tells a backup with a slow disk from one that does not answer. A backup
 * answers {@link ReplicationStream} as soon as it has the batches in memory, whatever its disk does. Requests of this
 * class ask for syncs: one at a time, each for all zones that need a sync by then.
 *
 * <p>Invariants: (1) a copy that holds a batch to be synced, and has not synced it, stands in the queue or in the
 * present request, unless it is gone or not open; (2) while something waits for the backup's disk, the backup is asked
 * now and then for something that needs no disk. Thread-safe.
 */
final class BackupSyncs {

    /** A sync waits for the one before it; a disk that takes five seconds for each is slow, not dead. */
    private static final long SYNC_TIMEOUT_NANOS = 12_000_000_000L;

    private static final long RETRY_NANOS = 10_000_000;

    private final int nid;
    private final BackupCalls calls;
    private final CopyAnswers answers;
    private final Steps steps;
    private final ConcurrentLinkedQueue<ZoneCopy> queue = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean asking = new AtomicBoolean();

    /** How many answers wait for the backup's disk. */
    private final AtomicInteger diskWaits = new AtomicInteger();

    private final long listenNanos;

    /** Runs while something waits for the disk. */
    private final Loop listening;

    /** When the backup last answered, or when {@link #listening} began. */
    private volatile long heardNanos;

    /** The request that is on its way; null when none is. */
    private volatile @Nullable Shipment asked;

    BackupSyncs(int nid, BackupCalls calls, CopyAnswers answers, Steps steps) {
        this.nid = nid;
        this.calls = calls;
        this.answers = answers;
        this.steps = steps;
        this.listenNanos = calls.timeoutNanos() / 3;
        // Without this loop nobody would notice that a backup died during a sync, and changes would wait for it.
        this.listening = Loop.every(calls.scheduler(), "disk-waits", listenNanos, this::listen)
                .vital();
    }

    /** Queues a copy that may have something to sync; the next {@link #pump} asks. The caller holds the zone's lock. */
    void enqueue(ZoneCopy copy) {
        assert copy.zone.isLocked();
        if (copy.queueToSync()) {
            queue.add(copy);
        }
    }

    /** Sends the next request, unless the queue is empty or the answer to the last request has not come. */
    void pump() {
        if (queue.isEmpty() || !asking.compareAndSet(false, true)) {
            return;
        }
        boolean sent = false;
        try {
            sent = ask();
        } finally {
            if (!sent) {
                asking.set(false);
            }
        }
    }

    private boolean ask() {
        HostAddress address = calls.addressOf(nid);
        if (address == null) {
            askAgainSoon();
            return false;
        }
        Shipment shipment = load();
        if (shipment.isEmpty()) {
            return false;
        }
        asked = shipment;
        beginDiskWait();
        try {
            var _ = calls.ship(address, nid, shipment, SYNC_TIMEOUT_NANOS)
                    .whenComplete((states, failure) -> came(shipment, states, failure));
        } catch (RuntimeException | OutOfMemoryError e) {
            // There was no room for the request: it is sent later.
            came(shipment, null, e);
        }
        return true;
    }

    private Shipment load() {
        Shipment shipment = new Shipment();
        for (ZoneCopy copy = queue.poll(); copy != null; copy = queue.poll()) {
            copy.zone.lock();
            try {
                copy.leaveSyncQueue();
                if (copy.mustSync()) {
                    copy.beginSync(calls.nanoTime());
                    shipment.loadSync(copy);
                }
            } finally {
                copy.zone.unlock();
            }
            if (shipment.parts().size() == Replicate.MAX_ZONES) {
                break;
            }
        }
        return shipment;
    }

    private void came(Shipment shipment, @Nullable List<CopyState> states, @Nullable Throwable failure) {
        endDiskWait();
        asked = null;
        steps.run(() -> ended(shipment, states, failure), () -> {
            askAgain(shipment);
            asking.set(false);
            askAgainSoon();
        });
    }

    private void ended(Shipment shipment, @Nullable List<CopyState> states, @Nullable Throwable failure) {
        boolean synced = true;
        for (int i = 0; i < shipment.parts().size(); i++) {
            if (states == null) {
                answers.syncFailed(shipment.parts().get(i), failure);
                synced = false;
            } else {
                synced &= answers.synced(shipment.parts().get(i), states.get(i));
            }
        }
        askAgain(shipment);
        asking.set(false);
        if (synced) {
            heard();
            pump();
        } else {
            askAgainSoon();
        }
    }

    private void askAgain(Shipment shipment) {
        for (Shipment.Part part : shipment.parts()) {
            ZoneCopy copy = part.copy();
            copy.zone.lock();
            try {
                copy.endSync();
                enqueue(copy);
            } finally {
                copy.zone.unlock();
            }
        }
    }

    private void askAgainSoon() {
        Runnable pumpLater = () -> steps.after(RETRY_NANOS, this::pump);
        calls.scheduler()
                .execute(() -> steps.run(
                        () -> {
                            calls.askAddress(nid);
                            pumpLater.run();
                        },
                        pumpLater));
    }

    /** Notes that the backup has answered something. */
    void heard() {
        heardNanos = calls.nanoTime();
    }

    /** Whether the backup has not answered for the replication timeout, although it was asked. */
    boolean isSilent() {
        return calls.nanoTime() - heardNanos >= calls.timeoutNanos();
    }

    /** Begins a wait for the backup's disk; while there is one, {@link #listening} runs. */
    void beginDiskWait() {
        if (diskWaits.getAndIncrement() == 0) {
            if (!listening.isRunning()) {
                heard();
            }
            listening.beginAfter(listenNanos);
        }
    }

    /** Ends one wait for the backup's disk. */
    void endDiskWait() {
        diskWaits.decrementAndGet();
    }

    /** Asks the backup for something that needs no disk, as long as somebody waits for its disk. */
    private void listen() {
        if (diskWaits.get() > 0) {
            ping();
            return;
        }
        listening.stop();
        if (diskWaits.get() > 0) {
            // A wait that began just before found the loop running and did not start it.
            listening.beginAfter(listenNanos);
        }
    }

    private void ping() {
        HostAddress address = calls.addressOf(nid);
        if (address != null) {
            var _ = calls.ping(address, nid).thenRun(this::heard);
        }
        Shipment waiting = asked;
        if (waiting != null && isSilent()) {
            waiting.parts().forEach(part -> answers.silent(part));
        }
    }
}
