package dev.granary.memory;

import static dev.granary.memory.EntryLayout.READER;
import static dev.granary.memory.EntryLayout.WRITER;

/**
 * The read-write lock in each entry of the CID table (DXMem section V-C). A writer sets its bit first, which keeps new
 * readers out, and then waits until those inside have left. Not reentrant. Whoever holds it does nothing that waits for
 * another chunk.
 *
 * <p>While the writer's bit is set and no reader is left, nobody else changes the word: a writer leaves by writing it,
 * a reader by subtracting itself.
 */
final class ChunkLock {

    /** Instead of an entry: there is no chunk. */
    static final long ABSENT = 0;

    private static final int SPINS = 100;

    private ChunkLock() {}

    /** Waits for a place among the readers. Returns the entry as it is then, or {@link #ABSENT}. */
    static long lockForReading(Vmb vmb, long entry) {
        for (int tries = 0; ; tries++) {
            long word = vmb.getAcquire(entry);
            if (!EntryLayout.isChunk(word)) {
                return ABSENT;
            }
            if ((word & WRITER) == 0 && EntryLayout.readers(word) < EntryLayout.MAX_READERS) {
                if (vmb.compareAndSet(entry, word, word + READER)) {
                    return word;
                }
            } else {
                pause(tries);
            }
        }
    }

    static void unlockReading(Vmb vmb, long entry) {
        vmb.add(entry, -READER);
    }

    /** Waits until nobody else holds the lock. Returns the entry without lock bits, or {@link #ABSENT}. */
    static long lockForWriting(Vmb vmb, long entry) {
        for (int tries = 0; ; tries++) {
            long word = vmb.getAcquire(entry);
            if (!EntryLayout.isChunk(word)) {
                return ABSENT;
            }
            if ((word & WRITER) != 0) {
                pause(tries);
            } else if (vmb.compareAndSet(entry, word, word | WRITER)) {
                return awaitReaders(vmb, entry) & ~WRITER;
            }
        }
    }

    /** Ends a write, counted before, and sets the entry to what it shall be from now on, without lock bits. */
    static void unlockWriting(Vmb vmb, long entry, long word) {
        vmb.setRelease(entry, word);
    }

    private static long awaitReaders(Vmb vmb, long entry) {
        for (int tries = 0; ; tries++) {
            long word = vmb.getAcquire(entry);
            if (EntryLayout.readers(word) == 0) {
                return word;
            }
            pause(tries);
        }
    }

    /** Holders need some tens of nanoseconds, unless they were preempted: then the processor is theirs. */
    @SuppressWarnings("ThreadPriorityCheck")
    private static void pause(int tries) {
        if (tries < SPINS) {
            Thread.onSpinWait();
        } else {
            Thread.yield();
        }
    }
}
