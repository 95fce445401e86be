package dev.granary.client.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.env.Futures;
import dev.granary.env.Scheduler;
import dev.granary.env.Scheduler.Timer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks several for the same thing, one after the other: the next one when the one before has failed, or has been silent
 * for a while and may still answer. The first answer counts, or the first failure that is as good as an answer; else
 * the last failure (ADR 0193). Thread-safe.
 */
final class Staggered<R> {

    private final List<Supplier<CompletableFuture<R>>> asks;
    private final long silenceNanos;
    private final Scheduler scheduler;
    private final Predicate<Throwable> isAnswer;
    private final CompletableFuture<R> result = new CompletableFuture<>();

    // Guarded by this.
    @GuardedBy("this")
    private int asked;

    @GuardedBy("this")
    private int failed;

    private Staggered(
            List<Supplier<CompletableFuture<R>>> asks,
            long silenceNanos,
            Scheduler scheduler,
            Predicate<Throwable> isAnswer) {
        this.asks = asks;
        this.silenceNanos = silenceNanos;
        this.scheduler = scheduler;
        this.isAnswer = isAnswer;
    }

    /**
     * Asks the first, on the caller's thread, and then the others as they are needed.
     *
     * @param asks at least one; what one throws is how it fails
     * @param silenceNanos for so long one may be silent before the next is asked, too
     * @param scheduler calls the later ones
     * @param isAnswer whether a failure says what the others would say, so that nobody else is asked
     */
    static <R> CompletableFuture<R> first(
            List<Supplier<CompletableFuture<R>>> asks,
            long silenceNanos,
            Scheduler scheduler,
            Predicate<Throwable> isAnswer) {
        Staggered<R> staggered = new Staggered<>(asks, silenceNanos, scheduler, isAnswer);
        staggered.ask(0);
        return staggered.result;
    }

    private void ask(int index) {
        if (!begin(index)) {
            return;
        }
        CompletableFuture<R> answer;
        try {
            answer = asks.get(index).get();
        } catch (RuntimeException | Error e) {
            answer = CompletableFuture.failedFuture(e);
        }
        Timer timer = answer.isDone() ? null : askNextAfterSilence(index);
        var _ = answer.whenComplete((value, failure) -> {
            if (timer != null) {
                timer.cancel();
            }
            if (failure == null) {
                result.complete(value);
            } else {
                failed(index, Futures.causeOf(failure));
            }
        });
    }

    private synchronized boolean begin(int index) {
        if (index != asked || index == asks.size() || result.isDone()) {
            return false;
        }
        asked++;
        return true;
    }

    private @Nullable Timer askNextAfterSilence(int index) {
        if (index + 1 == asks.size()) {
            return null;
        }
        try {
            return scheduler.schedule(silenceNanos, () -> ask(index + 1));
        } catch (RejectedExecutionException e) {
            // The client was closed, and its calls fail.
            return null;
        }
    }

    private void failed(int index, Throwable cause) {
        if (isAnswer.test(cause) || isLast()) {
            result.completeExceptionally(cause);
        } else {
            ask(index + 1);
        }
    }

    private synchronized boolean isLast() {
        failed++;
        return failed == asks.size();
    }
}
