package dev.granary.testkit;

import dev.granary.overlay.Cid;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Looks for an order of the operations on one chunk in which each takes effect at one moment between its begin and its
 * end, and every answer is what a single chunk would give (linearizability; the search is that of Wing and Gong,
 * "Testing and verifying concurrent objects", with Lowe's memory of configurations that were tried).
 *
 * <p>The chunk was NEVER there, has a value, is DELETED, or is LOST. A create needs NEVER or DELETED: over a value it
 * would be one CID for two objects; a deleted chunk's CID may be given again, a lost one's never. The death of the
 * owner makes a chunk that was ever there LOST, at exactly that moment: its owner cannot tell any more whether it was
 * deleted. What ended as unknown may take effect at any moment after its begin, or never. A rollback undoes the last
 * changes of the chunk, none, some, or all that promised less than what the rollback leaves;
 * one that promised enough keeps all before it.
 */
final class ChunkChecker {

    /** A history that needs more tries has too many operations at once; the test should make fewer. */
    private static final int MAX_TRIES = 1_000_000;

    /** States that are no values; values are positive. */
    private static final long NEVER = 0;

    private static final long DELETED = -1;
    private static final long LOST = -2;

    private final long cid;
    private final List<Operation> operations;
    private final Set<Configuration> tried = new HashSet<>();
    private final boolean rollsBack;
    private int mostExplained;

    /** What was explained so far, and the state that it led to. */
    private record Configuration(BitSet explained, State state) {}

    /**
     * What the chunk is.
     *
     * @param value a value, NEVER, DELETED or LOST
     * @param changes the last ones that a rollback may undo, the latest last; none when nothing is ever rolled back
     */
    private record State(long value, List<Change> changes) {

        static final State INITIAL = new State(NEVER, List.of());
    }

    /** A change, and what was before it. */
    private record Change(long before, Promise promise) {}

    private ChunkChecker(List<Operation> operations, long cid) {
        this.cid = cid;
        this.operations = operations;
        this.rollsBack = rollsBack(operations);
    }

    ChunkChecker(long cid, List<Operation> all) {
        this.cid = cid;
        this.operations = all.stream()
                .flatMap(operation -> parts(operation, all))
                .filter(operation -> operation.outcome() != Operation.Outcome.NO_EFFECT)
                .filter(operation -> !(operation.isLook() && operation.outcome() == Operation.Outcome.UNKNOWN))
                .sorted(Comparator.comparingLong(Operation::beganAt))
                .toList();
        this.rollsBack = rollsBack(operations);
    }

    private static boolean rollsBack(List<Operation> operations) {
        return operations.stream().anyMatch(operation -> operation.kind() == Operation.Kind.ROLLBACK);
    }

    /**
     * A change that was answered with LOST may have been carried out by an attempt before the owner died: it is a
     * change of unknown outcome, and a look that found the chunk lost. So is one that did not find the chunk,
     * if that was rolled back meanwhile.
     */
    private static Stream<Operation> parts(Operation operation, List<Operation> all) {
        boolean change = operation.kind() == Operation.Kind.PUT || operation.kind() == Operation.Kind.DELETE;
        boolean twice =
                switch (operation.outcome()) {
                    case LOST -> change;
                    case NOT_FOUND -> change && all.stream().anyMatch(each -> isRollbackDuring(each, operation));
                    case DONE, NO_EFFECT, UNKNOWN -> false;
                };
        return twice ? Stream.of(operation, operation.withUnknownOutcome()) : Stream.of(operation);
    }

    private static boolean isRollbackDuring(Operation rollback, Operation change) {
        return rollback.kind() == Operation.Kind.ROLLBACK
                && rollback.beganAt() < change.endedAt()
                && change.beganAt() < rollback.endedAt();
    }

    /**
     * A checker of the same chunk without those creates, and their undoings, that may have made any chunk and whose
     * value nobody read here. What it can explain is explained; if it cannot, they may be needed.
     * Histories with many of them take very long otherwise.
     */
    private ChunkChecker withoutStrangers() {
        Set<Long> read = operations.stream()
                .filter(operation -> operation.kind() == Operation.Kind.GET)
                .map(Operation::value)
                .collect(Collectors.toSet());
        return new ChunkChecker(
                operations.stream()
                        .filter(operation -> !isStranger(operation) || read.contains(operation.value()))
                        .toList(),
                cid);
    }

    private static boolean isStranger(Operation operation) {
        return operation.kind() == Operation.Kind.UNDO
                || (operation.kind() == Operation.Kind.CREATE && operation.isOptional());
    }

    /** What is wrong, or null when there is an order that explains everything. */
    @Nullable
    String findProblem() {
        if (withoutStrangers().isExplained() || isExplained()) {
            return null;
        }
        return "no order explains what was seen; at most %d of %d operations fit"
                .formatted(mostExplained, operations.size());
    }

    private boolean isExplained() {
        return search(new BitSet(), State.INITIAL);
    }

    private boolean search(BitSet explained, State state) {
        long firstEnd = firstEndOfUnexplained(explained);
        if (firstEnd == Long.MAX_VALUE) {
            return true; // only unknown ones are left, and they need not have happened
        }
        if (!tried.add(new Configuration((BitSet) explained.clone(), state))) {
            return false;
        }
        if (tried.size() > MAX_TRIES) {
            throw new IllegalStateException("the history of chunk " + Cid.toHex(cid) + " is too hard to check");
        }
        mostExplained = Math.max(mostExplained, explained.cardinality());
        List<Integer> next = nextOperations(explained, firstEnd);
        for (int i : next) {
            Operation operation = operations.get(i);
            boolean worthTrying =
                    !operation.isOptional() || (isFirstOfItsKind(i, next) && isNeeded(operation, state.value, next));
            List<State> after = worthTrying && isPossible(operation, explained) ? apply(operation, state) : List.of();
            for (State possible : after) {
                explained.set(i);
                if (search(explained, possible)) {
                    return true;
                }
                explained.clear(i);
            }
        }
        return false;
    }

    /** What may come next: everything that began before the first end among all that is not explained. */
    private List<Integer> nextOperations(BitSet explained, long firstEnd) {
        List<Integer> next = new ArrayList<>();
        for (int i = explained.nextClearBit(0);
                i < operations.size() && operations.get(i).beganAt() <= firstEnd;
                i = explained.nextClearBit(i + 1)) {
            next.add(i);
        }
        return next;
    }

    /** Of rollbacks that may happen at any moment from now on and leave the same, one is as good as another. */
    private boolean isFirstOfItsKind(int index, List<Integer> next) {
        Operation rollback = operations.get(index);
        return rollback.kind() != Operation.Kind.ROLLBACK
                || next.stream()
                                .filter(i -> operations.get(i).kind() == Operation.Kind.ROLLBACK)
                                .filter(i -> operations.get(i).isOptional()
                                        && operations.get(i).promise() == rollback.promise())
                                .findFirst()
                                .orElseThrow()
                        == index;
    }

    /**
     * Whether an operation that need not have happened brings one that did closer. It can always be put off until right
     * before the one that needs it, so nothing else has to be tried.
     */
    private boolean isNeeded(Operation optional, long state, List<Integer> next) {
        return next.stream()
                .map(operations::get)
                .filter(operation -> !operation.isOptional())
                .anyMatch(operation -> isNeededFor(operation, optional, state, next));
    }

    private boolean isNeededFor(Operation certain, Operation optional, long state, List<Integer> next) {
        boolean read = certain.kind() == Operation.Kind.GET && certain.outcome() == Operation.Outcome.DONE;
        boolean changed = certain.outcome() == Operation.Outcome.DONE
                && (certain.kind() == Operation.Kind.PUT
                        || certain.kind() == Operation.Kind.DELETE
                        || certain.kind() == Operation.Kind.FENCE);
        return switch (optional.kind()) {
            case CREATE ->
                changed
                        || (read && (certain.value() == optional.value() || isValueOfPut(certain.value(), next)))
                        || (certain.kind() == Operation.Kind.OWNER_DIED && state == NEVER);
            case PUT -> read && certain.value() == optional.value();
            case DELETE, UNDO ->
                certain.outcome() == Operation.Outcome.NOT_FOUND
                        || certain.kind() == Operation.Kind.CREATE
                        || (read && certain.value() != state);
            // Behind a fence it could undo nothing of what was before.
            case ROLLBACK ->
                (certain.kind() == Operation.Kind.FENCE && changed)
                        || apply(certain, new State(state, List.of())).isEmpty();
            case GET, FENCE, OWNER_DIED -> true;
        };
    }

    private boolean isValueOfPut(long value, List<Integer> next) {
        return next.stream()
                .map(operations::get)
                .anyMatch(operation -> operation.kind() == Operation.Kind.PUT && operation.value() == value);
    }

    private long firstEndOfUnexplained(BitSet explained) {
        long first = Long.MAX_VALUE;
        for (int i = explained.nextClearBit(0); i < operations.size(); i = explained.nextClearBit(i + 1)) {
            first = Math.min(first, operations.get(i).endedAt());
        }
        return first;
    }

    /**
     * An undo deletes the chunk that its create made, or what is there in its place by then: it comes after the create.
     */
    private boolean isPossible(Operation operation, BitSet explained) {
        if (operation.kind() != Operation.Kind.UNDO) {
            return true;
        }
        return explained.stream()
                .mapToObj(operations::get)
                .anyMatch(other -> other.kind() == Operation.Kind.CREATE && other.value() == operation.value());
    }

    /** The states that an operation may lead to; none when its answer does not fit to the state. */
    private List<State> apply(Operation operation, State state) {
        return switch (operation.outcome()) {
            case NOT_FOUND -> isNotThere(state.value) ? List.of(state) : List.of();
            case LOST -> state.value == LOST ? List.of(state) : List.of();
            case DONE, UNKNOWN -> applyDone(operation, state);
            case NO_EFFECT -> List.of(state);
        };
    }

    private List<State> applyDone(Operation operation, State state) {
        return switch (operation.kind()) {
            case CREATE -> isNotThere(state.value) ? changed(operation, state, operation.value()) : List.of();
            case GET -> state.value == operation.value() ? List.of(state) : List.of();
            case PUT -> state.value > 0 ? changed(operation, state, operation.value()) : List.of();
            case FENCE -> state.value > 0 ? List.of(new State(state.value, List.of())) : List.of();
            case DELETE, UNDO -> state.value > 0 ? changed(operation, state, DELETED) : List.of();
            case OWNER_DIED -> List.of(state.value == NEVER ? State.INITIAL : new State(LOST, List.of()));
            case ROLLBACK -> {
                List<State> possible = rolledBack(state, operation.promise());
                yield operation.isOptional() ? possible.subList(1, possible.size()) : possible;
            }
        };
    }

    private List<State> changed(Operation operation, State before, long value) {
        if (!rollsBack || operation.promise() == Promise.SYNCED) {
            return List.of(new State(value, List.of()));
        }
        List<Change> changes = new ArrayList<>(before.changes);
        changes.add(new Change(before.value, operation.promise()));
        return List.of(new State(value, List.copyOf(changes)));
    }

    private static List<State> rolledBack(State state, Promise kept) {
        List<State> possible = new ArrayList<>(List.of(state));
        for (int i = state.changes.size() - 1;
                i >= 0 && state.changes.get(i).promise.compareTo(kept) < 0;
                i--) {
            possible.add(new State(state.changes.get(i).before, List.copyOf(state.changes.subList(0, i))));
        }
        return possible;
    }

    private static boolean isNotThere(long state) {
        return state == NEVER || state == DELETED;
    }
}
