package dev.granary.cli.graph;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntConsumer;

/** Runs the same work several times at once, each time in its own thread, for instance for each storage peer. */
public final class ParallelWork {

    private ParallelWork() {}

    /**
     * Runs the work for 0, 1, … {@code workers} - 1 and returns when all have ended. Throws the exception of the first
     * one that failed. An interrupt is passed on to all of them and stays set.
     */
    public static void run(int workers, IntConsumer work) {
        List<Future<?>> running = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int worker = 0; worker < workers; worker++) {
                int number = worker;
                running.add(threads.submit(() -> work.accept(number)));
            }
            // close() of the executor waits for all of them; an interrupt there interrupts them.
        }
        for (Future<?> one : running) {
            if (one.state() == Future.State.FAILED) {
                throw asRuntimeException(one.exceptionNow());
            }
        }
        if (Thread.currentThread().isInterrupted()) {
            throw new GraphException("interrupted");
        }
    }

    private static RuntimeException asRuntimeException(Throwable cause) {
        if (cause instanceof Error error) {
            throw error;
        }
        return cause instanceof RuntimeException exception ? exception : new IllegalStateException(cause);
    }
}
