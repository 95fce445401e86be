package dev.granary.simulation;

import dev.granary.client.NamedChunk;
import dev.granary.testkit.HistoryFile;
import dev.granary.testkit.LockHistory;
import dev.granary.testkit.NameHistory;
import dev.granary.testkit.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/** What all clients of a run do with names and client locks beside their chunks, and the check of what they saw. */
final class NamesAndLocks {

    private static final long LIMIT_NANOS = 30_000_000_000L;

    private final Simulation simulation;
    private final NameHistory names;
    private final LockHistory locks = new LockHistory();
    private final List<NameWorkload> nameWorkloads = new ArrayList<>();
    private final List<LockWorkload> lockWorkloads = new ArrayList<>();
    private final List<RecordingClient> clients;

    /** Makes workloads that have not begun; they share the chunks of these lists. */
    NamesAndLocks(Simulation simulation, List<RecordingClient> clients, List<Long> cids, IntPredicate isGone) {
        this.simulation = simulation;
        this.clients = clients;
        this.names = new NameHistory(simulation::nowNanos);
        for (RecordingClient client : clients) {
            nameWorkloads.add(new NameWorkload(simulation, client, names, cids, isGone));
            lockWorkloads.add(new LockWorkload(simulation, client, locks, cids, isGone));
        }
    }

    void start() {
        nameWorkloads.forEach(NameWorkload::start);
        lockWorkloads.forEach(LockWorkload::start);
    }

    /**
     * Records that from now on names and locks are lost, with all super-peers that had them.
     *
     * @param keptNanos names that were acknowledged before this moment come back
     * @return to be called when the names are back
     */
    Runnable lost(long keptNanos) {
        locks.forgotten();
        return names.rollback(keptNanos)::done;
    }

    void stop() {
        nameWorkloads.forEach(NameWorkload::stop);
        lockWorkloads.forEach(LockWorkload::stop);
    }

    boolean isIdle() {
        return nameWorkloads.stream().allMatch(NameWorkload::isIdle)
                && lockWorkloads.stream().allMatch(LockWorkload::isIdle);
    }

    /** Reads and lists every name once nothing is broken any more, and checks everything that clients saw. */
    void readAndCheck() {
        NameWorkload reader = nameWorkloads.getFirst();
        TreeMap<String, Long> found = new TreeMap<>();
        List<CompletableFuture<Void>> reads = IntStream.range(0, NameWorkload.NAMES)
                .mapToObj(i -> "name-" + i)
                .map(name -> reader.get(name).thenAccept(cid -> cid.ifPresent(value -> found.put(name, value))))
                .toList();
        CompletableFuture<List<NamedChunk>> list =
                clients.getLast().client().names().list("name-", "", 2 * NameWorkload.NAMES);
        CompletableFuture<Void> all =
                CompletableFuture.allOf(reads.toArray(CompletableFuture[]::new)).thenCombine(list, (_, _) -> null);
        if (!simulation.runUntil(all::isDone, LIMIT_NANOS) || all.isCompletedExceptionally()) {
            throw new IllegalStateException("a name cannot be read although nothing is broken: " + all);
        }
        List<NamedChunk> expected = new ArrayList<>();
        found.forEach((name, cid) -> expected.add(new NamedChunk(name, cid)));
        if (!list.join().equals(expected)) {
            throw new IllegalStateException("name list " + list.join() + " is not what was read: " + expected);
        }
        names.check();
        locks.check();
    }

    /** Writes what clients asked about names, and what they saw. */
    void writeTo(HistoryFile file) {
        names.writeTo(file);
    }

    /** Returns counts of outcomes, so that a test sees that it tested something. */
    Map<String, Integer> outcomes() {
        Map<String, Integer> counts = new TreeMap<>();
        names.answered().forEach((kind, count) -> counts.put("NAME " + kind, count));
        counts.put("LOCK GRANTED", locks.grants());
        counts.put("LOCK FENCED", locks.refusals());
        return counts;
    }
}
