package dev.granary.storage.replicate;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How much is on its way to backups, of all streams together.
 * A stream that finds no room waits here until there is some. Thread-safe.
 *
 * <p>Invariants: (1) the bytes never exceed the limit, but for one shipment alone that is larger; (2) a stream that
 * waits is told after the next shipment has ended, and while one waits there is a shipment that has not ended.
 */
final class ShipmentBudget {

    private final long maxBytes;
    private final AtomicLong bytes = new AtomicLong();
    private final ConcurrentLinkedQueue<ReplicationStream> waiting = new ConcurrentLinkedQueue<>();

    ShipmentBudget(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /**
     * Takes room for a shipment, or has the stream pumped when there may be some.
     *
     * @param others whether the stream has other shipments on their way; half of all room is for those that have none,
     *     so that a backup that does not answer keeps nothing from the others
     */
    boolean tryTake(ReplicationStream stream, long sizeBytes, boolean others) {
        if (take(sizeBytes, others)) {
            return true;
        }
        waiting.add(stream);
        // Whoever gave room back between the two did not see the stream wait.
        return take(sizeBytes, others);
    }

    private boolean take(long sizeBytes, boolean others) {
        long limit = others ? maxBytes / 2 : maxBytes;
        while (true) {
            long before = bytes.get();
            if (before != 0 && before + sizeBytes > limit) {
                return false;
            }
            if (bytes.compareAndSet(before, before + sizeBytes)) {
                return true;
            }
        }
    }

    /** A shipment has ended. Without locks: streams that wait send now. */
    void give(long sizeBytes) {
        long left = bytes.addAndGet(-sizeBytes);
        assert left >= 0 : left;
        // One that finds no room again waits behind these.
        for (int turns = waiting.size(); turns > 0; turns--) {
            ReplicationStream next = waiting.poll();
            if (next != null) {
                next.pump();
            }
        }
    }

    long bytes() {
        return bytes.get();
    }
}
