package dev.granary.storage.data;

import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Which threads are just creating chunks. A new chunk may have the LID of one that was deleted, and is there before it can
 * be marked as not yet replicated: whoever has read a chunk waits, for about as long as a create takes in memory, until
 * creates that were under way have marked what they made (SAFETY rule "reads"). Thread-safe.
 */
final class CreationsUnderWay {

    private static final int SPINS = 200;

    private final CopyOnWriteArrayList<Turn> turns = new CopyOnWriteArrayList<>();

    /** What one thread does. */
    static final class Turn {

        /** Odd while this thread creates; written by this thread alone. */
        private volatile long count;

        private long turns;

        /** Chunks are going to be created. */
        void begin() {
            count = ++turns;
        }

        /** They are marked. */
        void end() {
            count = ++turns;
        }
    }

    /** The turn of the calling thread, which it keeps. */
    Turn join() {
        Turn turn = new Turn();
        turns.add(turn);
        return turn;
    }

    /** Waits until all creates of others have ended that are under way now. */
    void awaitPresent(Turn own) {
        for (Turn turn : turns) {
            long seen = turn.count;
            if ((seen & 1) != 0 && turn != own) {
                awaitEnd(turn, seen);
            }
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // it lets the other thread run, and is right without
    private static void awaitEnd(Turn turn, long seen) {
        for (int spins = 0; turn.count == seen; spins++) {
            if (spins < SPINS) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
        }
    }
}
