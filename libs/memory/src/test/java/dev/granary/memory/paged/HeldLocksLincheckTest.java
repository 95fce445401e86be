package dev.granary.memory.paged;

import dev.granary.memory.LockMode;
import dev.granary.memory.LockTimeoutException;
import dev.granary.memory.NotLockedException;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/** Held locks are linearizable, and whoever waits for one gets it. All on the heap, so model checking sees it. */
class HeldLocksLincheckTest {

    private static final long CID = 7;

    @Test
    void tryingAndUnlocking_allInterleavings_areLinearizable() {
        new ModelCheckingOptions()
                .iterations(2)
                .invocationsPerIteration(MemoryTests.steps(40))
                .threads(2)
                .actorsPerThread(3)
                .check(Trying.class);
    }

    @Test
    void blocking_allInterleavings_countsEveryWriteAndNeverDeadlocks() {
        new ModelCheckingOptions()
                .iterations(3)
                .invocationsPerIteration(MemoryTests.steps(50))
                .threads(3)
                .actorsPerThread(2)
                .actorsBefore(0)
                .actorsAfter(1)
                .check(Blocking.class);
    }

    /** Operations that never wait. */
    public static class Trying {

        private final HeldLocks locks = new HeldLocks(() -> 0);

        /** Lincheck makes one for each execution. */
        public Trying() {}

        @Operation
        public boolean tryRead() {
            return locks.tryLock(CID, LockMode.READ);
        }

        @Operation
        public boolean tryWrite() {
            return locks.tryLock(CID, LockMode.WRITE);
        }

        @Operation
        public boolean lockForWritingOrGiveUp() {
            try {
                locks.lock(CID, LockMode.WRITE, 0);
                return true;
            } catch (LockTimeoutException e) {
                return false;
            }
        }

        @Operation
        public boolean unlockRead() {
            return unlock(LockMode.READ);
        }

        @Operation
        public boolean unlockWrite() {
            return unlock(LockMode.WRITE);
        }

        @Operation
        public boolean isLocked() {
            return locks.isLocked(CID);
        }

        private boolean unlock(LockMode mode) {
            try {
                locks.unlock(CID, mode);
                return true;
            } catch (NotLockedException e) {
                return false;
            }
        }
    }

    /** A plain counter, correct only if the locks around it are. */
    public static class Blocking {

        private final HeldLocks locks = new HeldLocks(() -> 0);
        private int counter;

        /** Lincheck makes one for each execution. */
        public Blocking() {}

        @Operation
        public int increment() {
            locks.lock(CID, LockMode.WRITE, Long.MAX_VALUE);
            try {
                counter++;
                return counter;
            } finally {
                locks.unlock(CID, LockMode.WRITE);
            }
        }

        @Operation
        public int read() {
            locks.lock(CID, LockMode.READ, Long.MAX_VALUE);
            try {
                return counter;
            } finally {
                locks.unlock(CID, LockMode.READ);
            }
        }
    }
}
