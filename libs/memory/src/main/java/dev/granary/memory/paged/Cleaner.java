package dev.granary.memory.paged;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.CleanerConfig;
import dev.granary.memory.DefragmentationReport;
import dev.granary.memory.MemoryStatistics;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Defragments a chunk memory beside running operations: looks at intervals how much is scattered, and when it is too
 * much, or when there is nothing else to do or little memory is left in whole, moves a little, rests, and goes on until
 * it is put together. A thread of its own, which no failure ends but a {@link VirtualMachineError}: that one reaches
 * the thread's handler of uncaught exceptions. Close it before the memory.
 */
public final class Cleaner implements AutoCloseable {

    /** How a cleaner waits. */
    @FunctionalInterface
    public interface Pause {

        /**
         * Waits.
         *
         * @throws InterruptedException if the cleaner is stopped meanwhile
         */
        void pause(long nanos) throws InterruptedException;
    }

    /** The next cleaning begins when this much more is scattered than the last one has left. */
    private static final double MIN_MORE = 0.01;

    private final ChunkMemory memory;
    private final CleanerConfig config;
    private final Pause pause;

    @GuardedBy("this")
    private @Nullable Thread thread;

    private long chunksSeen = -1;
    private long payloadSeen;
    private double shareLeft;
    private final AtomicLong movedBytes = new AtomicLong();
    private final AtomicLong releasedSegments = new AtomicLong();
    private final Consumer<RuntimeException> onFailure;
    private volatile @Nullable RuntimeException failure;

    /** A cleaner that waits by the clock. */
    public Cleaner(ChunkMemory memory, CleanerConfig config) {
        this(memory, config, TimeUnit.NANOSECONDS::sleep);
    }

    /** Makes a cleaner that waits by means of {@code pause}. */
    public Cleaner(ChunkMemory memory, CleanerConfig config, Pause pause) {
        this(memory, config, pause, failed -> {});
    }

    /**
     * Makes a cleaner that waits by means of {@code pause}, and reports failures.
     *
     * @param onFailure takes each failure, on the cleaner's thread; the cleaner goes on after an interval
     */
    public Cleaner(ChunkMemory memory, CleanerConfig config, Pause pause, Consumer<RuntimeException> onFailure) {
        this.memory = memory;
        this.config = config;
        this.pause = pause;
        this.onFailure = onFailure;
    }

    /** Starts it. Does nothing if it runs. */
    public synchronized void start() {
        if (thread == null) {
            thread = Thread.ofPlatform().daemon().name("granary-cleaner").start(this::run);
        }
    }

    /** Stops it, and returns when it has. It may be started again. */
    public synchronized void stop() {
        Thread running = thread;
        thread = null;
        if (running == null) {
            return;
        }
        boolean interrupted = false;
        while (running.isAlive()) {
            running.interrupt();
            try {
                running.join(100);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        stop();
    }

    /** How many bytes it has moved since it was made. */
    public long movedBytes() {
        return movedBytes.get();
    }

    /** How many segments it has emptied since it was made. */
    public long releasedSegments() {
        return releasedSegments.get();
    }

    /**
     * Why it failed the last time, or null if it never has.
     * An error that ended a look is the cause of what is returned.
     */
    public @Nullable RuntimeException failure() {
        return failure;
    }

    private void run() {
        while (!Thread.interrupted()) {
            try {
                pause.pause(config.intervalNanos());
                look();
            } catch (InterruptedException e) {
                // Stopped: this is how it ends.
                Thread.currentThread().interrupt();
            } catch (VirtualMachineError e) {
                // The process decides what becomes of it: its handler of uncaught errors sees it.
                throw e;
            } catch (RuntimeException | Error e) {
                failed(e);
            }
        }
    }

    /** Reports a failure, which costs one look. A failure of the listener must not end the cleaner, either. */
    private void failed(Throwable cause) {
        RuntimeException told =
                cause instanceof RuntimeException known ? known : new IllegalStateException(cause.toString(), cause);
        failure = told;
        try {
            onFailure.accept(told);
        } catch (VirtualMachineError e) {
            throw e;
        } catch (RuntimeException | Error e) {
            if (e != told) {
                told.addSuppressed(e);
            }
        }
    }

    private void look() throws InterruptedException {
        // Before a create finds no room, and has to do it on its own thread.
        double threshold = isIdle() || memory.isShort() ? config.idleThreshold() : config.threshold();
        double share = memory.reclaimableShare();
        if (share >= threshold && share >= shareLeft + MIN_MORE) {
            clean();
            shareLeft = memory.reclaimableShare();
        }
        // What could not be put together becomes less when chunks are created there.
        shareLeft = Math.min(shareLeft, share);
    }

    private void clean() throws InterruptedException {
        boolean complete = false;
        while (!complete) {
            DefragmentationReport report = memory.defragment(config.stepBytes());
            movedBytes.addAndGet(report.movedBytes());
            releasedSegments.addAndGet(report.releasedSegments());
            complete = report.isComplete();
            pause.pause(config.pauseNanos());
        }
    }

    /** Whether nothing was created, deleted or resized since the last call, as far as the counters tell. */
    private boolean isIdle() {
        MemoryStatistics now = memory.statistics();
        boolean idle = now.chunks() == chunksSeen && now.payloadBytes() == payloadSeen;
        chunksSeen = now.chunks();
        payloadSeen = now.payloadBytes();
        return idle;
    }
}
