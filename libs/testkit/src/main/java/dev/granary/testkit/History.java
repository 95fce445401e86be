package dev.granary.testkit;

import dev.granary.overlay.Cid;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;

/**
 * What clients asked and saw, and when owners died, in the order in which it happened. Values are numbers that no two
 * writes share. {@link #check} then looks for an order of all operations, chunk by chunk, that explains every answer.
 * Not thread-safe.
 */
public final class History {

    private final LongSupplier time;
    private final List<Operation> operations = new ArrayList<>();

    /** By the moment. */
    private final TreeMap<Long, Death> deaths = new TreeMap<>();

    private final List<Rollback> rollbacks = new ArrayList<>();
    private final List<End> ends = new ArrayList<>();
    private long nextMoment = 1;
    private int clientOperations;

    /** @param time for messages to people; the order is that of the calls */
    public History(LongSupplier time) {
        this.time = time;
    }

    /** A client begins to create a chunk. */
    public Operation create(String client, long value) {
        return begin(client, Operation.Kind.CREATE, Cid.NONE, value);
    }

    /** A client begins to read a chunk. */
    public Operation get(String client, long cid) {
        return begin(client, Operation.Kind.GET, cid, Operation.NO_VALUE);
    }

    /** A client begins to overwrite a chunk. */
    public Operation put(String client, long cid, long value) {
        return begin(client, Operation.Kind.PUT, cid, value);
    }

    /** A client begins to delete a chunk. */
    public Operation delete(String client, long cid) {
        return begin(client, Operation.Kind.DELETE, cid, Operation.NO_VALUE);
    }

    /** A client begins to make sure that a chunk, as it is, is on the disks of all its copies. */
    public Operation fence(String client, long cid) {
        return begin(client, Operation.Kind.FENCE, cid, Operation.NO_VALUE).promising(Promise.SYNCED);
    }

    /**
     * The process that owned all chunks of a NID died, at this moment: they are lost, and never anything else again.
     */
    public void ownerDied(int nid) {
        ownerDied(nid, cid -> Cid.nid(cid) == nid, cid -> false);
    }

    /**
     * A process died, at this moment: the chunks that it owned are lost, and never anything else again.
     *
     * @param nid under which it served; chunks that it was just making have it
     * @param owned says which chunks it owned
     * @param maybeOwned says which chunks it may have owned, when nobody can know
     */
    public void ownerDied(int nid, LongPredicate owned, LongPredicate maybeOwned) {
        ownerDied(ownerIsDying(nid), nid, owned, maybeOwned);
    }

    /** From now on a process may count as dead at any moment, because another one is about to take its place. */
    public Operation ownerIsDying(int nid) {
        return begin("owner", Operation.Kind.OWNER_DIED, Cid.of(nid, 0), Operation.NO_VALUE);
    }

    /**
     * The same as {@link #ownerDied(int, LongPredicate, LongPredicate)} for a process that was dying, and is dead now.
     */
    public void ownerDied(Operation death, int nid, LongPredicate owned, LongPredicate maybeOwned) {
        death.done();
        deaths.put(death.beganAt(), new Death(death, nid, owned, maybeOwned));
    }

    /**
     * Memories are being lost from now on, until {@link Operation#done} of the result is called. Changes that promised
     * less may be undone at one moment in between, the last changes of a chunk first.
     *
     * @param kept changes that promised this or more stay
     * @param affected says which chunks may be rolled back
     */
    public Operation rollback(Promise kept, LongPredicate affected) {
        Operation rollback = begin("power", Operation.Kind.ROLLBACK, Cid.NONE, Operation.NO_VALUE)
                .promising(kept);
        rollbacks.add(new Rollback(rollback, affected));
        return rollback;
    }

    /**
     * From now on there is something that only one memory has. It counts when {@link #rolledBackSince} says so.
     *
     * @param kept changes that promised this or more stay when that memory is gone
     */
    public Operation begun(Promise kept) {
        return operation("memory", Operation.Kind.ROLLBACK, Cid.NONE, Operation.NO_VALUE)
                .promising(kept);
    }

    /**
     * A memory is gone, or will be: changes that promised less than copies may be undone at one moment after it had
     * begun, or not at all. Nobody has seen when others took its place, and whether everything was copied before that.
     * A second call for the same memory changes nothing.
     *
     * @param begun what {@link #begun} has given
     * @param affected says which chunks may be rolled back
     */
    public void rolledBackSince(Operation begun, LongPredicate affected) {
        if (rollbacks.stream().noneMatch(rollback -> rollback.operation == begun)) {
            rollbacks.add(new Rollback(begun, affected));
        }
    }

    /**
     * An incarnation of a storage peer has ended by this moment, and others have copies of its chunks. A create that
     * was under way may have made a chunk there. Its client deletes that chunk before it has it made elsewhere (ADR
     * 0135).
     */
    public void incarnationEnded(int nid) {
        ends.add(new End(nid, nextMoment++));
    }

    /** The end of an incarnation. */
    private record End(int nid, long at) {

        boolean isDuring(Operation create) {
            return create.beganAt() < at && at < create.endedAt();
        }
    }

    private record Rollback(Operation operation, LongPredicate affected) {}

    /** A process that died. */
    private record Death(Operation operation, int nid, LongPredicate owned, LongPredicate maybeOwned) {}

    /** All operations in the order in which they began. */
    public List<Operation> operations() {
        return List.copyOf(operations);
    }

    /** How many operations clients have begun. */
    public int clientOperations() {
        return clientOperations;
    }

    /** How many operations ended with each outcome, by its name; for a test to see that it tested something. */
    public Map<String, Integer> outcomes() {
        Map<String, Integer> counts = new TreeMap<>();
        for (Operation operation : operations) {
            counts.merge(operation.kind() + " " + operation.outcome(), 1, Integer::sum);
        }
        return counts;
    }

    /**
     * Checks every chunk. A create that has failed may have made any of them, since deleted CIDs are given again, and
     * the client library may have deleted it again.
     *
     * @throws HistoryViolation when no order explains what was seen of one
     */
    public void check() {
        TreeMap<Long, List<Operation>> byCid = new TreeMap<>(Cid::compare);
        for (Operation operation : operations) {
            if (operation.kind() != Operation.Kind.OWNER_DIED && operation.cid() != Cid.NONE) {
                byCid.computeIfAbsent(operation.cid(), cid -> new ArrayList<>()).add(operation);
            }
        }
        TreeMap<Integer, List<Operation>> deathsByNid = new TreeMap<>();
        for (Death death : deaths.values()) {
            deathsByNid.computeIfAbsent(death.nid, nid -> new ArrayList<>()).add(death.operation);
            byCid.forEach((cid, chunk) -> {
                if (death.maybeOwned.test(cid)) {
                    chunk.add(death.operation.withUnknownOutcome());
                } else if (death.owned.test(cid)) {
                    chunk.add(death.operation);
                }
            });
        }
        for (Rollback rollback : rollbacks) {
            byCid.forEach((cid, chunk) -> {
                if (rollback.affected.test(cid)) {
                    chunk.add(rollback.operation);
                }
            });
        }
        for (Operation operation : operations) {
            if (operation.mayHaveCreatedAnything()) {
                Operation undo = operation.undo();
                byCid.values().forEach(chunk -> {
                    chunk.add(operation);
                    chunk.add(undo);
                });
            } else if (operation.kind() == Operation.Kind.CREATE
                    && outlivedItsOwner(operation, deathsByNid.getOrDefault(Cid.nid(operation.cid()), List.of()))) {
                addToChunksOf(operation.cid(), operation.withUnknownOutcome(), byCid);
            } else if (operation.kind() == Operation.Kind.CREATE) {
                addWhereUndone(operation, byCid);
            }
        }
        byCid.forEach((cid, chunk) -> {
            String problem = new ChunkChecker(cid, chunk).findProblem();
            if (problem != null) {
                throw new HistoryViolation(cid, problem, chunk, writtenElsewhere(cid, chunk));
            }
        });
    }

    /** Writes everything as it was seen; what it means for which chunk is left to the reader. */
    public void writeTo(HistoryFile file) {
        Set<Long> cids = new TreeSet<>(Cid::compare);
        for (Operation operation : operations) {
            if (operation.isOfClient()) {
                file.write(operation.toLine());
                if (operation.cid() != Cid.NONE) {
                    cids.add(operation.cid());
                }
            }
        }
        for (Death death : deaths.values()) {
            file.write(death.operation
                    .withTimes(HistoryLine.of("owner-died").with("nid", death.nid))
                    .withCids("chunks", matching(cids, death.owned))
                    .withCids("maybeChunks", matching(cids, death.maybeOwned)));
        }
        for (End end : ends) {
            file.write(HistoryLine.of("incarnation-ended").with("nid", end.nid).with("begin", end.at));
        }
        for (Rollback rollback : rollbacks) {
            List<Long> affected = matching(cids, rollback.affected);
            HistoryLine line = rollback.operation.withPromise(rollback.operation.withTimes(HistoryLine.of("rollback")));
            file.write(affected.size() == cids.size() ? line.with("all") : line.withCids("chunks", affected));
        }
    }

    private static List<Long> matching(Set<Long> cids, LongPredicate wanted) {
        return cids.stream().filter(wanted::test).toList();
    }

    /** Adds that the create may have made chunks, deleted since, at storage peers that ended while it went on. */
    private void addWhereUndone(Operation create, Map<Long, List<Operation>> byCid) {
        Set<Integer> nids = new TreeSet<>();
        ends.stream().filter(end -> end.isDuring(create)).forEach(end -> nids.add(end.nid));
        if (create.outcome() != Operation.Outcome.DONE || nids.isEmpty()) {
            return;
        }
        Operation made = create.withUnknownOutcome();
        Operation undo = create.undo();
        byCid.forEach((cid, chunk) -> {
            if (nids.contains(Cid.nid(cid)) && cid != create.cid()) {
                chunk.add(made);
                chunk.add(undo);
            }
        });
    }

    private static void addToChunksOf(long cid, Operation operation, Map<Long, List<Operation>> byCid) {
        byCid.forEach((other, chunk) -> {
            if (Cid.nid(other) == Cid.nid(cid) && other != operation.cid()) {
                chunk.add(operation);
            }
        });
    }

    /** Whether the owner died while the create went on: an attempt before may have made another chunk, lost since. */
    private static boolean outlivedItsOwner(Operation create, List<Operation> deaths) {
        return deaths.stream()
                .anyMatch(death -> create.beganAt() < death.endedAt() && death.beganAt() < create.endedAt());
    }

    /** Writes of values that were read from this chunk, but that were not made to it as far as their clients know. */
    private List<Operation> writtenElsewhere(long cid, List<Operation> chunk) {
        Set<Long> read = new HashSet<>();
        chunk.stream()
                .filter(operation -> operation.kind() == Operation.Kind.GET)
                .forEach(operation -> read.add(operation.value()));
        read.remove(Operation.NO_VALUE);
        return operations.stream()
                .filter(operation -> operation.kind() != Operation.Kind.GET && operation.cid() != cid)
                .filter(operation -> read.contains(operation.value()))
                .toList();
    }

    private Operation begin(String client, Operation.Kind kind, long cid, long value) {
        Operation operation = operation(client, kind, cid, value);
        operations.add(operation);
        clientOperations += operation.isOfClient() ? 1 : 0;
        return operation;
    }

    private Operation operation(String client, Operation.Kind kind, long cid, long value) {
        return new Operation(client, kind, cid, value, nextMoment++, time, () -> nextMoment++);
    }
}
