package dev.granary.client.internal;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/**
 * Tasks that end on several threads at once: each starts exactly once, and no more are under way than allowed.
 */
class WindowLincheckTest {

    @Test
    void run_tasksEndOnSeveralThreads_eachIsRunOnceAndTheResultComesLast() {
        new ModelCheckingOptions()
                .iterations(5)
                .invocationsPerIteration(100 * Integer.getInteger("granary.threads.factor", 1))
                .threads(3)
                .actorsPerThread(2)
                .actorsBefore(0)
                .actorsAfter(0)
                .check(Tasks.class);
    }

    /** Each operation ends one task that is under way. */
    public static class Tasks {

        private static final int COUNT = 6;
        private static final int LIMIT = 2;

        private final List<CompletableFuture<Void>> started = new ArrayList<>();
        private final AtomicInteger underWay = new AtomicInteger();
        private final AtomicInteger ended = new AtomicInteger();
        private final CompletableFuture<Void> result = Window.run(LIMIT, tasks());

        private Iterator<Supplier<CompletableFuture<Void>>> tasks() {
            List<Supplier<CompletableFuture<Void>>> all = new ArrayList<>();
            for (int i = 0; i < COUNT; i++) {
                all.add(this::begin);
            }
            return all.iterator();
        }

        private CompletableFuture<Void> begin() {
            if (underWay.incrementAndGet() > LIMIT) {
                throw new AssertionError("more than " + LIMIT + " tasks are under way");
            }
            CompletableFuture<Void> task = new CompletableFuture<>();
            synchronized (started) {
                started.add(task);
            }
            return task;
        }

        @Operation
        public void end() {
            CompletableFuture<Void> task;
            synchronized (started) {
                task = started.isEmpty() ? null : started.removeFirst();
            }
            // Null: the thread that ended another task is beginning the next one.
            if (task != null) {
                underWay.decrementAndGet();
                int count = ended.incrementAndGet();
                if (result.isDone() && count < COUNT) {
                    throw new AssertionError("the result is there before " + (COUNT - count) + " tasks have ended");
                }
                task.complete(null);
            }
        }

        /** When all threads are done, the remaining tasks can be ended, and then there is a result. */
        @Validate
        public void everyTaskHasBegunOnce() {
            for (int left = COUNT - ended.get(); left > 0; left--) {
                if (started.isEmpty()) {
                    throw new AssertionError("nobody begins the last " + left + " tasks");
                }
                end();
            }
            if (!result.isDone()) {
                throw new AssertionError("all tasks have ended, and there is no result");
            }
        }
    }
}
