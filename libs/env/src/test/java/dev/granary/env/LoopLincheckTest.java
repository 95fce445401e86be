package dev.granary.env;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/**
 * However it is begun, stopped and told to go on: a loop that runs has one round planned,
 * and one that does not has none.
 */
class LoopLincheckTest {

    @Test
    void roundsAndStops_allInterleavings_leaveOneRoundPlannedOrNone() {
        new ModelCheckingOptions()
                .iterations(5)
                .invocationsPerIteration(100 * Integer.getInteger("granary.threads.factor", 1))
                .threads(3)
                .actorsPerThread(2)
                .actorsBefore(1)
                .actorsAfter(0)
                .check(Rounds.class);
    }

    /** A loop and the scheduler that it is on. */
    public static class Rounds {

        private final Tasks tasks = new Tasks();
        private final Loop loop = Loop.every(tasks, "rounds", 1, () -> {});

        /** Lincheck makes one for each execution. */
        public Rounds() {}

        @Operation
        public void begin() {
            loop.beginAfter(1);
        }

        @Operation
        public void stop() {
            loop.stop();
        }

        @Operation
        public void again() {
            loop.again(1);
        }

        /** Tasks of one scheduler never run at the same time. */
        @Operation(nonParallelGroup = "scheduler")
        public void runNext() {
            Task next = tasks.planned.poll();
            if (next != null && !next.cancelled.get()) {
                next.work.run();
            }
        }

        /** Checked when all threads have ended. */
        @Validate
        public void validate() {
            long planned =
                    tasks.planned.stream().filter(task -> !task.cancelled.get()).count();
            if (planned != (loop.isRunning() ? 1 : 0)) {
                throw new IllegalStateException(planned + " rounds are planned, it runs: " + loop.isRunning());
            }
        }
    }

    private record Task(Runnable work, AtomicBoolean cancelled) {}

    private static final class Tasks implements Scheduler {

        private final ConcurrentLinkedQueue<Task> planned = new ConcurrentLinkedQueue<>();
        private final Loops loops = Loops.strict(new SystemClock());

        @Override
        public void execute(Runnable task) {
            schedule(0, task);
        }

        @Override
        public Timer schedule(long delayNanos, Runnable task) {
            Task added = new Task(task, new AtomicBoolean());
            planned.add(added);
            return () -> added.cancelled.set(true);
        }

        @Override
        public Loops loops() {
            return loops;
        }
    }
}
