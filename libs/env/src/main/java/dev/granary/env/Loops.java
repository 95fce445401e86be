package dev.granary.env;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;

/**
 * Keeps an eye on the {@linkplain Loop loops} of one node: counts what fails,
 * and knows which ones stand still. Thread-safe.
 */
public final class Loops {

    /**
     * After this time without a good round of a vital loop the process counts as dead, unless the loop has a limit of
     * its own. No disk and no garbage collection holds up a thread for this long, and people take longer to notice.
     */
    public static final long VITAL_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Watches rounds. Called on the thread that runs the round. */
    public interface Watcher {

        /** A round begins; what this throws counts as thrown by the round, which is then not carried out. */
        default void beforeRound(String loop) {}

        /** A {@linkplain Steps step} begins; what this throws counts as thrown by the step, which is then not taken. */
        default void beforeStep(String work) {}

        /**
         * A round or step has failed; what follows it is already planned.
         * What this throws goes to the caller that runs the round.
         */
        void failed(String loop, Throwable thrown);
    }

    private final Clock clock;
    private final Watcher watcher;
    private final Set<Loop> running = ConcurrentHashMap.newKeySet();
    private final ConcurrentHashMap<String, LongAdder> failures = new ConcurrentHashMap<>();

    /**
     * Makes the loops of one node.
     *
     * @param clock shows which loops stand still
     */
    public Loops(Clock clock, Watcher watcher) {
        this.clock = clock;
        this.watcher = watcher;
    }

    /**
     * Returns a watcher that reports the first failure of a loop at once, and then at most one in ten seconds.
     *
     * @param say takes text for people, with the number of failures that were not reported, and what was thrown last
     */
    public static Watcher rarely(Clock clock, BiConsumer<String, Throwable> say) {
        return new RareWatcher(clock, QUIET_NANOS, say);
    }

    /**
     * Returns loops for tests and simulations, which look for loops that fail: the caller that runs the round gets the
     * exception.
     */
    public static Loops strict(Clock clock) {
        return new Loops(clock, Loops::rethrow);
    }

    /** Throws what a round has thrown. */
    public static void rethrow(String loop, Throwable thrown) {
        switch (thrown) {
            case RuntimeException failure -> throw failure;
            case Error failure -> throw failure;
            default -> throw new IllegalStateException("loop '" + loop + "' failed", thrown);
        }
    }

    /**
     * Why the process counts as dead: the loops that stand still and on which safety or liveness depends; empty when
     * there are none.
     */
    public Optional<String> stalled() {
        long nowNanos = clock.nanoTime();
        TreeMap<String, Long> stalled = new TreeMap<>();
        for (Loop loop : running) {
            long overdueNanos = loop.overdueNanos(nowNanos);
            if (overdueNanos > loop.silenceLimitNanos()) {
                stalled.merge(loop.name(), overdueNanos, Math::max);
            }
        }
        if (stalled.isEmpty()) {
            return Optional.empty();
        }
        StringBuilder text = new StringBuilder();
        stalled.forEach((name, overdueNanos) -> text.append(text.isEmpty() ? "" : ", ")
                .append("loop '" + name + "' has not ended a round well for ")
                .append(TimeUnit.NANOSECONDS.toSeconds(overdueNanos) + " s"));
        return Optional.of(text.toString());
    }

    /** How many rounds have failed since the start, by the name of the loop, for each loop that ever began. */
    public Map<String, Long> failures() {
        TreeMap<String, Long> counts = new TreeMap<>();
        failures.forEach((name, count) -> counts.put(name, count.sum()));
        return counts;
    }

    /** For how many nanoseconds a good round has been overdue, by the name of the loop; 0 for those in time. */
    public Map<String, Long> overdueNanos() {
        long nowNanos = clock.nanoTime();
        TreeMap<String, Long> overdue = new TreeMap<>();
        running.forEach(loop -> overdue.merge(loop.name(), Math.max(0, loop.overdueNanos(nowNanos)), Math::max));
        return overdue;
    }

    long nanoTime() {
        return clock.nanoTime();
    }

    void began(Loop loop) {
        failures.computeIfAbsent(loop.name(), name -> new LongAdder());
        running.add(loop);
    }

    void ended(Loop loop) {
        running.remove(loop);
    }

    void beforeRound(String loop) {
        watcher.beforeRound(loop);
    }

    void beforeStep(String work) {
        watcher.beforeStep(work);
    }

    void failed(String loop, Throwable thrown) {
        failures.computeIfAbsent(loop, name -> new LongAdder()).increment();
        watcher.failed(loop, thrown);
    }
}
