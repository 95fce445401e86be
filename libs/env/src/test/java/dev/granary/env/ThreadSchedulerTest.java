package dev.granary.env;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ThreadSchedulerTest {

    private final List<Throwable> uncaught = Collections.synchronizedList(new ArrayList<>());

    private ThreadScheduler scheduler() {
        return new ThreadScheduler("test-scheduler", uncaught::add);
    }

    private static void runAndWait(Scheduler scheduler, Runnable task) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        scheduler.execute(() -> {
            task.run();
            done.countDown();
        });
        done.await();
    }

    @Test
    void execute_manyThreads_runsOneTaskAtATimeInOrder() throws InterruptedException {
        int perThread = 5_000;
        int[] unguardedCount = {0};
        List<Integer> orderOfOne = new ArrayList<>();
        try (ThreadScheduler scheduler = scheduler()) {
            List<Thread> threads = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                boolean first = t == 0;
                threads.add(Thread.ofPlatform().start(() -> {
                    for (int i = 0; i < perThread; i++) {
                        int number = i;
                        scheduler.execute(() -> {
                            unguardedCount[0]++;
                            if (first) {
                                orderOfOne.add(number);
                            }
                        });
                    }
                }));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            runAndWait(scheduler, () -> {});
        }
        assertThat(unguardedCount[0]).isEqualTo(4 * perThread);
        assertThat(orderOfOne).hasSize(perThread).isSorted();
        assertThat(uncaught).isEmpty();
    }

    @Test
    void execute_taskThrows_handlerIsToldAndLaterTasksRun() throws InterruptedException {
        AssertionError error = new AssertionError("planted");
        try (ThreadScheduler scheduler = scheduler()) {
            scheduler.execute(() -> {
                throw error;
            });
            runAndWait(scheduler, () -> assertThat(uncaught).containsExactly(error));
            assertThat(uncaught).containsExactly(error);
        }
    }

    @Test
    void schedule_delays_runInOrderOfTimeAndNotBefore() throws InterruptedException {
        Clock clock = new SystemClock();
        List<String> order = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch done = new CountDownLatch(2);
        long[] ranAtNanos = {0};
        long delayNanos = 20_000_000;
        try (ThreadScheduler scheduler = scheduler()) {
            long startNanos = clock.nanoTime();
            scheduler.schedule(delayNanos, () -> {
                ranAtNanos[0] = clock.nanoTime();
                order.add("late");
                done.countDown();
            });
            scheduler.schedule(-1, () -> {
                order.add("soon");
                done.countDown();
            });
            done.await();
            assertThat(order).containsExactly("soon", "late");
            assertThat(ranAtNanos[0] - startNanos).isGreaterThanOrEqualTo(delayNanos);
        }
    }

    @Test
    void cancel_waitingTask_neverRuns() throws InterruptedException {
        AtomicInteger runs = new AtomicInteger();
        try (ThreadScheduler scheduler = scheduler()) {
            CountDownLatch later = new CountDownLatch(1);
            // A machine with much else to do takes a while to get to the cancelling.
            Scheduler.Timer timer = scheduler.schedule(300_000_000, runs::incrementAndGet);
            timer.cancel();
            timer.cancel();
            scheduler.schedule(301_000_000, later::countDown);
            later.await();
        }
        assertThat(runs).hasValue(0);
    }

    @Test
    void close_waitingTasks_areDroppedAndTheThreadEnds() throws InterruptedException {
        AtomicInteger runs = new AtomicInteger();
        ThreadScheduler scheduler = scheduler();
        Thread[] thread = new Thread[1];
        runAndWait(scheduler, () -> thread[0] = Thread.currentThread());
        assertThat(thread[0].isDaemon()).isFalse();
        assertThat(thread[0].getName()).isEqualTo("test-scheduler");
        scheduler.schedule(3_600_000_000_000L, runs::incrementAndGet);
        scheduler.close();
        thread[0].join();
        assertThat(runs).hasValue(0);
        assertThatThrownBy(() -> scheduler.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
    }

    @Test
    void close_calledByATask_doesNotWaitForItself() throws InterruptedException {
        ThreadScheduler scheduler = scheduler();
        runAndWait(scheduler, scheduler::close);
        scheduler.close();
        assertThat(uncaught).isEmpty();
    }
}
