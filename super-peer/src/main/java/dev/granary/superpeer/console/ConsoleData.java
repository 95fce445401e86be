package dev.granary.superpeer.console;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.env.Clock;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The data of the console. However many pages ask, they are gathered once at a time, and about once a second: they cost
 * the control thread of each super-peer a pass over its arcs. Thread-safe.
 */
final class ConsoleData {

    /** Less than the second between two questions of a page, so that each question has a new answer. */
    static final long KEPT_NANOS = TimeUnit.MILLISECONDS.toNanos(750);

    /** Data that have not come by then never do; whoever asks later begins again. */
    static final long LIMIT_SECONDS = 5;

    /** More pages at once are told to come again; each one that waits takes a thread. */
    static final int MAX_WAITING = 64;

    private final Supplier<CompletableFuture<String>> gather;
    private final Clock clock;
    private final Semaphore waiting = new Semaphore(MAX_WAITING);
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private @Nullable Gathering present;

    ConsoleData(Supplier<CompletableFuture<String>> gather, Clock clock) {
        this.gather = gather;
        this.clock = clock;
    }

    /** Data that are being gathered, or that were. */
    private static final class Gathering {
        private final CompletableFuture<byte[]> json;
        private final long beganNanos;
        private volatile long endedNanos;

        private Gathering(CompletableFuture<String> text, Clock clock) {
            this.beganNanos = clock.nanoTime();
            this.json = text.handle((gathered, failure) -> {
                endedNanos = clock.nanoTime();
                if (gathered == null) {
                    throw new IllegalStateException(String.valueOf(failure));
                }
                return gathered.getBytes(StandardCharsets.UTF_8);
            });
        }

        private boolean isUseful(long nowNanos) {
            return json.isDone()
                    ? nowNanos - endedNanos < KEPT_NANOS
                    : nowNanos - beganNanos < TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        }
    }

    /**
     * Returns the data as UTF-8, which nobody changes.
     *
     * @throws TimeoutException when they take too long, or too many wait for them; says which
     * @throws ExecutionException when they cannot be gathered
     */
    byte[] get() throws InterruptedException, ExecutionException, TimeoutException {
        if (!waiting.tryAcquire()) {
            throw new TimeoutException(MAX_WAITING + " requests wait for the data");
        }
        try {
            return present().get(LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            TimeoutException said = new TimeoutException("they were not gathered within " + LIMIT_SECONDS + " s");
            said.initCause(e);
            throw said;
        } finally {
            waiting.release();
        }
    }

    private CompletableFuture<byte[]> present() {
        lock.lock();
        try {
            if (present == null || !present.isUseful(clock.nanoTime())) {
                present = new Gathering(gather.get(), clock);
            }
            return present.json;
        } finally {
            lock.unlock();
        }
    }
}
