package dev.granary.simulation;

import dev.granary.client.AsyncNames;
import dev.granary.client.ChunkLostException;
import dev.granary.client.ChunkNotFoundException;
import dev.granary.env.Futures;
import dev.granary.overlay.Cid;
import dev.granary.testkit.NameHistory;
import dev.granary.testkit.NameHistory.Change;
import dev.granary.testkit.NameHistory.Kind;
import dev.granary.testkit.Operation;
import dev.granary.testkit.Simulation;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntPredicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** What one client does with names. It puts, gets and removes a few names, which all clients share. */
final class NameWorkload {

    /** Few names, so that clients meet. */
    static final int NAMES = 12;

    private static final long MAX_THINK_NANOS = 600_000_000;
    private static final int PICK_TRIES = 20;

    private final Simulation simulation;
    private final RecordingClient client;
    private final AsyncNames names;
    private final NameHistory history;
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
    NameWorkload(
            Simulation simulation,
            RecordingClient client,
            NameHistory history,
            List<Long> knownCids,
            IntPredicate isGone) {
        this.simulation = simulation;
        this.client = client;
        this.names = client.client().names();
        this.history = history;
        this.knownCids = knownCids;
        this.isGone = isGone;
        this.random = simulation.random("names of " + client.name());
    }

    /** Begins the workload. */
    void start() {
        simulation.after(random.nextLong(MAX_THINK_NANOS), client.name() + " names", () -> {
            if (!stopping) {
                running++;
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

    @SuppressWarnings("FutureReturnValueIgnored") // a failed operation has an unknown outcome in the history
    private void act() {
        choose().whenComplete((done, failure) -> {
            running--;
            start();
        });
    }

    private CompletableFuture<?> choose() {
        String name = "name-" + random.nextInt(NAMES);
        int choice = random.nextInt(100);
        long cid = pick();
        if (choice < 40 || cid == Cid.NONE) {
            return get(name);
        }
        if (choice < 65) {
            Change put = history.begin(client.name(), Kind.PUT, name, cid);
            Operation fence = client.beginFence(cid);
            return names.put(name, cid).whenComplete((previous, failure) -> {
                RecordingClient.endFence(fence, failure);
                endPut(put, previous, failure);
            });
        }
        if (choice < 80) {
            Change put = history.begin(client.name(), Kind.PUT_IF_ABSENT, name, cid);
            Operation fence = client.beginFence(cid);
            return names.putIfAbsent(name, cid).whenComplete((absent, failure) -> {
                RecordingClient.endFence(fence, failure);
                if (absent != null) {
                    put.wasAbsent(absent);
                } else {
                    endFailed(put, failure);
                }
            });
        }
        Change remove = history.begin(client.name(), Kind.REMOVE, name, NameHistory.NOTHING);
        return names.remove(name).whenComplete((previous, failure) -> endPut(remove, previous, failure));
    }

    /** Reads a name. */
    CompletableFuture<OptionalLong> get(String name) {
        Change get = history.begin(client.name(), Kind.GET, name, NameHistory.NOTHING);
        return names.get(name).whenComplete((found, failure) -> endPut(get, found, failure));
    }

    private static void endPut(Change change, @Nullable OptionalLong seen, @Nullable Throwable failure) {
        if (seen != null) {
            change.saw(seen.orElse(NameHistory.NOTHING));
        } else {
            endFailed(change, failure);
        }
    }

    /** A name is certainly unchanged if its chunk does not exist; after any other failure the outcome is unknown. */
    private static void endFailed(Change change, @Nullable Throwable failure) {
        Throwable cause = Futures.causeIfAny(failure);
        if (cause instanceof ChunkNotFoundException || cause instanceof ChunkLostException) {
            change.refused();
        }
    }

    private long pick() {
        for (int i = 0; i < PICK_TRIES && !knownCids.isEmpty(); i++) {
            long cid = knownCids.get(random.nextInt(Math.max(0, knownCids.size() - 100), knownCids.size()));
            if (!isGone.test(Cid.nid(cid))) {
                return cid;
            }
        }
        return Cid.NONE;
    }
}
