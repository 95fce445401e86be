package dev.granary.storage;

import com.sun.management.OperatingSystemMXBean;
import dev.granary.env.Loop;
import dev.granary.env.Scheduler;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ReservationException;
import java.lang.management.ManagementFactory;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets a chunk memory grow while it is used when the memory limit of the process's container is raised (ADR 0147). A
 * thread of its own; close it before the memory.
 *
 * <p>Invariant: what it adds is never more than what the limit was seen to be raised by. It takes nothing back when the
 * limit falls: less memory is given by replacing the process.
 */
final class MemoryGrowth implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(MemoryGrowth.class);
    private static final long INTERVAL_NANOS = 500_000_000;

    /** Longer than it takes to make any memory larger. */
    private static final long LIMIT_NANOS = 60_000_000_000L;

    /**
     * How large a chunk memory is at which limit.
     *
     * @param sizeBytes its size at the limit that was known when it was configured
     * @param limitBytes that limit; 0 for a size that stays as it is
     * @param maxBytes up to where it may grow
     */
    record Sizes(long sizeBytes, long limitBytes, long maxBytes) {

        /** Its size at another limit. */
        long at(long limitBytesNow) {
            return limitBytes == 0 || limitBytesNow <= limitBytes
                    ? sizeBytes
                    : Math.max(sizeBytes, Math.min(maxBytes, sizeBytes + (limitBytesNow - limitBytes)));
        }
    }

    private final ChunkMemory memory;
    private final Sizes sizes;
    private final LongSupplier limitBytes;
    private final ExecutorService executor;
    private final Loop looks;
    private long askedBytes;

    /**
     * One that has not begun.
     *
     * @param memory of the size that these sizes say for a limit of now
     * @param limitBytes what the limit is now
     * @param scheduler begins each look
     * @param executor of a thread of its own, which is closed with this
     */
    MemoryGrowth(
            ChunkMemory memory, Sizes sizes, LongSupplier limitBytes, Scheduler scheduler, ExecutorService executor) {
        this.memory = memory;
        this.sizes = sizes;
        this.limitBytes = limitBytes;
        this.executor = executor;
        this.looks = Loop.answered(scheduler, "memory-growth", INTERVAL_NANOS, LIMIT_NANOS, this::haveLooked);
        this.askedBytes = memory.statistics().capacityBytes();
    }

    /** The memory limit of this process: that of its container, or all memory of the machine. */
    static long limitOfProcess() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getTotalMemorySize();
    }

    /** Looks at the limit from now on. */
    void start() {
        looks.beginAfter(INTERVAL_NANOS);
    }

    /** Memory is made larger on the thread of its own, as that may take a while. */
    private void haveLooked() {
        try {
            executor.execute(() -> looks.part(() -> {
                look();
                looks.again(INTERVAL_NANOS);
            }));
        } catch (RejectedExecutionException e) {
            // It was closed while this round began.
            looks.stop();
        }
    }

    /**
     * Grows the memory if the limit has been raised. A size that the operating system refuses is not asked for again.
     */
    void look() {
        long wantedBytes = sizes.at(limitBytes.getAsLong());
        if (wantedBytes <= askedBytes) {
            return;
        }
        askedBytes = wantedBytes;
        try {
            long capacityBytes = memory.resizeMemory(wantedBytes);
            LOG.atInfo()
                    .addKeyValue("capacityBytes", capacityBytes)
                    .log("the memory limit was raised, and the chunk memory has grown");
        } catch (ReservationException e) {
            LOG.atWarn()
                    .addKeyValue("wantedBytes", wantedBytes)
                    .setCause(e)
                    .log("the memory limit was raised, but the chunk memory stays as it is");
        }
    }

    /** Ends it, and returns when nothing is being changed any more. */
    @Override
    public void close() {
        looks.stop();
        // Joins the thread: a memory must not be closed while it grows.
        executor.close();
    }
}
