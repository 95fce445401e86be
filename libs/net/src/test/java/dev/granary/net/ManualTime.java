package dev.granary.net;

import dev.granary.env.Clock;
import dev.granary.env.Loops;
import dev.granary.env.Scheduler;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** A clock that stands until it is moved, and a scheduler that follows it. */
public final class ManualTime implements Clock, Scheduler {

    private record Task(long dueNanos, long serial, Runnable action) {}

    private final List<Task> tasks = new ArrayList<>();
    private final Loops loops = Loops.strict(this);
    private long nowNanos = 1_000;
    private long serial;

    public ManualTime() {
        // Stands until it is moved.
    }

    @Override
    public synchronized long nanoTime() {
        return nowNanos;
    }

    @Override
    public long wallMillis() {
        return nanoTime() / 1_000_000;
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
    public synchronized Timer schedule(long delayNanos, Runnable task) {
        Task added = new Task(nowNanos + Math.max(0, delayNanos), serial++, task);
        tasks.add(added);
        return () -> cancel(added);
    }

    private synchronized void cancel(Task task) {
        tasks.remove(task);
    }

    public synchronized int waitingTasks() {
        return tasks.size();
    }

    /** Moves the clock, running on the calling thread what becomes due. */
    public void advance(long nanos) {
        long end = nanoTime() + nanos;
        while (true) {
            Task next = takeDue(end);
            if (next == null) {
                return;
            }
            next.action.run();
        }
    }

    private synchronized @org.jspecify.annotations.Nullable Task takeDue(long end) {
        Task next = tasks.stream()
                .filter(task -> task.dueNanos <= end)
                .min(Comparator.comparingLong(Task::dueNanos).thenComparingLong(Task::serial))
                .orElse(null);
        nowNanos = next == null ? end : Math.max(nowNanos, next.dueNanos);
        if (next != null) {
            tasks.remove(next);
        }
        return next;
    }
}
