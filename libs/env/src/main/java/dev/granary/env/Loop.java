package dev.granary.env;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.env.Scheduler.Timer;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Work of a node that is done again and again, in rounds, until {@link #stop}. Nothing else ends it: a round that
 * throws is counted and reported to {@link Loops}, and another round follows. An exception in a loop is a bug, but a
 * loop that is gone is worse: nobody would notice that leases are no longer renewed.
 *
 * <p>There are two kinds. {@link #every} begins its rounds regularly. {@link #answered} begins the next round when
 * somebody says so with {@link #again}, usually the answer to what the round has asked; if nobody does so in time, the
 * missing answer counts as a failure and the next round begins.
 *
 * <pre>
 *   OFF --begin--> PLANNED --due--> RUNNING --every: its end--> PLANNED
 *    ^                ^                |
 *    |                |                +------answered: its end------> AWAITING
 *    |                +--again, failure, or no answer in time-------------+
 *    +--stop, from each of them
 * </pre>
 *
 * <p>Thread-safe; rounds are tasks of the scheduler, except a first one that {@link #begin} carries out itself.
 */
public final class Loop {

    /**
     * A watched answer counts as missing after this many checks, spread over the limit. A process that stood still
     * misses one check only, so it does not give up an answer for which it has not waited.
     */
    private static final int LOOKS_PER_LIMIT = 4;

    /** The pause after a round whose period is unknown because asking for it throws. */
    private static final long FALLBACK_PERIOD_NANOS = 1_000_000_000;

    private enum State {
        OFF,
        PLANNED,
        RUNNING,
        AWAITING
    }

    private final Scheduler scheduler;
    private final Loops loops;
    private final String name;
    private final LongSupplier periodNanos;
    private final long answerLimitNanos;
    private final Runnable round;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile long silenceLimitNanos = Long.MAX_VALUE;

    /** The time from which on the next round that ends well is overdue. */
    private volatile long dueNanos;

    // Guarded by the lock.
    @GuardedBy("lock")
    private State state = State.OFF;

    @GuardedBy("lock")
    private @Nullable Timer timer;

    @GuardedBy("lock")
    private long turn;

    private Loop(Scheduler scheduler, String name, LongSupplier periodNanos, long answerLimitNanos, Runnable round) {
        this.scheduler = scheduler;
        this.loops = scheduler.loops();
        this.name = name;
        this.periodNanos = periodNanos;
        this.answerLimitNanos = answerLimitNanos;
        this.round = round;
    }

    /**
     * A loop that begins its rounds regularly; it has not begun.
     *
     * @param name in lower case with hyphens, for people and metrics; several loops may have the same
     * @param periodNanos from the end of a round to the next, asked for after each
     */
    public static Loop every(Scheduler scheduler, String name, LongSupplier periodNanos, Runnable round) {
        return new Loop(scheduler, name, periodNanos, 0, round);
    }

    /** A loop that begins its rounds regularly, always after the same time; it has not begun. */
    public static Loop every(Scheduler scheduler, String name, long periodNanos, Runnable round) {
        return every(scheduler, name, () -> periodNanos, round);
    }

    /**
     * A loop whose next round begins when {@link #again} says so; it has not begun.
     *
     * @param name in lower case with hyphens, for people and metrics; several loops may have the same
     * @param retryNanos from a failure to the next round
     * @param answerLimitNanos from the end of a round until its answer counts as missing
     */
    public static Loop answered(
            Scheduler scheduler, String name, long retryNanos, long answerLimitNanos, Runnable round) {
        return new Loop(scheduler, name, () -> retryNanos, answerLimitNanos, round);
    }

    /**
     * Says that safety or liveness depends on this loop: the process counts as dead when a round is due and none has
     * ended well for {@code limitNanos}. Call it before the loop begins.
     *
     * @return this loop
     */
    public Loop vital(long limitNanos) {
        silenceLimitNanos = limitNanos;
        return this;
    }

    /** The same with the default limit, which fits all loops that run at least every few seconds. */
    public Loop vital() {
        return vital(Loops.VITAL_LIMIT_NANOS);
    }

    /** Carries out the first round now, before this returns. Does nothing when the loop has begun. */
    public void begin() {
        long mine;
        lock.lock();
        try {
            if (state != State.OFF) {
                return;
            }
            loops.began(this);
            dueNanos = loops.nanoTime();
            state = State.PLANNED;
            mine = ++turn;
        } finally {
            lock.unlock();
        }
        run(mine);
    }

    /** Carries out the first round after a while. Does nothing when the loop has begun. */
    public void beginAfter(long delayNanos) {
        lock.lock();
        try {
            if (state == State.OFF) {
                loops.began(this);
                dueNanos = loops.nanoTime() + Math.max(0, delayNanos);
                plan(delayNanos);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Ends the loop, after the round that runs, if one does. The loop may be started again. */
    public void stop() {
        lock.lock();
        try {
            if (state != State.OFF) {
                state = State.OFF;
                turn++;
                cancel();
                loops.ended(this);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Whether the loop has begun and was not stopped. */
    public boolean isRunning() {
        lock.lock();
        try {
            return state != State.OFF;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The present round has ended well, and the next one begins after a while, whatever was planned before.
     * Does nothing when the loop is stopped.
     */
    public void again(long delayNanos) {
        lock.lock();
        try {
            if (state != State.OFF) {
                dueNanos = loops.nanoTime() + Math.max(0, delayNanos);
                plan(delayNanos);
            }
        } finally {
            lock.unlock();
        }
    }

    /** The present round has made progress and waits for another answer: it has the whole limit again. */
    public void goesOn() {
        lock.lock();
        try {
            if (state == State.AWAITING) {
                cancel();
                dueNanos = loops.nanoTime();
                watch(turn, LOOKS_PER_LIMIT);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Carries out a part of a round that comes later, such as handling an answer. If it throws, the round fails.
     */
    public void part(Runnable work) {
        try {
            work.run();
        } catch (Throwable thrown) {
            planAfterFailure();
            loops.failed(name, thrown);
        }
    }

    String name() {
        return name;
    }

    /** For how long a round that ends well has been overdue; zero or less when it is not. */
    long overdueNanos(long nowNanos) {
        return nowNanos - dueNanos;
    }

    long silenceLimitNanos() {
        return silenceLimitNanos;
    }

    private void run(long mine) {
        if (!enter(mine)) {
            return;
        }
        Throwable failure = null;
        try {
            loops.beforeRound(name);
            round.run();
        } catch (Throwable thrown) {
            failure = thrown;
        }
        if (failure != null) {
            planAfterFailure();
            loops.failed(name, failure);
        } else if (answerLimitNanos == 0) {
            endWell();
        } else {
            await(mine);
        }
    }

    private boolean enter(long mine) {
        lock.lock();
        try {
            boolean entered = state == State.PLANNED && turn == mine;
            if (entered) {
                state = State.RUNNING;
                timer = null;
            }
            return entered;
        } finally {
            lock.unlock();
        }
    }

    private void endWell() {
        long delayNanos = nextPeriodNanos();
        lock.lock();
        try {
            if (state == State.RUNNING) {
                dueNanos = loops.nanoTime() + Math.max(0, delayNanos);
                plan(delayNanos);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Another round follows, if none is planned yet; the one that should have ended well stays overdue. */
    private void planAfterFailure() {
        long delayNanos = nextPeriodNanos();
        lock.lock();
        try {
            if (state == State.RUNNING || state == State.AWAITING) {
                plan(delayNanos);
            }
        } finally {
            lock.unlock();
        }
    }

    private void await(long mine) {
        lock.lock();
        try {
            if (state == State.RUNNING && turn == mine) {
                state = State.AWAITING;
                watch(mine, LOOKS_PER_LIMIT);
            }
        } finally {
            lock.unlock();
        }
    }

    /** The caller holds the lock. */
    @GuardedBy("lock")
    private void watch(long mine, int looks) {
        assert lock.isHeldByCurrentThread();
        timer = schedule(answerLimitNanos / LOOKS_PER_LIMIT, () -> lookForAnswer(mine, looks - 1));
    }

    private void lookForAnswer(long mine, int looksLeft) {
        lock.lock();
        try {
            if (state != State.AWAITING || turn != mine) {
                return;
            }
            if (looksLeft > 0) {
                watch(mine, looksLeft);
                return;
            }
        } finally {
            lock.unlock();
        }
        planAfterFailure();
        loops.failed(
                name,
                new IllegalStateException(
                        "a round of '" + name + "' has had no answer for " + answerLimitNanos / 1_000_000 + " ms"));
    }

    private long nextPeriodNanos() {
        try {
            return periodNanos.getAsLong();
        } catch (Throwable thrown) {
            return FALLBACK_PERIOD_NANOS;
        }
    }

    /** The caller holds the lock. */
    @GuardedBy("lock")
    private void plan(long delayNanos) {
        assert lock.isHeldByCurrentThread();
        cancel();
        state = State.PLANNED;
        long mine = ++turn;
        timer = schedule(delayNanos, () -> run(mine));
    }

    /** The caller holds the lock. */
    @GuardedBy("lock")
    private @Nullable Timer schedule(long delayNanos, Runnable task) {
        assert lock.isHeldByCurrentThread();
        try {
            return scheduler.schedule(delayNanos, task);
        } catch (RejectedExecutionException e) {
            // The scheduler was closed, and with it all that runs there.
            state = State.OFF;
            turn++;
            loops.ended(this);
            return null;
        }
    }

    /** The caller holds the lock. */
    @GuardedBy("lock")
    private void cancel() {
        assert lock.isHeldByCurrentThread();
        Timer planned = timer;
        timer = null;
        if (planned != null) {
            planned.cancel();
        }
    }
}
