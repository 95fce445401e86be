package dev.granary.bench.map;

import com.sun.management.GarbageCollectionNotificationInfo;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import javax.management.ListenerNotFoundException;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;
import javax.management.openmbean.CompositeData;

/**
 * Measures pauses as jHiccup does: a thread sleeps a millisecond repeatedly, and other threads had to wait for as long
 * as it oversleeps. In addition the collectors report how long they stopped the process.
 */
final class PauseMeter implements AutoCloseable {

    private static final long SLEEP_NANOS = 1_000_000;

    private final AtomicLong longestNanos = new AtomicLong();
    private final AtomicLong longestCollectionMillis = new AtomicLong();
    private final NotificationListener listener = (notification, handback) -> {
        if (notification.getUserData() instanceof CompositeData data
                && notification.getType().equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION)) {
            note(GarbageCollectionNotificationInfo.from(data));
        }
    };
    private final Thread thread = new Thread(this::measure, "pause-meter");
    private volatile boolean ended;

    PauseMeter() {
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
            if (bean instanceof NotificationEmitter emitter) {
                emitter.addNotificationListener(listener, null, null);
            }
        }
        thread.setDaemon(true);
        thread.start();
    }

    double longestMillis() {
        return longestNanos.get() / 1e6;
    }

    double longestCollectionMillis() {
        return longestCollectionMillis.get();
    }

    /** Forgets what was measured so far. */
    void reset() {
        longestNanos.set(0);
        longestCollectionMillis.set(0);
    }

    /**
     * Counts collections that stopped the process, without concurrent cycles and without collections that serve to
     * count bytes.
     */
    private void note(GarbageCollectionNotificationInfo info) {
        boolean stopped = !info.getGcName().contains("Concurrent");
        if (stopped && !info.getGcCause().equals("System.gc()")) {
            longestCollectionMillis.accumulateAndGet(info.getGcInfo().getDuration(), Math::max);
        }
    }

    private void measure() {
        long before = System.nanoTime();
        while (!ended) {
            LockSupport.parkNanos(SLEEP_NANOS);
            long now = System.nanoTime();
            longestNanos.accumulateAndGet(now - before - SLEEP_NANOS, Math::max);
            before = now;
        }
    }

    @Override
    public void close() {
        ended = true;
        try {
            thread.join();
            for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
                if (bean instanceof NotificationEmitter emitter) {
                    emitter.removeNotificationListener(listener);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ListenerNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }
}
