package dev.granary.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.client.DeadlineExceededException;
import dev.granary.client.GranaryException;
import dev.granary.client.InvalidRequestException;
import dev.granary.client.StorageFullException;
import dev.granary.env.ThreadScheduler;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.rpc.CallTimeoutException;
import dev.granary.net.rpc.RemoteErrorException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class RetryTest {

    private static final long ATTEMPT_NANOS = 1_000_000_000;
    private static final long DEADLINE_NANOS = 10_000_000_000L;

    private final ManualWorld world = new ManualWorld();
    private final Retry.Context context = new Retry.Context(world, world, new SplittableRandom(1), ATTEMPT_NANOS);

    @Test
    void run_firstAttemptSucceeds_givesItsValue() {
        assertThat(Retry.run(context, () -> "it", DEADLINE_NANOS, _ -> CompletableFuture.completedFuture(7)))
                .isCompletedWithValue(7);
    }

    @Test
    void run_retryableFailures_triesAgainWithPausesUntilItSucceeds() {
        List<Long> times = new ArrayList<>();
        CompletableFuture<Integer> result = Retry.run(context, () -> "it", DEADLINE_NANOS, timeout -> {
            times.add(world.nanoTime());
            return times.size() < 6
                    ? CompletableFuture.failedFuture(new Retry.AgainException("planted"))
                    : CompletableFuture.completedFuture(times.size());
        });
        world.runAll();
        assertThat(result).isCompletedWithValue(6);
        assertThat(times).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void run_remoteSaysRetryLater_waitsAsLongAsItSays() {
        List<Long> times = new ArrayList<>();
        CompletableFuture<Integer> result = Retry.run(context, () -> "it", DEADLINE_NANOS, timeout -> {
            times.add(world.nanoTime());
            return times.size() == 1
                    ? CompletableFuture.failedFuture(remote(ErrorCode.RETRY_LATER, 3_000_000_000L))
                    : CompletableFuture.completedFuture(1);
        });
        world.runAll();
        assertThat(result).isCompletedWithValue(1);
        assertThat(times).containsExactly(0L, 3_000_000_000L);
    }

    @Test
    void run_lastAttemptIsCutShort_saysWhyThoseBeforeHaveFailed() {
        CompletableFuture<Integer> result = Retry.run(
                context,
                () -> "it",
                DEADLINE_NANOS,
                timeout -> CompletableFuture.failedFuture(
                        timeout < ATTEMPT_NANOS
                                ? new CallTimeoutException("no reply within " + timeout + " ns", true)
                                : new Retry.AgainException("the others are busy")));
        world.runAll();
        assertThatThrownBy(result::join)
                .hasCauseInstanceOf(DeadlineExceededException.class)
                .hasMessageContaining("The last failure: the others are busy.")
                .hasMessageNotContaining("no reply");
    }

    @Test
    void run_onlyAttemptIsCutShort_saysThatThereWasNoReply() {
        CompletableFuture<Integer> result = Retry.run(
                context,
                () -> "it",
                ATTEMPT_NANOS / 2,
                timeout -> CompletableFuture.failedFuture(new CallTimeoutException("no reply", true)));
        world.runAll();
        assertThatThrownBy(result::join).hasMessageContaining("The last failure: no reply.");
    }

    @Test
    void run_newsInAPause_triesAtOnceAndPausesAreShortAgain() {
        List<Long> times = new ArrayList<>();
        List<CompletableFuture<Boolean>> asked = new ArrayList<>();
        Retry.News news = () -> {
            CompletableFuture<Boolean> coming = new CompletableFuture<>();
            asked.add(coming);
            if (asked.size() == 3) {
                world.schedule(1_000_000, () -> coming.complete(true));
            }
            return coming;
        };
        CompletableFuture<Integer> result = Retry.run(context, () -> "it", DEADLINE_NANOS, news, timeout -> {
            times.add(world.nanoTime());
            return times.size() < 12
                    ? CompletableFuture.failedFuture(new Retry.AgainException("planted"))
                    : CompletableFuture.completedFuture(times.size());
        });
        world.runAll();
        assertThat(result).isCompletedWithValue(12);
        List<Long> pauses = new ArrayList<>();
        for (int i = 1; i < times.size(); i++) {
            pauses.add(times.get(i) - times.get(i - 1));
        }
        // The pauses of 2, 4 and 8 ms are too short to ask; those of 16 and 32 ms pass; then there is news.
        int told = pauses.indexOf(1_000_000L);
        assertThat(told).isPositive();
        assertThat(pauses.get(told - 1)).isGreaterThan(4_000_000);
        assertThat(pauses.get(told + 1)).as("the next pause").isLessThanOrEqualTo(2_000_000);
        assertThat(pauses.subList(told + 1, pauses.size()))
                .as("no pause ends with the one that was cut short")
                .allSatisfy(pause -> assertThat(pause).isGreaterThanOrEqualTo(1_000_000));
    }

    @Test
    void run_noNewsYet_isAskedAgainWhileThePauseLasts() {
        int[] asked = {0};
        Retry.News news = () -> {
            asked[0]++;
            CompletableFuture<Boolean> coming = new CompletableFuture<>();
            world.schedule(3_000_000, () -> coming.complete(false));
            return coming;
        };
        List<Long> times = new ArrayList<>();
        CompletableFuture<Integer> result = Retry.run(context, () -> "it", DEADLINE_NANOS, news, timeout -> {
            times.add(world.nanoTime());
            return times.size() == 1
                    ? CompletableFuture.failedFuture(remote(ErrorCode.RETRY_LATER, 31_000_000))
                    : CompletableFuture.completedFuture(1);
        });
        world.runAll();
        assertThat(result).isCompletedWithValue(1);
        assertThat(times).containsExactly(0L, 31_000_000L);
        assertThat(asked[0]).isEqualTo(11);
    }

    @Test
    void run_nobodyToAskOrNoAnswer_pausesInFull() {
        int[] asked = {0};
        Retry.News news = () -> ++asked[0] == 1
                ? null
                : CompletableFuture.failedFuture(new IllegalStateException("the super-peer is silent"));
        int[] attempts = {0};
        CompletableFuture<Integer> result = Retry.run(
                context,
                () -> "it",
                DEADLINE_NANOS,
                news,
                timeout -> ++attempts[0] < 3
                        ? CompletableFuture.failedFuture(remote(ErrorCode.RETRY_LATER, 50_000_000))
                        : CompletableFuture.completedFuture(1));
        world.runAll();
        assertThat(result).isCompletedWithValue(1);
        assertThat(asked[0]).isEqualTo(2);
        assertThat(world.nanoTime()).isEqualTo(100_000_000);
    }

    @Test
    void run_neverSucceeds_failsAtItsDeadlineWithTheLastReason() {
        CompletableFuture<Integer> result = Retry.run(context, () -> "a get of chunk 0x1", DEADLINE_NANOS, timeout -> {
            assertThat(timeout).isBetween(1L, ATTEMPT_NANOS);
            return CompletableFuture.failedFuture(new Retry.AgainException("planted"));
        });
        world.runAll();
        assertThatThrownBy(result::join)
                .hasCauseInstanceOf(DeadlineExceededException.class)
                .hasMessageContaining("a get of chunk 0x1")
                .hasMessageContaining("10000 ms")
                .hasMessageContaining("attempts")
                .hasMessageContaining("granary status")
                .hasMessageContaining("planted");
        assertThat(world.nanoTime()).isLessThanOrEqualTo(DEADLINE_NANOS);
    }

    @Test
    void run_finalFailure_isTranslatedAndNotRepeated() {
        int[] attempts = {0};
        CompletableFuture<Integer> result = Retry.run(context, () -> "it", DEADLINE_NANOS, timeout -> {
            attempts[0]++;
            return CompletableFuture.failedFuture(remote(ErrorCode.OUT_OF_MEMORY, 0));
        });
        world.runAll();
        assertThatThrownBy(result::join)
                .hasCauseInstanceOf(StorageFullException.class)
                .hasMessageContaining("it failed")
                .hasMessageContaining("Add storage peers");
        assertThat(attempts[0]).isEqualTo(1);
    }

    @Test
    void run_attemptThrows_failsTheFuture() {
        CompletableFuture<Integer> result = Retry.run(context, () -> "it", DEADLINE_NANOS, timeout -> {
            throw new InvalidRequestException("planted");
        });
        assertThatThrownBy(result::join).hasCauseInstanceOf(InvalidRequestException.class);
    }

    @Test
    void close_whileAnOperationPauses_failsIt() {
        CompletableFuture<Integer> result = Retry.run(
                context,
                () -> "it",
                DEADLINE_NANOS,
                timeout -> CompletableFuture.failedFuture(new Retry.AgainException("planted")));
        assertThat(result).isNotDone();
        context.pauses().close();
        assertThatThrownBy(result::join)
                .hasCauseInstanceOf(GranaryException.class)
                .hasMessageContaining("the client was closed");
        world.runAll();
        assertThat(world.nanoTime()).as("nothing is tried any more").isLessThan(ATTEMPT_NANOS);
    }

    @Test
    void run_closedScheduler_failsInsteadOfWaitingForEver() {
        List<Throwable> uncaught = new ArrayList<>();
        ThreadScheduler scheduler = new ThreadScheduler("retry-test", uncaught::add);
        Retry.Context real = new Retry.Context(world, scheduler, new SplittableRandom(1), ATTEMPT_NANOS);
        scheduler.close();
        CompletableFuture<Integer> result = Retry.run(
                real,
                () -> "it",
                DEADLINE_NANOS,
                timeout -> CompletableFuture.failedFuture(new Retry.AgainException("planted")));
        assertThatThrownBy(result::join).hasMessageContaining("the client was closed");
        assertThat(uncaught).isEmpty();
    }

    private static RemoteErrorException remote(ErrorCode code, long retryAfterNanos) {
        return new RemoteErrorException("planted", new ErrorReply(code, retryAfterNanos, 0, null, "planted"));
    }
}
