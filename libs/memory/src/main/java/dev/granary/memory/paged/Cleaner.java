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
 * Defragments a chunk memory beside running operations. At intervals it looks how much free memory is scattered. When
 * that is too much, or when the memory is idle or little memory is left, it moves a little, rests, and goes on until
 * the free memory is put together. It has a thread of its own, which only a {@link VirtualMachineError} ends: that
 * error reaches the thread's handler of uncaught exceptions. Close the cleaner before the memory.
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

    /** Makes a cleaner that waits by the clock. */
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

    /** Starts the cleaner. Does nothing if it runs. */
    public synchronized void start() {
        if (thread == null) {
            thread = Thread.ofPlatform().daemon().name("granary-cleaner").start(this::run);
        }
    }

    /** Stops the cleaner, and returns when it has stopped. It may be started again. */
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

    /** Returns how many bytes the cleaner has moved since it was made. */
    public long movedBytes() {
        return movedBytes.get();
    }

    /** Returns how many memory segments the cleaner has emptied since it was made. */
    public long releasedSegments() {
        return releasedSegments.get();
    }

    /**
     * Returns the last failure, or null if the cleaner never failed. An error that ended a look is the cause of the
     * exception.
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
                // The process decides what to do: its handler of uncaught errors gets the error.
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
        // Before a create finds no room, and must defragment on its own thread.
        double threshold = isIdle() || memory.isShort() ? config.idleThreshold() : config.threshold();
        double share = memory.reclaimableShare();
        if (share >= threshold && share >= shareLeft + MIN_MORE) {
            clean();
            shareLeft = memory.reclaimableShare();
        }
        // The free memory that could not be put together becomes less when chunks are created there.
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

    /** Returns whether no chunk was created, deleted or resized since the last call, as far as the counters tell. */
    private boolean isIdle() {
        MemoryStatistics now = memory.statistics();
        boolean idle = now.chunks() == chunksSeen && now.payloadBytes() == payloadSeen;
        chunksSeen = now.chunks();
        payloadSeen = now.payloadBytes();
        return idle;
    }
}
