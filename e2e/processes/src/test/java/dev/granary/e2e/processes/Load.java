package dev.granary.e2e.processes;

import dev.granary.client.ClientOptions;
import dev.granary.client.GranaryClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * Clients at work, half of them with empty caches. An error is an operation that throws, answers wrongly, or takes over two
 * seconds with default settings, retries included. Counts operations second by second.
 */
final class Load implements AutoCloseable {

    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final int MOST_ERRORS = 1_000;

    private final List<LoadWorker> workers = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final ConcurrentLinkedQueue<String> errors = new ConcurrentLinkedQueue<>();
    private final TreeMap<Integer, Second> seconds = new TreeMap<>();
    private final ClientOptions options;
    private long beganNanos;
    private volatile boolean stopped;

    private static final class Second {
        private int operations;
        private long longestNanos;
        private String note = "";
    }

    private Load(ClientOptions options) {
        this.options = options;
    }

    /**
     * Makes chunks and starts to work on them.
     *
     * @param clients half of them start cold
     */
    static Load start(ClientOptions options, int clients) {
        Load load = new Load(options);
        for (int i = 0; i < clients; i++) {
            LoadWorker worker = new LoadWorker(i, load, options, i % 2 == 1);
            worker.prepare();
            load.workers.add(worker);
        }
        load.beganNanos = System.nanoTime();
        for (LoadWorker worker : load.workers) {
            load.threads.add(
                    Thread.ofPlatform().name("load-", load.threads.size()).start(worker));
        }
        return load;
    }

    boolean isStopped() {
        return stopped;
    }

    /** Runs an operation of a worker; whatever it throws is an error of the load, not of the worker. */
    @SuppressWarnings("CatchingUnchecked") // an operation that throws anything is an error
    void time(String what, Runnable operation) {
        long startNanos = System.nanoTime();
        try {
            operation.run();
        } catch (RuntimeException | AssertionError failure) {
            error(what + " failed after " + (System.nanoTime() - startNanos) / 1_000_000 + " ms: " + failure);
        }
        long nanos = System.nanoTime() - startNanos;
        if (nanos > LONGEST_NANOS) {
            error(what + " took " + nanos / 1_000_000 + " ms");
        }
        synchronized (seconds) {
            Second second = currentSecond();
            second.operations++;
            second.longestNanos = Math.max(second.longestNanos, nanos);
        }
    }

    /** Writes down what is done to the cluster now. */
    void note(String what) {
        synchronized (seconds) {
            Second second = currentSecond();
            second.note += (second.note.isEmpty() ? "" : ", ") + what;
        }
    }

    /** Lets the clients work for a while. */
    void runFor(int forSeconds) {
        try {
            TimeUnit.SECONDS.sleep(forSeconds);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    /** Ends the work, reads every chunk with a new client, prints each second, and returns what went wrong. */
    List<String> stop() {
        close();
        try (GranaryClient reader = GranaryClient.connect(options)) {
            workers.forEach(worker -> time("last get", () -> worker.verify(reader)));
        }
        print();
        return List.copyOf(errors);
    }

    /** How many operations there were in all. */
    long operations() {
        synchronized (seconds) {
            return seconds.values().stream()
                    .mapToLong(second -> second.operations)
                    .sum();
        }
    }

    @Override
    public void close() {
        stopped = true;
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError("interrupted", e);
            }
        }
    }

    private void error(String text) {
        if (errors.size() < MOST_ERRORS) {
            errors.add(String.format(Locale.ROOT, "at %.1f s: %s", (System.nanoTime() - beganNanos) / 1e9, text));
        }
    }

    private Second currentSecond() {
        return seconds.computeIfAbsent(
                (int) TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - beganNanos), any -> new Second());
    }

    private void print() {
        System.out.printf("%6s %12s %12s%n", "second", "operations", "longest, ms");
        synchronized (seconds) {
            for (int i = 0; i <= seconds.lastKey(); i++) {
                Second second = seconds.getOrDefault(i, new Second());
                System.out.printf(
                        "%6d %12d %12d  %s%n", i, second.operations, second.longestNanos / 1_000_000, second.note);
            }
        }
        errors.forEach(text -> System.out.println("error " + text));
    }
}
