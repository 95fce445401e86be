package dev.granary.storage.data;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Which threads are just creating chunks. A new chunk may have the LID of one that was deleted, and is there before it
 * can be marked as not yet replicated: whoever has read a chunk shows it only when the creates that were under way have
 * marked what they made (SAFETY rule "reads"). For a small create one waits a moment;
 * of a large one its thread tells. Thread-safe.
 */
final class CreationsUnderWay {

    private static final int SPINS = 200;

    private final CopyOnWriteArrayList<Turn> turns = new CopyOnWriteArrayList<>();

    /** What one thread does. */
    static final class Turn {

        private final ConcurrentLinkedQueue<Runnable> waiting = new ConcurrentLinkedQueue<>();

        /** Odd while this thread creates; written by this thread alone. */
        private volatile long count;

        private long turns;

        /** Chunks are going to be created. */
        void begin() {
            count = ++turns;
        }

        /** They are marked; what waited for that runs now. */
        void end() {
            count = ++turns;
            if (!waiting.isEmpty()) {
                for (Runnable next = waiting.poll(); next != null; next = waiting.poll()) {
                    next.run();
                }
            }
        }
    }

    /** The turn of the calling thread, which it keeps. */
    Turn join() {
        Turn turn = new Turn();
        turns.add(turn);
        return turn;
    }

    /** Whether all creates of others have ended that are under way now, or do so within a moment. */
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
     * Runs something once all creates of others have ended that are under way now: here, or on the thread of the last.
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
            // One for each wait: whoever takes it out of the queue runs it.
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
