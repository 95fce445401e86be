package dev.granary.tools.bench.operator;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Runs requests that need not be sent one after the other. */
final class AtOnce {
    private static final int THREADS = 8;

    private AtOnce() {}

    /** A request to the API server. */
    @FunctionalInterface
    interface Task {
        void run() throws IOException, InterruptedException;
    }

    /** Runs all tasks, some at once, and throws the failure of the first one that failed. */
    static void run(List<Task> tasks) throws IOException, InterruptedException {
        if (tasks.isEmpty()) {
            return;
        }
        try (ExecutorService threads = Executors.newFixedThreadPool(Math.min(THREADS, tasks.size()))) {
            List<Future<?>> running = tasks.stream()
                    .<Future<?>>map(task -> threads.submit(() -> {
                        task.run();
                        return null;
                    }))
                    .toList();
            try {
                for (Future<?> future : running) {
                    future.get();
                }
            } catch (ExecutionException e) {
                threads.shutdownNow();
                switch (e.getCause()) {
                    case IOException cause -> throw cause;
                    case RuntimeException cause -> throw cause;
                    case null, default -> throw new IllegalStateException(e);
                }
            }
        }
    }
}
