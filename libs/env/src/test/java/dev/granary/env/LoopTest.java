package dev.granary.env;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LoopTest {

    private static final long SECOND = 1_000_000_000;

    private final Hand hand = new Hand();
    private final List<Long> rounds = new ArrayList<>();
    private final List<String> told = new ArrayList<>();
    private @Nullable RuntimeException toThrow;
    private @Nullable RuntimeException toThrowBefore;
    private final Loops loops = new Loops(hand, new Loops.Watcher() {
        @Override
        public void beforeRound(String loop) {
            RuntimeException thrown = toThrowBefore;
            if (thrown != null) {
                throw thrown;
            }
        }

        @Override
        public void failed(String loop, Throwable thrown) {
            told.add(loop + ": " + thrown.getMessage());
        }
    });

    private void round() {
        rounds.add(hand.nowNanos / SECOND);
        RuntimeException thrown = toThrow;
        if (thrown != null) {
            throw thrown;
        }
    }

    private Loop everySecond() {
        return Loop.every(hand, "planted", SECOND, this::round).vital();
    }

    private Loop answered() {
        return Loop.answered(hand, "planted", SECOND, 8 * SECOND, this::round).vital();
    }

    @Test
    void every_begun_runsAtOnceAndThenRegularly() {
        Loop loop = everySecond();
        loop.begin();
        loop.begin();
        hand.runFor(3 * SECOND);

        assertThat(rounds).containsExactly(0L, 1L, 2L, 3L);
        assertThat(loops.failures()).containsEntry("planted", 0L);
        assertThat(loops.stalled()).isEmpty();
    }

    @Test
    void every_throwsOnce_goesOnAndCountsIt() {
        Loop loop = everySecond();
        toThrow = new IllegalStateException("once");
        loop.begin();
        toThrow = null;
        hand.runFor(2 * SECOND);

        assertThat(rounds).containsExactly(0L, 1L, 2L);
        assertThat(loops.failures()).containsEntry("planted", 1L);
        assertThat(told).containsExactly("planted: once");
        assertThat(loops.stalled()).isEmpty();
    }

    @Test
    void every_throwsAnError_goesOn() {
        Loop loop = Loop.every(hand, "planted", SECOND, () -> {
            rounds.add(hand.nowNanos / SECOND);
            throw new OutOfMemoryError("planted");
        });
        loop.begin();
        hand.runFor(SECOND);

        assertThat(rounds).containsExactly(0L, 1L);
        assertThat(told).hasSize(2);
    }

    @Test
    void every_throwsAlways_isStalledAfterItsLimitAndNotWhenItDoesItsWorkAgain() {
        Loop loop = everySecond();
        loop.begin();
        toThrow = new IllegalStateException("always");
        hand.runFor(30 * SECOND);
        assertThat(loops.stalled()).isEmpty();
        hand.runFor(2 * SECOND);

        assertThat(loops.stalled())
                .hasValueSatisfying(reason -> assertThat(reason).contains("'planted'"));
        assertThat(loops.failures()).containsEntry("planted", 32L);
        assertThat(loops.overdueNanos()).containsEntry("planted", 31 * SECOND);
        toThrow = null;
        hand.runFor(SECOND);
        assertThat(loops.stalled()).isEmpty();
        assertThat(loops.overdueNanos()).containsEntry("planted", 0L);
    }

    @Test
    void every_notVitalAndThrowingAlways_isNotStalled() {
        toThrow = new IllegalStateException("always");
        Loop.every(hand, "planted", SECOND, this::round).begin();
        hand.runFor(1000 * SECOND);

        assertThat(loops.stalled()).isEmpty();
    }

    @Test
    void every_theThreadStandsStill_isStalled() {
        everySecond().begin();
        hand.nowNanos += 40 * SECOND;

        assertThat(loops.stalled()).isPresent();
    }

    @Test
    void every_periodCannotBeTold_goesOn() {
        Loop loop = Loop.every(
                hand,
                "planted",
                () -> {
                    throw new IllegalStateException("no period");
                },
                this::round);
        loop.begin();
        hand.runFor(2 * SECOND);

        assertThat(rounds).containsExactly(0L, 1L, 2L);
    }

    @Test
    void every_failsBeforeTheRound_countsAndGoesOn() {
        toThrowBefore = new IllegalStateException("injected");
        everySecond().begin();
        toThrowBefore = null;
        hand.runFor(SECOND);

        assertThat(rounds).containsExactly(1L);
        assertThat(told).containsExactly("planted: injected");
    }

    @Test
    void stop_fromItsOwnRound_endsItUntilItBeginsAnew() {
        Loop[] loop = new Loop[1];
        loop[0] = Loop.every(hand, "planted", SECOND, () -> {
            round();
            if (rounds.size() == 2) {
                loop[0].stop();
            }
        });
        loop[0].begin();
        hand.runFor(5 * SECOND);
        assertThat(rounds).containsExactly(0L, 1L);
        assertThat(loop[0].isRunning()).isFalse();
        assertThat(loops.overdueNanos()).isEmpty();

        loop[0].beginAfter(SECOND);
        hand.runFor(2 * SECOND);

        assertThat(rounds).containsExactly(0L, 1L, 6L, 7L);
    }

    @Test
    void stop_vitalLoop_isNotStalled() {
        Loop loop = everySecond();
        loop.begin();
        loop.stop();
        hand.runFor(100 * SECOND);

        assertThat(rounds).hasSize(1);
        assertThat(loops.stalled()).isEmpty();
    }

    @Test
    void answered_again_beginsTheNextRoundOnce() {
        Loop loop = answered();
        loop.begin();
        loop.again(3 * SECOND);
        loop.again(2 * SECOND);
        hand.runFor(5 * SECOND);

        assertThat(rounds).containsExactly(0L, 2L);
    }

    @Test
    void answered_noAnswer_countsAndBeginsTheNextRound() {
        Loop loop = answered();
        loop.begin();
        hand.runFor(9 * SECOND);

        assertThat(rounds).containsExactly(0L, 9L);
        assertThat(told).containsExactly("planted: a round of 'planted' has had no answer for 8000 ms");
        loop.again(SECOND);
        hand.runFor(SECOND);
        assertThat(rounds).containsExactly(0L, 9L, 10L);
    }

    @Test
    void answered_neverAnAnswer_isStalled() {
        answered().begin();
        hand.runFor(32 * SECOND);

        assertThat(loops.stalled()).isPresent();
    }

    @Test
    void answered_theProcessStoodStill_doesNotMissAnAnswerThatIsJustComing() {
        Loop loop = answered();
        loop.begin();
        // The answer comes just after the pause, behind the timers that became due in it.
        hand.nowNanos += 100 * SECOND;
        hand.schedule(0, () -> loop.again(SECOND));
        hand.runFor(SECOND);

        assertThat(told).isEmpty();
        assertThat(rounds).containsExactly(0L, 101L);
    }

    @Test
    void answered_laterPartThrows_countsAndBeginsTheNextRound() {
        Loop loop = answered();
        loop.begin();
        hand.schedule(
                SECOND,
                () -> loop.part(() -> {
                    throw new IllegalStateException("answer");
                }));
        hand.runFor(2 * SECOND);

        assertThat(rounds).containsExactly(0L, 2L);
        assertThat(told).containsExactly("planted: answer");
    }

    @Test
    void answered_laterPartThrowsAfterAgain_keepsWhatWasPlanned() {
        Loop loop = answered();
        loop.begin();
        loop.part(() -> {
            loop.again(5 * SECOND);
            throw new IllegalStateException("answer");
        });
        hand.runFor(6 * SECOND);

        assertThat(rounds).containsExactly(0L, 5L);
        assertThat(told).hasSize(1);
    }

    @Test
    void answered_longPause_isNotStalled() {
        Loop loop = answered();
        loop.begin();
        loop.again(100 * SECOND);
        hand.runFor(99 * SECOND);

        assertThat(loops.stalled()).isEmpty();
    }

    @Test
    void every_schedulerIsClosed_ends() {
        Loop loop = everySecond();
        loop.begin();
        hand.closed = true;
        hand.runFor(100 * SECOND);

        assertThat(rounds).hasSize(2);
        assertThat(told).isEmpty();
        assertThat(loops.stalled()).isEmpty();
    }

    @Test
    void strict_aRoundThrows_throwsToWhoRunsItAndGoesOn() {
        Loops strict = Loops.strict(hand);
        hand.loops = strict;
        Loop loop = everySecond();
        toThrow = new IllegalStateException("bug");

        assertThatThrownBy(loop::begin).hasMessage("bug");
        toThrow = null;
        hand.runFor(SECOND);
        assertThat(rounds).containsExactly(0L, 1L);
    }

    @Test
    void rarely_failsAgainAndAgain_tellsOfTheFirstAndThenNowAndThen() {
        List<String> said = new ArrayList<>();
        Loops.Watcher watcher = Loops.rarely(hand, (text, thrown) -> said.add(text));
        for (int i = 0; i < 25; i++) {
            watcher.failed("one", new IllegalStateException("planted"));
            hand.nowNanos += SECOND;
        }
        watcher.failed("two", new IllegalStateException("planted"));

        assertThat(said).hasSize(4);
        assertThat(said.get(0)).contains("'one'").doesNotContain("not reported");
        assertThat(said.get(1)).contains("9 failures");
        assertThat(said.get(3)).contains("'two'");
    }

    /** A clock and a scheduler that are moved by hand. */
    private final class Hand implements Clock, Scheduler {

        private record Task(long atNanos, long order, Runnable work) {}

        private final PriorityQueue<Task> tasks =
                new PriorityQueue<>(Comparator.comparingLong(Task::atNanos).thenComparingLong(Task::order));
        private long nowNanos;
        private long order;
        private boolean closed;
        private @Nullable Loops loops;

        @Override
        public long nanoTime() {
            return nowNanos;
        }

        @Override
        public long wallMillis() {
            return nowNanos / 1_000_000;
        }

        @Override
        public Loops loops() {
            return loops == null ? LoopTest.this.loops : loops;
        }

        @Override
        public void execute(Runnable task) {
            schedule(0, task);
        }

        @Override
        public Timer schedule(long delayNanos, Runnable task) {
            if (closed) {
                throw new RejectedExecutionException("closed");
            }
            Task added = new Task(nowNanos + Math.max(0, delayNanos), order++, task);
            tasks.add(added);
            return () -> tasks.remove(added);
        }

        void runFor(long nanos) {
            long endNanos = nowNanos + nanos;
            for (Task next = tasks.peek(); next != null && next.atNanos <= endNanos; next = tasks.peek()) {
                tasks.remove(next);
                nowNanos = Math.max(nowNanos, next.atNanos);
                next.work.run();
            }
            nowNanos = Math.max(nowNanos, endNanos);
        }
    }
}
