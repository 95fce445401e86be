package dev.granary.storage.replicate;

import dev.granary.env.Scheduler;
import dev.granary.net.message.CopyState;
import dev.granary.net.message.MessageType;
import dev.granary.overlay.HostAddress;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Takes the changes of all zones to one backup: some requests at a time, each with what has come together meanwhile, so
 * that a busy owner sends large ones and an idle one sends at once. Thread-safe.
 *
 * <p>Invariants: (1) a copy with something to send that it may send stands in the queue, or is looked at just now; (2) at
 * most so many requests are on their way as the configuration says; (3) what failed is sent again in the order of its
 * sequences, from behind what is known to be held.
 */
final class ReplicationStream {

    private static final long RETRY_NANOS = 10_000_000;

    /** Syncing takes its time; what a slow disk may take is more than what a slow network may. */
    private static final int SYNC_TIMEOUT_FACTOR = 4;

    private final int nid;
    private final Replication replication;
    private final ConcurrentLinkedQueue<ZoneCopy> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger work = new AtomicInteger();
    private final AtomicInteger inFlight = new AtomicInteger();

    /** Set after a failure until it is time to try again. */
    private volatile boolean pausing;

    ReplicationStream(int nid, Replication replication) {
        this.nid = nid;
        this.replication = replication;
    }

    int nid() {
        return nid;
    }

    /** A copy may have something to send, which the next {@link #pump} sends. Under its zone's lock. */
    void enqueue(ZoneCopy copy) {
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

    /** Sends as long as there is something and few requests are on their way; one thread at a time. */
    void pump() {
        if (work.getAndIncrement() != 0) {
            return;
        }
        int seen = 1;
        boolean done = false;
        try {
            do {
                while (!pausing && inFlight.get() < replication.config().requestsInFlight() && sendOne()) {
                    // Each turn sends a request.
                }
                seen = work.addAndGet(-seen);
            } while (seen != 0);
            done = true;
        } finally {
            if (!done) {
                // A bug, which must not keep everything that comes later from being sent.
                work.set(0);
            }
        }
    }

    private boolean sendOne() {
        HostAddress address = replication.addresses().find(nid);
        if (queue.isEmpty()) {
            return false;
        }
        if (address == null) {
            pause(true);
            return false;
        }
        Shipment shipment = load();
        if (shipment.isEmpty()) {
            return false;
        }
        inFlight.incrementAndGet();
        replication.metrics().sent(shipment.bytes());
        long sentNanos = replication.clock().nanoTime();
        try {
            var _ = replication
                    .rpc()
                    .call(
                            address,
                            nid,
                            MessageType.REPLICATE,
                            out -> shipment.writeTo(out, replication.clusterId(), replication.nid()),
                            shipment::readReply,
                            shipment.isSync()
                                    ? SYNC_TIMEOUT_FACTOR * replication.config().timeoutNanos()
                                    : replication.config().timeoutNanos())
                    .whenComplete((states, failure) -> ended(shipment, sentNanos, states, failure));
        } finally {
            shipment.release();
        }
        return true;
    }

    private Shipment load() {
        int limitBytes = replication.config().requestBytes();
        long now = replication.clock().nanoTime();
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
        if (states == null) {
            shipment.parts().forEach(part -> replication.answers().failed(part, failure));
            pause(true);
            return;
        }
        replication.metrics().answered(replication.clock().nanoTime() - sentNanos);
        boolean busy = false;
        for (int i = 0; i < states.size(); i++) {
            busy |= replication.answers().came(shipment.parts().get(i), states.get(i));
        }
        if (busy) {
            pause(false);
        } else {
            pump();
        }
    }

    /** Goes on a little later. */
    private void pause(boolean askAddress) {
        pausing = true;
        Scheduler scheduler = replication.scheduler();
        scheduler.execute(() -> {
            if (askAddress) {
                replication.addresses().ask(nid, () -> {});
            }
            scheduler.schedule(RETRY_NANOS, this::resume);
        });
    }

    private void resume() {
        pausing = false;
        pump();
    }
}
