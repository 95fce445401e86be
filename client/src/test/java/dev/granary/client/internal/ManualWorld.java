package dev.granary.client.internal;

import dev.granary.env.Clock;
import dev.granary.env.Loops;
import dev.granary.env.Scheduler;
import java.util.Comparator;
import java.util.PriorityQueue;

/** A clock and a scheduler that a test moves by hand, in one thread. */
final class ManualWorld implements Clock, Scheduler {

    private record Task(long atNanos, long order, Runnable work) {}

    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.comparingLong(Task::atNanos).thenComparingLong(Task::order));
    private final Loops loops = Loops.strict(this);
    private long nowNanos;
    private long order;

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
        return loops;
    }

    @Override
    public void execute(Runnable task) {
        schedule(0, task);
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        Task entry = new Task(nowNanos + Math.max(0, delayNanos), order++, task);
        tasks.add(entry);
        return () -> tasks.remove(entry);
    }

    /** Runs all tasks, and moves the clock from task to task, until none is left. */
    void runAll() {
        for (Task next = tasks.poll(); next != null; next = tasks.poll()) {
            nowNanos = Math.max(nowNanos, next.atNanos());
            next.work().run();
        }
    }
}
