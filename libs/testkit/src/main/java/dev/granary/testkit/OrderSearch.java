package dev.granary.testkit;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Looks for an order of operations on one small state in which each takes effect at one moment between its begin and
 * its end, and every answer is what the state gives (linearizability; the search is that of Wing and Gong, as in {@link
 * History}, with Lowe's memory of configurations that were tried).
 *
 * @param <S> what the operations change; compared with {@code equals}
 */
final class OrderSearch<S> {

    /** The end of what has no answer: it may take effect at any moment after its begin, or never. */
    static final long NEVER = Long.MAX_VALUE;

    private final List<? extends Step<S>> steps;
    private final int mostTries;
    private final Set<Configuration<S>> tried = new HashSet<>();

    /** An operation as it was seen. */
    interface Step<S> {

        /** The moment at which it began, in the order of the history. */
        long beganAt();

        /** The moment of its answer, or {@link #NEVER}. */
        long endedAt();

        /** The states that it may lead to; none when its answer does not fit the state. */
        List<S> after(S state);

        /**
         * Equal for operations without an answer that do the same: of these the first can stand wherever another one
         * stands.
         */
        Object likeness();
    }

    private record Configuration<S>(BitSet explained, S state) {}

    /** @param mostTries a history that needs more has too many operations at once; the test should make fewer */
    OrderSearch(List<? extends Step<S>> steps, int mostTries) {
        this.steps =
                steps.stream().sorted(Comparator.comparingLong(Step::beganAt)).toList();
        this.mostTries = mostTries;
    }

    /**
     * Whether there is such an order.
     *
     * @throws IllegalStateException when it takes too many tries to say
     */
    boolean isExplained(S initial) {
        return isExplained(new BitSet(), initial);
    }

    private boolean isExplained(BitSet explained, S state) {
        long firstEnd = NEVER;
        for (int i = explained.nextClearBit(0); i < steps.size(); i = explained.nextClearBit(i + 1)) {
            firstEnd = Math.min(firstEnd, steps.get(i).endedAt());
        }
        if (firstEnd == NEVER) {
            return true; // only unknown ones are left, and they need not have happened
        }
        if (!tried.add(new Configuration<>((BitSet) explained.clone(), state))) {
            return false;
        }
        if (tried.size() > mostTries) {
            throw new IllegalStateException("a history is too hard to check");
        }
        return isExplainedWith(false, explained, state, firstEnd) || isExplainedWith(true, explained, state, firstEnd);
    }

    /**
     * Tries each operation as the next one: first those that were answered, then those that need not have happened. Of
     * the latter those that would change nothing are left out, and of equal ones all but the first.
     */
    private boolean isExplainedWith(boolean optional, BitSet explained, S state, long firstEnd) {
        Set<Object> seen = new HashSet<>();
        for (int i = explained.nextClearBit(0);
                i < steps.size() && steps.get(i).beganAt() <= firstEnd;
                i = explained.nextClearBit(i + 1)) {
            Step<S> step = steps.get(i);
            if ((step.endedAt() == NEVER) != optional) {
                continue;
            }
            List<S> possible = new ArrayList<>(step.after(state));
            if (optional) {
                possible.remove(state);
                if (possible.isEmpty() || !seen.add(step.likeness())) {
                    continue;
                }
            }
            for (S after : possible) {
                explained.set(i);
                if (isExplained(explained, after)) {
                    return true;
                }
                explained.clear(i);
            }
        }
        return false;
    }
}
