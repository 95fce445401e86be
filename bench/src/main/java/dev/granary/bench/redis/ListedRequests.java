package dev.granary.bench.redis;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.LongUnaryOperator;

/** Operations one after the other, to the last one. Those that are answered by an error are sent again. */
public final class ListedRequests implements Requests {

    /** More errors than these are no chance: they are left as they are, and the driver's result tells them. */
    private static final int MOST_REPEATED = 10_000;

    private final long count;
    private final LongUnaryOperator operations;
    private final Queue<Long> again = new ArrayDeque<>();
    private long next;
    private int repeated;

    /**
     * Operations by their numbers.
     *
     * @param operations gives the operation for a number from 0 on, or {@link #NONE} to leave that number out
     */
    public ListedRequests(long count, LongUnaryOperator operations) {
        this.count = count;
        this.operations = operations;
    }

    @Override
    public long next() {
        Long repeat = again.poll();
        if (repeat != null) {
            return repeat;
        }
        while (next < count) {
            long operation = operations.applyAsLong(next++);
            if (operation != NONE) {
                return operation;
            }
        }
        return NONE;
    }

    /** Returns whether the store refused more than 10,000 requests: later ones were not sent again. */
    public boolean wasGivenUp() {
        return repeated > MOST_REPEATED;
    }

    @Override
    public void answered(long operation, Reply.Outcome outcome) {
        if (outcome == Reply.Outcome.ERROR && repeated++ < MOST_REPEATED) {
            again.add(operation);
        }
    }
}
