package dev.granary.simulation;

import dev.granary.client.AsyncChunkLock;
import dev.granary.client.LockLostException;
import dev.granary.env.Futures;
import dev.granary.overlay.Cid;
import dev.granary.testkit.LockHistory;
import dev.granary.testkit.LockHistory.Wish;
import dev.granary.testkit.Simulation;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntPredicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What one client does with client locks. It takes them, changes their chunks through them for a while that is
 * sometimes longer than the lease, renews some, and gives some back.
 */
final class LockWorkload {

    private static final long MAX_THINK_NANOS = 500_000_000;
    private static final int BUSY_CHUNKS = 40;
    private static final int MOST_STEPS = 6;

    private final Simulation simulation;
    private final RecordingClient client;
    private final LockHistory history;
    private final List<Long> knownCids;
    private final IntPredicate isGone;
    private final RandomGenerator random;
    private boolean stopping;
    private int running;

    /**
     * Makes a workload that has not begun.
     *
     * @param knownCids of all clients
     * @param isGone whether nobody can say what became of a NID's chunks; the workload leaves such chunks alone
     */
    LockWorkload(
            Simulation simulation,
            RecordingClient client,
            LockHistory history,
            List<Long> knownCids,
            IntPredicate isGone) {
        this.simulation = simulation;
        this.client = client;
        this.history = history;
        this.knownCids = knownCids;
        this.isGone = isGone;
        this.random = simulation.random("locks of " + client.name());
    }

    /** Begins the workload. */
    void start() {
        later(MAX_THINK_NANOS, () -> {
            if (!stopping) {
                act();
            }
        });
    }

    /** Begins nothing more. */
    void stop() {
        stopping = true;
    }

    /** Whether no operation is open. */
    boolean isIdle() {
        return running == 0;
    }

    private void act() {
        long cid = knownCids.isEmpty() ? Cid.NONE : pick();
        if (cid == Cid.NONE || isGone.test(Cid.nid(cid))) {
            start();
            return;
        }
        Duration lease = Duration.ofMillis(random.nextInt(200, 1500));
        Duration wait = Duration.ofMillis(random.nextInt(0, 1200));
        Wish wish = history.begin(client.name(), cid);
        then(client.client().lock(cid, lease, wait), (lock, failure) -> {
            if (lock == null) {
                start();
                return;
            }
            wish.granted(lock.token(), lock::isHeld);
            use(lock, wish, random.nextInt(1, MOST_STEPS));
        });
    }

    /** Returns one of two chunks, the same two for all clients until {@link #BUSY_CHUNKS} other chunks were made. */
    private long pick() {
        int last = knownCids.size() - 1;
        int index = last - last % BUSY_CHUNKS - (random.nextBoolean() ? BUSY_CHUNKS : 0);
        return knownCids.get(Math.max(0, index));
    }

    /** Uses a client lock for {@code steps} steps, whether the client still holds it or not. */
    private void use(AsyncChunkLock lock, Wish wish, int steps) {
        later(lock.lease().toNanos(), () -> {
            int choice = random.nextInt(100);
            if (steps == 0 || stopping) {
                end(lock, choice < 70);
            } else if (choice < 25) {
                then(lock.renew(), (done, failure) -> use(lock, wish, steps - 1));
            } else {
                long began = wish.beginChange();
                then(client.put(lock), (outcome, failure) -> {
                    if (failure == null) {
                        wish.changed(began);
                    } else if (failure instanceof LockLostException) {
                        wish.fenced();
                    }
                    use(lock, wish, steps - 1);
                });
            }
        });
    }

    private void end(AsyncChunkLock lock, boolean giveBack) {
        if (giveBack) {
            then(lock.unlock(), (done, failure) -> start());
        } else {
            start();
        }
    }

    private void later(long mostNanos, Runnable task) {
        simulation.after(random.nextLong(mostNanos), client.name() + " locks", task);
    }

    /** What follows an operation; it gets the result or the failure. */
    @FunctionalInterface
    private interface Next<T> {
        void go(@Nullable T result, @Nullable Throwable failure);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the failure goes to the next step
    private <T extends @Nullable Object> void then(CompletableFuture<T> operation, Next<T> next) {
        running++;
        operation.whenComplete((result, failure) -> {
            running--;
            next.go(result, Futures.causeIfAny(failure));
        });
    }
}
