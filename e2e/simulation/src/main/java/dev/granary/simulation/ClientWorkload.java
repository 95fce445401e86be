package dev.granary.simulation;

import dev.granary.client.Place;
import dev.granary.overlay.Cid;
import dev.granary.simulation.conditions.ClientHabits;
import dev.granary.testkit.Simulation;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongPredicate;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;

/**
 * What one client does: it creates, reads, overwrites and deletes chunks at random, alone and in batches. Some of them
 * are chunks that other clients created.
 */
final class ClientWorkload {

    private static final long MAX_THINK_NANOS = 100_000_000;
    private static final int PICK_TRIES = 20;
    private static final int BUSY_CHUNKS = 24;

    private final Simulation simulation;
    private final RecordingClient client;
    private final List<Long> knownCids;
    private final LongPredicate isGone;
    private final ClientHabits habits;
    private final RandomGenerator random;
    private boolean stopping;
    private int running;

    /**
     * Makes a workload that has not begun.
     *
     * @param knownCids the CIDs of all clients; this workload adds its own
     * @param isGone whether nobody can say what became of a chunk; the workload leaves such chunks alone
     */
    ClientWorkload(
            Simulation simulation,
            RecordingClient client,
            List<Long> knownCids,
            LongPredicate isGone,
            ClientHabits habits) {
        this.simulation = simulation;
        this.client = client;
        this.knownCids = knownCids;
        this.isGone = isGone;
        this.habits = habits;
        this.random = simulation.random("workload of " + client.name());
    }

    /** Begins the workload, with {@code parallel} operations at a time. */
    void start(int parallel) {
        for (int i = 0; i < parallel; i++) {
            think();
        }
    }

    /** Begins nothing more. */
    void stop() {
        stopping = true;
    }

    /** Whether no operation is open. */
    boolean isIdle() {
        return running == 0;
    }

    private void think() {
        simulation.after(random.nextLong(MAX_THINK_NANOS), client.name() + " acts", () -> {
            if (!stopping) {
                running++;
                act();
            }
        });
    }

    @SuppressWarnings("FutureReturnValueIgnored") // a failure to record fails the run by itself
    private void act() {
        choose().whenComplete((done, failure) -> {
            running--;
            if (failure != null) {
                simulation.after(0, "failure of " + client.name(), () -> {
                    throw new IllegalStateException(client.name() + " could not record: " + failure, failure);
                });
            }
            think();
        });
    }

    private CompletableFuture<?> choose() {
        int choice = random.nextInt(100);
        if (knownCids.isEmpty() || choice < 15) {
            return create(1 + (choice < 4 ? random.nextInt(habits.largestBatch()) : 0));
        }
        if (choice >= 93) {
            return client.putAll(pickMany());
        }
        if (habits.isLarge() && choice >= 90) {
            return random.nextInt(4) == 0 ? client.deleteAll(pickMany()) : client.readAll(pickMany());
        }
        long cid = pick();
        if (cid == Cid.NONE) {
            return create(1);
        }
        if (choice < 60) {
            return client.read(cid);
        }
        return choice < 85 ? client.put(cid) : client.delete(cid);
    }

    private CompletableFuture<?> create(int count) {
        long near = knownCids.isEmpty() || random.nextInt(4) > 0 ? Cid.NONE : pick();
        Place place = near == Cid.NONE ? Place.anywhere() : Place.near(near);
        return client.create(count, place).thenAccept(cids -> {
            for (long cid : cids) {
                knownCids.add(cid);
            }
        });
    }

    private long[] pickMany() {
        return LongStream.generate(this::pick)
                .limit(1 + random.nextInt(habits.largestBatch()))
                .filter(each -> each != Cid.NONE)
                .distinct()
                .toArray();
    }

    /**
     * Picks mostly one of the last chunks, so that clients meet, and sometimes any chunk that ever was. Returns none
     * when all chunks that it picks are gone.
     */
    private long pick() {
        int count = knownCids.size();
        for (int i = 0; i < PICK_TRIES && count > 0; i++) {
            int from = random.nextInt(5) == 0 ? 0 : Math.max(0, count - BUSY_CHUNKS);
            long cid = knownCids.get(random.nextInt(from, count));
            if (!isGone.test(cid)) {
                return cid;
            }
        }
        return Cid.NONE;
    }
}
