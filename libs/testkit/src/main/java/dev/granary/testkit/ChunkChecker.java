package dev.granary.testkit;

import dev.granary.overlay.Cid;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
 * changes of the chunk: none, some, or all of those that promised less than what the rollback leaves. A change that
 * promised enough keeps all before it.
 */
final class ChunkChecker {

    /** A history that needs more tries has too many operations at once; the test should make fewer. */
    private static final int MAX_TRIES = 300_000;

    /** States that are not values; values are positive. */
    private static final long NEVER = 0;

    private static final long DELETED = -1;
    private static final long LOST = -2;

    /** Stands for each value that no get has read: which one it is makes no difference. */
    private static final long UNREAD = Long.MAX_VALUE;

    private final long cid;
    private final List<Operation> operations;
    private final Set<Configuration> tried = new HashSet<>();

    /** The most that a rollback leaves: a change that promised as much, and all before it, are never undone. */
    private final Optional<Promise> neverUndone;

    /** By value, the indices of the creates with it. */
    private final Map<Long, BitSet> creates = new HashMap<>();

    /** Values that gets have read. */
    private final Set<Long> read;

    /** Values of creates that may be undone. */
    private final Set<Long> undone;

    private int mostExplained;

    /** What was explained so far, the state that it led to, and what the last step was if that was optional. */
    private record Configuration(BitSet explained, State state, Step last) {}

    /** The last step, as far as it matters for the next one. */
    private enum Step {
        CERTAIN,
        CREATED,
        DELETED
    }

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
        this.neverUndone = operations.stream()
                .filter(operation -> operation.kind() == Operation.Kind.ROLLBACK)
                .map(Operation::promise)
                .max(Comparator.naturalOrder());
        for (int i = 0; i < operations.size(); i++) {
            if (operations.get(i).kind() == Operation.Kind.CREATE) {
                creates.computeIfAbsent(operations.get(i).value(), value -> new BitSet())
                        .set(i);
            }
        }
        this.read = valuesOf(operations, Operation.Kind.GET);
        this.undone = valuesOf(operations, Operation.Kind.UNDO);
    }

    ChunkChecker(long cid, List<Operation> all) {
        this(
                all.stream()
                        .flatMap(operation -> parts(operation, all))
                        .filter(operation -> operation.outcome() != Operation.Outcome.NO_EFFECT)
                        .filter(operation -> !(operation.isLook() && operation.outcome() == Operation.Outcome.UNKNOWN))
                        .sorted(Comparator.comparingLong(Operation::beganAt))
                        .toList(),
                cid);
    }

    private static Set<Long> valuesOf(List<Operation> operations, Operation.Kind kind) {
        return operations.stream()
                .filter(operation -> operation.kind() == kind)
                .map(Operation::value)
                .collect(Collectors.toSet());
    }

    /**
     * A change that was answered with LOST may have been carried out by an attempt before the owner died. So it counts
     * as two operations: a change of unknown outcome, and a look that found the chunk lost. So does a change that did
     * not find the chunk, if the chunk was rolled back meanwhile.
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
     * Returns a checker of the same chunk without those creates, and their undos, that may have made any chunk and
     * whose value nobody read here. If it finds an order, there is one. If it does not, the operations left out may be
     * needed. Histories with many of them take very long otherwise.
     */
    private ChunkChecker withoutStrangers() {
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
        return search(new BitSet(), State.INITIAL, Step.CERTAIN);
    }

    private boolean search(BitSet explained, State state, Step last) {
        long firstEnd = firstEndOfUnexplained(explained);
        if (firstEnd == Long.MAX_VALUE) {
            return true; // only unknown ones are left, and they need not have happened
        }
        if (!tried.add(new Configuration((BitSet) explained.clone(), state, last))) {
            return false;
        }
        if (tried.size() > MAX_TRIES) {
            throw new IllegalStateException("the history of chunk " + Cid.toHex(cid) + " is too hard to check");
        }
        mostExplained = Math.max(mostExplained, explained.cardinality());
        for (int i : worthTrying(nextOperations(explained, firstEnd), explained, state.value, last)) {
            for (State possible : apply(operations.get(i), state)) {
                explained.set(i);
                if (search(explained, possible, stepOf(operations.get(i)))) {
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

    /**
     * Returns which of these to try next. Of optional operations that do the same, and may happen at any moment from
     * now on, one is as good as another: only the first is tried, and after those that are certain. Otherwise a history
     * with a hundred creates of unknown outcome takes very long.
     */
    private List<Integer> worthTrying(List<Integer> next, BitSet explained, long state, Step last) {
        List<Integer> certain = new ArrayList<>();
        List<Integer> chosen = new ArrayList<>();
        List<Operation> optional = new ArrayList<>();
        for (int i : next) {
            Operation operation = operations.get(i);
            if (!isPossible(i, explained)
                    || (operation.isOptional()
                            && optional.stream().anyMatch(earlier -> isAsGood(earlier, operation)))) {
                continue;
            }
            if (!operation.isOptional()) {
                certain.add(i);
                continue;
            }
            optional.add(operation);
            if (!isUndoneAtOnce(last, operation) && isNeeded(operation, state, next)) {
                chosen.add(i);
            }
        }
        certain.addAll(chosen);
        return certain;
    }

    private static Step stepOf(Operation operation) {
        boolean optional = operation.isOptional();
        return switch (operation.kind()) {
            case CREATE -> optional ? Step.CREATED : Step.CERTAIN;
            case DELETE, UNDO -> optional ? Step.DELETED : Step.CERTAIN;
            case GET, PUT, FENCE, OWNER_DIED, ROLLBACK -> Step.CERTAIN;
        };
    }

    /** Whether an optional operation would take back what an optional one has just done: then neither is needed. */
    private boolean isUndoneAtOnce(Step last, Operation next) {
        return switch (next.kind()) {
            case DELETE, UNDO -> last == Step.CREATED;
            case CREATE -> last == Step.DELETED && !read.contains(next.value());
            case GET, PUT, FENCE, OWNER_DIED, ROLLBACK -> false;
        };
    }

    /** Whether an optional operation can take the place of one that began later. */
    private boolean isAsGood(Operation earlier, Operation later) {
        if (earlier.kind() != later.kind() || earlier.promise() != later.promise()) {
            return false;
        }
        return switch (earlier.kind()) {
            case ROLLBACK, DELETE, UNDO -> true;
            // The undoing of a create may happen from the begin of the create on.
            case CREATE ->
                !read.contains(earlier.value())
                        && !read.contains(later.value())
                        && (undone.contains(earlier.value()) || !undone.contains(later.value()));
            case GET, PUT, FENCE, OWNER_DIED -> false;
        };
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
     * An undo deletes the chunk that its create made, or what has taken its place: it comes after the create.
     */
    private boolean isPossible(int index, BitSet explained) {
        return operations.get(index).kind() != Operation.Kind.UNDO
                || creates.getOrDefault(operations.get(index).value(), new BitSet())
                        .intersects(explained);
    }

    /** The states that an operation may lead to; none when its answer does not fit the state. */
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
        long seen = value > 0 && !read.contains(value) ? UNREAD : value;
        if (neverUndone.isEmpty() || operation.promise().compareTo(neverUndone.get()) >= 0) {
            return List.of(new State(seen, List.of()));
        }
        List<Change> changes = new ArrayList<>(before.changes);
        changes.add(new Change(before.value, operation.promise()));
        return List.of(new State(seen, List.copyOf(changes)));
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
