package dev.granary.client.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.client.DeadlineExceededException;
import dev.granary.client.GranaryException;
import dev.granary.client.InvalidRequestException;
import dev.granary.client.OutcomeUnknownException;
import dev.granary.client.StorageFullException;
import dev.granary.client.probe.ClientProbe;
import dev.granary.env.Backoff;
import dev.granary.env.Clock;
import dev.granary.env.Futures;
import dev.granary.env.Scheduler;
import dev.granary.net.cluster.Refusals;
import dev.granary.net.rpc.CallTimeoutException;
import dev.granary.net.rpc.ConnectionLostException;
import dev.granary.net.rpc.RemoteErrorException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Repeats one attempt until it succeeds, fails for good, or its deadline has passed. The first attempt runs on the
 * caller's thread, later ones on the scheduler. The pause between them doubles from 2 ms to 200 ms and is drawn at
 * random from its upper half, so that clients do not retry in step. A pause ends early on news about the reason of the
 * failures; after that pauses are short again.
 */
public final class Retry<R> {

    private static final Backoff PAUSES = new Backoff(2_000_000, 200_000_000);

    /** The shortest pause in which asking for news is worthwhile. A shorter one ends before an answer arrives. */
    private static final long WORTH_ASKING_NANOS = 8_000_000;

    private final Context context;
    private final Supplier<String> what;
    private final long startNanos;
    private final long deadlineNanos;
    private final Attempt<R> attempt;
    private final @Nullable News news;
    private final CompletableFuture<R> result = new CompletableFuture<>();
    private int attempts;

    /** Attempts since the last news. */
    private int fruitless;

    /** Whether the attempt had less time than others, because the deadline is near. */
    private boolean isShort;

    /** The last failure that says something: a short attempt without a reply does not, if others had one. */
    private @Nullable Throwable reason;

    /** The number of the current pause. Only scheduler tasks change it. */
    private int pause;

    /** Clock, scheduler and random source of retries. */
    public record Context(
            Clock clock, Scheduler scheduler, RandomGenerator random, long attemptTimeoutNanos, Pauses pauses) {

        Context(Clock clock, Scheduler scheduler, RandomGenerator random, long attemptTimeoutNanos) {
            this(clock, scheduler, random, attemptTimeoutNanos, new Pauses());
        }

        public long deadlineAfter(long nanos) {
            return clock.nanoTime() + nanos;
        }
    }

    /** One try. */
    @FunctionalInterface
    public interface Attempt<R> {
        CompletableFuture<R> start(long timeoutNanos);
    }

    /** Asks whether the reason for which attempts fail has changed. */
    @FunctionalInterface
    public interface News {
        /**
         * Returns null when nobody can be asked. The future gives true as soon as the reason has changed, false when it
         * has not after a while.
         */
        @Nullable
        CompletableFuture<Boolean> ask();
    }

    /** A failure that is worth another attempt, for reasons that the protocol layer does not know. */
    public static final class AgainException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public AgainException(String message) {
            super(message, null, false, false);
        }
    }

    private Retry(
            Context context,
            Supplier<String> what,
            long startNanos,
            long deadlineNanos,
            @Nullable News news,
            Attempt<R> attempt) {
        this.context = context;
        this.what = what;
        this.startNanos = startNanos;
        this.deadlineNanos = deadlineNanos;
        this.news = news;
        this.attempt = attempt;
    }

    /**
     * Runs attempts.
     *
     * @param what the operation, for messages; the text is made when it is needed
     * @param deadlineNanos the deadline on the context's clock
     */
    public static <R> CompletableFuture<R> run(
            Context context, Supplier<String> what, long deadlineNanos, Attempt<R> attempt) {
        return run(context, what, deadlineNanos, null, attempt);
    }

    /**
     * Runs attempts with pauses that end when there is news.
     *
     * @param news the question to ask in each pause; null for none
     */
    public static <R> CompletableFuture<R> run(
            Context context, Supplier<String> what, long deadlineNanos, @Nullable News news, Attempt<R> attempt) {
        return resume(context, what, context.clock.nanoTime(), deadlineNanos, news, null, attempt);
    }

    /**
     * Runs attempts of an operation whose first attempt somebody else may have made.
     *
     * @param startNanos when the operation began
     * @param failed why its first attempt has failed, which is treated as if it had been made here; null when there was
     *     none
     */
    static <R> CompletableFuture<R> resume(
            Context context,
            Supplier<String> what,
            long startNanos,
            long deadlineNanos,
            @Nullable News news,
            @Nullable Throwable failed,
            Attempt<R> attempt) {
        Retry<R> retry = new Retry<>(context, what, startNanos, deadlineNanos, news, attempt);
        if (failed == null) {
            retry.tryOnce();
        } else {
            retry.attempts++;
            retry.fruitless++;
            retry.failed(failed);
        }
        return retry.result;
    }

    private void tryOnce() {
        long remainingNanos = deadlineNanos - context.clock.nanoTime();
        if (remainingNanos <= 0) {
            giveUp();
            return;
        }
        isShort = remainingNanos < context.attemptTimeoutNanos;
        attempts++;
        fruitless++;
        CompletableFuture<R> future;
        try {
            future = attempt.start(Math.min(remainingNanos, context.attemptTimeoutNanos));
        } catch (RuntimeException e) {
            failed(e);
            return;
        }
        var _ = future.whenComplete((value, failure) -> {
            if (failure == null) {
                result.complete(value);
            } else {
                failed(Futures.causeOf(failure));
            }
        });
    }

    private void failed(Throwable failure) {
        if (reason == null || !isShort || !(failure instanceof CallTimeoutException)) {
            reason = failure;
        }
        if (!isRetryable(failure)) {
            result.completeExceptionally(translate(what.get(), failure));
            return;
        }
        if (!context.pauses.add(this)) {
            failClosed(failure);
            return;
        }
        try {
            context.scheduler.execute(() -> pause(failure));
        } catch (RejectedExecutionException e) {
            failClosed(failure);
        }
    }

    private void pause(Throwable failure) {
        if (!context.pauses.contains(this)) {
            // The timer of the previous pause, which ended early, has already run the next attempt.
            return;
        }
        long pauseNanos = Math.max(PAUSES.nanos(fruitless, context.random), Refusals.retryAfterNanos(failure));
        ClientProbe.PAUSE_TOLD.hitIf(Refusals.retryAfterNanos(failure) > 0);
        if (context.clock.nanoTime() + pauseNanos - deadlineNanos >= 0) {
            context.pauses.remove(this);
            giveUp();
            return;
        }
        int mine = ++pause;
        try {
            context.scheduler.schedule(pauseNanos, () -> goOn(mine));
        } catch (RejectedExecutionException e) {
            failClosed(failure);
            return;
        }
        if (news != null && pauseNanos >= WORTH_ASKING_NANOS) {
            awaitNews(news, mine, failure);
        }
    }

    private void goOn(int ended) {
        if (pause == ended && context.pauses.remove(this)) {
            tryOnce();
        }
    }

    private void awaitNews(News source, int mine, Throwable failure) {
        CompletableFuture<Boolean> coming = source.ask();
        if (coming == null) {
            return;
        }
        var _ = coming.whenComplete((isNews, unanswered) -> {
            if (unanswered != null) {
                return;
            }
            try {
                context.scheduler.execute(() -> heard(source, isNews, mine, failure));
            } catch (RejectedExecutionException e) {
                failClosed(failure);
            }
        });
    }

    private void heard(News source, boolean isNews, int mine, Throwable failure) {
        if (pause != mine || !context.pauses.contains(this)) {
            return;
        }
        if (isNews) {
            fruitless = 0;
            ClientProbe.PAUSE_ENDED_BY_NEWS.hit();
            goOn(mine);
        } else {
            awaitNews(source, mine, failure);
        }
    }

    private void failClosed(@Nullable Throwable last) {
        context.pauses.remove(this);
        result.completeExceptionally(new GranaryException(
                what.get() + " was given up because the client was closed; connect a new one", last));
    }

    /** The operations that wait for their next attempt. A closed scheduler would forget them. Thread-safe. */
    public static final class Pauses {
        @GuardedBy("this")
        private final Set<Retry<?>> waiting = new LinkedHashSet<>();

        @GuardedBy("this")
        private boolean closed;

        private synchronized boolean add(Retry<?> retry) {
            return !closed && waiting.add(retry);
        }

        private synchronized boolean contains(Retry<?> retry) {
            return waiting.contains(retry);
        }

        private synchronized boolean remove(Retry<?> retry) {
            return waiting.remove(retry);
        }

        /** Fails all waiting operations, and all that begin to wait later. */
        void close() {
            List<Retry<?>> given;
            synchronized (this) {
                closed = true;
                given = new ArrayList<>(waiting);
            }
            given.forEach(retry -> retry.failClosed(null));
        }
    }

    private void giveUp() {
        ClientProbe.DEADLINE_EXCEEDED.hit();
        Throwable last = reason;
        long afterMillis = (context.clock.nanoTime() - startNanos) / 1_000_000;
        long limitMillis = (deadlineNanos - startNanos) / 1_000_000;
        String said = last == null ? "" : " The last failure: " + last.getMessage() + ".";
        result.completeExceptionally(new DeadlineExceededException(
                what.get() + " did not succeed within its deadline of " + limitMillis + " ms: given up after "
                        + attempts
                        + (attempts == 1 ? " attempt and " : " attempts and ") + afterMillis + " ms." + said
                        + " Try again, with a longer deadline, or see with 'granary status' what the cluster waits for.",
                last));
    }

    private static boolean isRetryable(Throwable failure) {
        return switch (failure) {
            case RemoteErrorException remote -> remote.reply().isRetryable();
            case CallTimeoutException _ -> true;
            case ConnectionLostException _ -> true;
            case AgainException _ -> true;
            default -> false;
        };
    }

    /**
     * Returns the failure that the application sees when a failure ends an operation.
     *
     * @param what the operation
     */
    private static Throwable translate(String what, Throwable failure) {
        if (!(failure instanceof RemoteErrorException remote)) {
            return failure instanceof GranaryException
                    ? failure
                    : new GranaryException(what + " failed unexpectedly: " + failure, failure);
        }
        // The remote message has the address of the node and its answer.
        String said = what + " failed: " + remote.getMessage();
        return switch (remote.code()) {
            case OUT_OF_MEMORY -> new StorageFullException(said + ". Add storage peers or memory, or delete chunks.");
            case DRAINING -> new StorageFullException(said + ". Choose another place for the chunks.");
            case BAD_REQUEST, TOO_LARGE -> new InvalidRequestException(said);
            case UNKNOWN_OUTCOME ->
                new OutcomeUnknownException(said + ". Read the chunk to see whether it was carried out.");
            default -> new GranaryException(said, failure);
        };
    }
}
