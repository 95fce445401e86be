package dev.granary.env;

import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A scheduler on one thread of its own, which keeps the process alive until {@link #close}. A task that throws does not
 * stop the thread: what it threw goes to the handler.
 *
 * <p>After {@link #close}, {@link #execute} and {@link #schedule} throw {@link
 * java.util.concurrent.RejectedExecutionException}: stop whatever hands in tasks first.
 */
public final class ThreadScheduler implements Scheduler, AutoCloseable {

    private final Thread thread;
    private final Consumer<Throwable> uncaughtHandler;
    private final ScheduledThreadPoolExecutor executor;
    private final Loops loops;

    /**
     * Starts the thread. Failures of loops are reported to the handler now and then.
     *
     * @param threadName shown in thread dumps
     * @param uncaughtHandler is told, on the scheduler's thread, what a task threw; must not throw itself
     */
    public ThreadScheduler(String threadName, Consumer<Throwable> uncaughtHandler) {
        this(threadName, uncaughtHandler, loopsOf(new SystemClock(), uncaughtHandler));
    }

    /**
     * Starts the thread.
     *
     * @param threadName shown in thread dumps
     * @param uncaughtHandler is told, on the scheduler's thread, what a task threw; must not throw itself
     * @param loops watches what is done again and again here
     */
    public ThreadScheduler(String threadName, Consumer<Throwable> uncaughtHandler, Loops loops) {
        this.uncaughtHandler = uncaughtHandler;
        this.loops = loops;
        Thread[] made = new Thread[1];
        executor = new ScheduledThreadPoolExecutor(1, work -> {
            made[0] = new Thread(work, threadName);
            return made[0];
        });
        executor.setRemoveOnCancelPolicy(true);
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        executor.prestartCoreThread();
        thread = made[0];
    }

    private static Loops loopsOf(Clock clock, Consumer<Throwable> handler) {
        return new Loops(clock, Loops.rarely(clock, (text, thrown) -> handler.accept(thrown)));
    }

    @Override
    public Loops loops() {
        return loops;
    }

    @Override
    public void execute(Runnable task) {
        executor.execute(() -> runGuarded(task));
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        ScheduledFuture<?> future = executor.schedule(() -> runGuarded(task), delayNanos, TimeUnit.NANOSECONDS);
        return () -> future.cancel(false);
    }

    /**
     * Waits for the task that runs and drops all others. The thread is never interrupted: an interrupt would close the
     * files that a task works on. Called by a task of this scheduler, it returns at once and that task is the last one.
     */
    @Override
    public void close() {
        executor.shutdown();
        if (Thread.currentThread() == thread) {
            return;
        }
        try {
            boolean ended = false;
            while (!ended) {
                ended = executor.awaitTermination(1, TimeUnit.HOURS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void runGuarded(Runnable task) {
        try {
            task.run();
        } catch (Throwable thrown) {
            uncaughtHandler.accept(thrown);
        }
    }
}
