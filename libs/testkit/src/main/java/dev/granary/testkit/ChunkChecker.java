package dev.granary.testkit;

import dev.granary.overlay.Cid;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Looks for an order of the operations on one chunk in which each takes effect at one moment between its begin and its
 * end, and every answer is what a single chunk would give (linearizability; the search is that of Wing and Gong, "Testing
 * and verifying concurrent objects", with Lowe's memory of configurations that were tried).
 *
 * <p>The chunk was NEVER there, has a value, is DELETED, or is LOST. A create needs NEVER or DELETED: over a value it
 * would be one CID for two objects; a deleted chunk's CID may be given again, a lost one's never. The death of the owner
 * makes a chunk that was ever there LOST, at exactly that moment: its owner cannot tell any more whether it was deleted.
 * What ended as unknown may take effect at any moment after its begin, or never.
 */
final class ChunkChecker {

    /** A history that needs more tries has too many operations at once; the test should make fewer. */
    private static final int MAX_TRIES = 1_000_000;

    private static final State NEVER = new State(0, 0);
    private static final State DELETED = new State(-1, 0);
    private static final State LOST = new State(-2, 0);

    private final long cid;
    private final List<Operation> operations;
    private final Set<Configuration> tried = new HashSet<>();
    private int mostExplained;

    /** What was explained so far, and the state that it led to. */
    private record Configuration(BitSet explained, State state) {}

    /**
     * What the chunk is.
     *
     * @param value positive for one that is there
     * @param origin the value that it was created with
     */
    private record State(long value, long origin) {
        private boolean isThere() {
            return value > 0;
        }

        private boolean isNotThere() {
            return value == NEVER.value || value == DELETED.value;
        }
    }

    ChunkChecker(long cid, List<Operation> all) {
        this.cid = cid;
        this.operations = all.stream()
                .flatMap(ChunkChecker::parts)
                .filter(operation -> operation.outcome() != Operation.Outcome.NO_EFFECT)
                .filter(operation ->
                        !(operation.kind() == Operation.Kind.GET && operation.outcome() == Operation.Outcome.UNKNOWN))
                .sorted(Comparator.comparingLong(Operation::beganAt))
                .toList();
    }

    /**
     * A change that was answered with LOST may have been carried out by an attempt before the owner died: it is a change
     * of unknown outcome, and a look that found the chunk lost.
     */
    private static Stream<Operation> parts(Operation operation) {
        boolean change = operation.kind() == Operation.Kind.PUT || operation.kind() == Operation.Kind.DELETE;
        return change && operation.outcome() == Operation.Outcome.LOST
                ? Stream.of(operation, operation.withUnknownOutcome())
                : Stream.of(operation);
    }

    /** What is wrong, or null when there is an order that explains everything. */
    @Nullable
    String findProblem() {
        if (search(new BitSet(), NEVER)) {
            return null;
        }
        return "no order explains what was seen; at most %d of %d operations fit"
                .formatted(mostExplained, operations.size());
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
            State after = operation.isOptional() && !isNeeded(operation, state, next) ? null : apply(operation, state);
            if (after != null) {
                explained.set(i);
                if (search(explained, after)) {
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
     * Whether an operation that need not have happened brings one that did closer. It can always be put off until right
     * before the one that needs it, so nothing else has to be tried.
     */
    private boolean isNeeded(Operation optional, State state, List<Integer> next) {
        return next.stream()
                .map(operations::get)
                .filter(operation -> !operation.isOptional())
                .anyMatch(operation -> isNeededFor(operation, optional, state, next));
    }

    private boolean isNeededFor(Operation certain, Operation optional, State state, List<Integer> next) {
        boolean read = certain.kind() == Operation.Kind.GET && certain.outcome() == Operation.Outcome.DONE;
        boolean changed = certain.outcome() == Operation.Outcome.DONE
                && (certain.kind() == Operation.Kind.PUT || certain.kind() == Operation.Kind.DELETE);
        return switch (optional.kind()) {
            case CREATE ->
                changed
                        || (read && (certain.value() == optional.value() || isValueOfPut(certain.value(), next)))
                        || (certain.kind() == Operation.Kind.OWNER_DIED && state.value == NEVER.value);
            case PUT -> read && certain.value() == optional.value();
            case DELETE, UNDO ->
                certain.outcome() == Operation.Outcome.NOT_FOUND
                        || certain.kind() == Operation.Kind.CREATE
                        || (read && certain.value() != state.value);
            case GET, OWNER_DIED -> true;
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

    /** The state after an operation, or null when its answer does not fit to the state. */
    private static @Nullable State apply(Operation operation, State state) {
        return switch (operation.outcome()) {
            case NOT_FOUND -> state.isNotThere() ? state : null;
            case LOST -> state.value == LOST.value ? state : null;
            case DONE, UNKNOWN -> applyDone(operation, state);
            case NO_EFFECT -> state;
        };
    }

    private static @Nullable State applyDone(Operation operation, State state) {
        long value = operation.value();
        return switch (operation.kind()) {
            case CREATE -> state.isNotThere() ? new State(value, value) : null;
            case GET -> state.value == value ? state : null;
            case PUT -> state.isThere() ? new State(value, state.origin) : null;
            case DELETE -> state.isThere() ? DELETED : null;
            case UNDO -> state.isThere() && state.origin == value ? DELETED : null;
            case OWNER_DIED -> state.value == NEVER.value ? NEVER : LOST;
        };
    }
}
