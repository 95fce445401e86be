package dev.granary.e2e.load;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.client.ClientOptions;
import dev.granary.client.Durability;
import dev.granary.client.GranaryClient;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * Clients at work, half of them with empty caches. A wrong answer is an impossible value: neither the last acknowledged
 * one nor one whose put had an unknown outcome. A failure is an operation that throws, or takes over two seconds with
 * default settings, retries included. Operations are counted second by second. If the system property {@code
 * granary.histories} names a folder, the load leaves a history of a sample of the operations there, for e2e/judge.
 */
public final class Load implements AutoCloseable {

    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final int MOST_ERRORS = 1_000;

    private final List<LoadWorker> workers = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();

    @GuardedBy("seconds")
    private final TreeMap<Integer, Second> seconds = new TreeMap<>();

    private final ClientOptions options;
    private final Optional<LoadHistory> history;
    private final WriteGaps writeGaps;
    private long beganNanos;
    private volatile boolean stopped;

    private static final class Second {
        private int operations;
        private long longestNanos;
        private String note = "";
    }

    private Load(ClientOptions options, int clients) {
        this.options = options;
        this.writeGaps = new WriteGaps(clients);
        Durability promise = options.durability() == null ? Durability.REPLICATED : options.durability();
        this.history = Optional.ofNullable(System.getProperty(LoadHistory.FOLDER))
                .map(folder -> LoadHistory.in(Path.of(folder), promise));
    }

    /**
     * Creates chunks and starts to work on them.
     *
     * @param clients the number of clients; half of them start cold
     */
    public static Load start(ClientOptions options, int clients) {
        return start(options, clients, 0);
    }

    /**
     * Does the same with clients that pause after each operation and so leave the machine to the cluster.
     *
     * @param clients the number of clients; half of them start cold
     * @param pauseMillis the pause after each operation; 0 for none
     */
    public static Load start(ClientOptions options, int clients, int pauseMillis) {
        Load load = new Load(options, clients);
        for (int i = 0; i < clients; i++) {
            Optional<LoadHistory> sample = LoadHistory.isSampled(i) ? load.history : Optional.empty();
            LoadWorker worker = new LoadWorker(i, load, options, i % 2 == 1, pauseMillis, sample);
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

    /**
     * Runs an operation of a worker, and notes whatever it throws.
     *
     * @return whether its outcome is known
     */
    @SuppressWarnings("CatchingUnchecked") // whatever an operation throws, it has failed
    boolean time(String what, Runnable operation) {
        long startNanos = System.nanoTime();
        boolean done = false;
        try {
            operation.run();
            done = true;
        } catch (WrongAnswer answer) {
            add(wrong, what + ": " + answer.getMessage());
        } catch (RuntimeException failure) {
            add(failures, what + " failed after " + (System.nanoTime() - startNanos) / 1_000_000 + " ms: " + failure);
        }
        long nanos = System.nanoTime() - startNanos;
        if (done) {
            tookNanos(what, nanos);
        }
        synchronized (seconds) {
            Second second = currentSecond();
            second.operations++;
            second.longestNanos = Math.max(second.longestNanos, nanos);
        }
        return done;
    }

    /** Records that an operation ended; one that took too long has failed. */
    void tookNanos(String what, long nanos) {
        if (nanos > LONGEST_NANOS) {
            failed(what + " took " + nanos / 1_000_000 + " ms");
        }
    }

    /** Records that an operation failed. */
    void failed(String what) {
        add(failures, what);
    }

    /** Records an answer that cannot be right. */
    void wrong(String what) {
        add(wrong, what);
    }

    /** Notes what is done to the cluster now. */
    public void note(String what) {
        synchronized (seconds) {
            Second second = currentSecond();
            second.note += (second.note.isEmpty() ? "" : ", ") + what;
        }
    }

    /** Records that a client's write was acknowledged. */
    void wrote(int client) {
        writeGaps.acknowledged(client, System.nanoTime());
    }

    /** Begins to measure for how long each client has no write acknowledged. */
    public void watchWrites() {
        writeGaps.begin(System.nanoTime());
    }

    /**
     * Returns the longest time since {@link #watchWrites} in which some client had no write acknowledged. Call it
     * before the work ends.
     */
    public long longestWithoutWriteMillis() {
        return TimeUnit.NANOSECONDS.toMillis(writeGaps.longestNanos(System.nanoTime()));
    }

    /** Lets the clients work for a while. */
    public void runFor(int forSeconds) {
        try {
            TimeUnit.SECONDS.sleep(forSeconds);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    /**
     * Ends the work, reads every chunk with a new client, prints each second, and returns wrong answers and failures.
     */
    public List<String> stop() {
        endWork();
        try (GranaryClient reader = GranaryClient.connect(options)) {
            workers.forEach(worker -> worker.verify(reader));
        }
        print();
        List<String> all = new ArrayList<>(wrong);
        all.addAll(failures);
        return all;
    }

    /** Returns the answers that cannot be right. */
    public List<String> wrongAnswers() {
        return List.copyOf(wrong);
    }

    /** Returns what failed or took too long. */
    public List<String> failures() {
        return List.copyOf(failures);
    }

    /** Returns the number of operations in each second, from the first second on. */
    public List<Integer> operationsBySecond() {
        synchronized (seconds) {
            if (seconds.isEmpty()) {
                return List.of();
            }
            List<Integer> operations = new ArrayList<>();
            for (int i = 0; i <= seconds.lastKey(); i++) {
                operations.add(seconds.getOrDefault(i, new Second()).operations);
            }
            return operations;
        }
    }

    /** Returns the number of all operations. */
    public long operations() {
        synchronized (seconds) {
            return seconds.values().stream()
                    .mapToLong(second -> second.operations)
                    .sum();
        }
    }

    @Override
    public void close() {
        endWork();
        history.ifPresent(LoadHistory::close);
    }

    private void endWork() {
        stopped = true;
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted", e);
            }
        }
    }

    /** Whether a text that {@link #stop} returned is about an operation that ended with an error after all retries. */
    public static boolean isFailed(String problem) {
        return problem.contains(" failed after ");
    }

    private void add(Collection<String> list, String text) {
        if (list.size() < MOST_ERRORS) {
            list.add(String.format(Locale.ROOT, "at %.1f s: %s", (System.nanoTime() - beganNanos) / 1e9, text));
        }
    }

    @GuardedBy("seconds")
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
        wrong.forEach(text -> System.out.println("wrong " + text));
        failures.forEach(text -> System.out.println("failure " + text));
    }
}
