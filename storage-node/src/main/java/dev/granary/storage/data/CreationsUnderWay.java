package dev.granary.storage.data;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Knows which threads are creating chunks. A new chunk may have the LID of a deleted one, and can be read before it is
 * marked as not yet replicated. So a get shows a chunk only after the creates that were under way have marked their
 * chunks (SAFETY rule "reads"). A get waits a moment for small creates; for a large create the creating thread goes on
 * with it. Thread-safe.
 */
final class CreationsUnderWay {

    private static final int SPINS = 200;

    private final CopyOnWriteArrayList<Turn> turns = new CopyOnWriteArrayList<>();

    /** The state of one thread. */
    static final class Turn {

        private final ConcurrentLinkedQueue<Runnable> waiting = new ConcurrentLinkedQueue<>();

        /** Odd while this thread creates; written by this thread alone. */
        private volatile long count;

        private long turns;

        /** Begins a create. */
        void begin() {
            count = ++turns;
        }

        /** Ends a create, whose chunks are marked now, and runs what waited for it. */
        void end() {
            count = ++turns;
            if (!waiting.isEmpty()) {
                for (Runnable next = waiting.poll(); next != null; next = waiting.poll()) {
                    next.run();
                }
            }
        }
    }

    /** Makes the turn of the calling thread, which the thread keeps. */
    Turn join() {
        Turn turn = new Turn();
        turns.add(turn);
        return turn;
    }

    /** Returns whether all creates of other threads that are under way now have ended, or end within a moment. */
    boolean haveEnded(Turn own) {
        for (Turn turn : turns) {
            long seen = turn.count;
            if ((seen & 1) != 0 && turn != own && !endsSoon(turn, seen)) {
                return false;
            }
        }
        return true;
    }

    private static boolean endsSoon(Turn turn, long seen) {
        for (int spins = 0; spins < SPINS; spins++) {
            if (turn.count != seen) {
                return true;
            }
            Thread.onSpinWait();
        }
        return turn.count != seen;
    }

    /**
     * Runs {@code then} once all creates of other threads that are under way now have ended: on this thread, or on the
     * thread of the last create.
     */
    void whenEnded(Turn own, Runnable then) {
        AtomicInteger left = new AtomicInteger(1);
        Runnable ended = () -> {
            if (left.decrementAndGet() == 0) {
                then.run();
            }
        };
        for (Turn turn : turns) {
            long seen = turn.count;
            if ((seen & 1) == 0 || turn == own) {
                continue;
            }
            // One object for each wait: the thread that takes it out of the queue runs it.
            Runnable wait = () -> ended.run();
            left.incrementAndGet();
            turn.waiting.add(wait);
            if (turn.count != seen && turn.waiting.remove(wait)) {
                wait.run();
            }
        }
        ended.run();
    }
}
