package dev.granary.storage.replicate;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds how many bytes all streams together have on their way to backups. A stream that finds no room waits here until
 * there is some. Thread-safe.
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
     * Takes room for a shipment. If there is none, the stream is pumped when there may be some.
     *
     * @param others whether the stream has other shipments on their way; half of the room is for streams that have
     *     none,
     *     so that a backup that does not answer does not hold up the other backups
     * @return whether there was room
     */
    boolean tryTake(ReplicationStream stream, long sizeBytes, boolean others) {
        if (take(sizeBytes, others)) {
            return true;
        }
        waiting.add(stream);
        // A thread that gave room back between the two did not see the stream wait.
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

    /** Gives the room of an ended shipment back and pumps streams that wait. The caller holds no lock. */
    void give(long sizeBytes) {
        long left = bytes.addAndGet(-sizeBytes);
        assert left >= 0 : left;
        // A stream that finds no room again waits behind the others.
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
