package dev.granary.storage.replicate;

import dev.granary.env.Steps;
import dev.granary.net.message.ReplicationMessages.CopyState;
import dev.granary.overlay.HostAddress;
import dev.granary.storage.probe.StorageProbe;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Sends the batches of all zones to one backup. Several requests are on their way at a time, and each carries all
 * batches that have gathered since the one before. So a busy owner sends large requests, and an idle one sends each
 * batch at once. Thread-safe.
 *
 * <p>Invariants: (1) a copy that has batches to send, and may send them, stands in the queue or is being looked at; (2)
 * at most {@link ReplicationConfig#requestsInFlight} requests are on their way; (3) batches of a failed request are
 * sent again in the order of their sequences, beginning behind the last one that the backup is known to hold.
 */
final class ReplicationStream {

    private static final long RETRY_NANOS = 10_000_000;

    private final int nid;
    private final BackupCalls calls;
    private final CopyAnswers answers;
    private final ShipmentBudget shipments;
    private final ReplicationConfig config;
    private final ReplicationMetrics metrics;
    private final Steps steps;
    private final ConcurrentLinkedQueue<ZoneCopy> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger work = new AtomicInteger();
    private final AtomicInteger inFlight = new AtomicInteger();
    private final BackupSyncs syncs;

    /** A loaded request for which there was no room yet. Used by the thread that pumps. */
    private @Nullable Shipment waiting;

    /** Whether the stream pauses after a failure. */
    private volatile boolean pausing;

    ReplicationStream(
            int nid,
            BackupCalls calls,
            CopyAnswers answers,
            ShipmentBudget shipments,
            ReplicationConfig config,
            ReplicationMetrics metrics,
            Steps steps) {
        this.nid = nid;
        this.calls = calls;
        this.answers = answers;
        this.shipments = shipments;
        this.config = config;
        this.metrics = metrics;
        this.steps = steps;
        this.syncs = new BackupSyncs(nid, calls, answers, steps);
    }

    int nid() {
        return nid;
    }

    /** Returns the syncs of this backup. */
    BackupSyncs syncs() {
        return syncs;
    }

    /**
     * Queues a copy that may have batches to send; the next {@link #pump} sends them. The caller holds the zone's lock.
     */
    void enqueue(ZoneCopy copy) {
        assert copy.zone.isLocked();
        if (!copy.queued && canSend(copy)) {
            copy.queued = true;
            queue.add(copy);
        }
    }

    private static boolean canSend(ZoneCopy copy) {
        return !copy.gone
                && copy.openEpoch == copy.zone.placement().epoch()
                && copy.next < copy.zone.pending().next();
    }

    /** Sends while there are batches and fewer requests on their way than allowed. One thread at a time does so. */
    void pump() {
        if (work.getAndIncrement() != 0) {
            return;
        }
        int seen = 1;
        boolean done = false;
        try {
            do {
                while (!pausing && inFlight.get() < config.requestsInFlight() && sendOne()) {
                    // Each turn sends a request.
                }
                seen = work.addAndGet(-seen);
            } while (seen != 0);
            done = true;
        } finally {
            if (!done) {
                // A bug. It must not keep later batches from being sent.
                work.set(0);
            }
        }
        syncs.pump();
    }

    private boolean sendOne() {
        HostAddress address = calls.addressOf(nid);
        Shipment loaded = waiting;
        if (loaded == null && queue.isEmpty()) {
            return false;
        }
        if (address == null) {
            pause(true);
            return false;
        }
        Shipment shipment = loaded == null ? load() : loaded;
        if (shipment.isEmpty()) {
            return false;
        }
        waiting = shipment;
        if (!shipments.tryTake(this, shipment.bytes(), inFlight.get() > 0)) {
            StorageProbe.SHIPMENT_WAITED_FOR_ROOM.hit();
            return false;
        }
        waiting = null;
        int onTheirWay = inFlight.incrementAndGet();
        assert onTheirWay <= config.requestsInFlight() : onTheirWay;
        metrics.sent(shipment.bytes());
        long sentNanos = calls.nanoTime();
        try {
            var _ = calls.ship(address, nid, shipment, calls.timeoutNanos())
                    .whenComplete((states, failure) -> ended(shipment, sentNanos, states, failure));
        } catch (RuntimeException | OutOfMemoryError e) {
            // There was no room for the request, so nothing was sent. Its place is free, and the batches go later.
            ended(shipment, sentNanos, null, e);
        } finally {
            shipment.release();
        }
        return true;
    }

    private Shipment load() {
        int limitBytes = config.requestBytes();
        long now = calls.nanoTime();
        Shipment shipment = new Shipment();
        while (shipment.bytes() < limitBytes) {
            ZoneCopy copy = queue.poll();
            if (copy == null) {
                break;
            }
            copy.zone.lock();
            try {
                copy.queued = false;
                if (canSend(copy)) {
                    copy.waitFrom(now);
                    shipment.load(copy, limitBytes);
                    enqueue(copy);
                }
            } finally {
                copy.zone.unlock();
            }
        }
        return shipment;
    }

    private void ended(
            Shipment shipment, long sentNanos, @Nullable List<CopyState> states, @Nullable Throwable failure) {
        inFlight.decrementAndGet();
        try {
            steps.run(() -> came(shipment, sentNanos, states, failure), () -> came(shipment, sentNanos, null, failure));
        } finally {
            shipments.give(shipment.bytes());
        }
    }

    private void came(
            Shipment shipment, long sentNanos, @Nullable List<CopyState> states, @Nullable Throwable failure) {
        // One that was given up counts, too: those that were answered in time are never slow.
        metrics.ended(calls.nanoTime() - sentNanos);
        if (states == null) {
            StorageProbe.SHIPMENT_UNANSWERED.hit();
            shipment.parts().forEach(part -> answers.failed(part, failure));
            pause(true);
            return;
        }
        syncs.heard();
        boolean busy = false;
        for (int i = 0; i < states.size(); i++) {
            busy |= answers.came(shipment.parts().get(i), states.get(i));
        }
        if (busy) {
            pause(false);
        } else {
            pump();
        }
    }

    /** Pauses the stream for a moment. */
    private void pause(boolean askAddress) {
        pausing = true;
        Runnable resumeLater = () -> steps.after(RETRY_NANOS, this::resume);
        calls.scheduler()
                .execute(() -> steps.run(
                        () -> {
                            if (askAddress) {
                                calls.askAddress(nid);
                            }
                            resumeLater.run();
                        },
                        resumeLater));
    }

    private void resume() {
        pausing = false;
        pump();
    }
}
