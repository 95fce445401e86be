package dev.granary.memory.paged;

import dev.granary.memory.LockMode;
import dev.granary.memory.LockTimeoutException;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** Locks that callers hold: what one holder wrote, the next one sees, and nobody is left waiting. */
public final class HeldLocksStress {

    private static final long CID = 7;

    private HeldLocksStress() {}

    /** Two writers that wait for each other as long as it takes. */
    @JCStressTest
    @Outcome(id = "2, 0", expect = Expect.ACCEPTABLE, desc = "Both counted, one after the other; the table is empty.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A count is lost, or a lock is left in the table.")
    @State
    public static class WritersHandOver {

        private final HeldLocks locks = new HeldLocks(System::nanoTime);
        private int count;

        /** Made once a round. */
        public WritersHandOver() {}

        /** The first writer. */
        @Actor
        public void first() {
            increment();
        }

        /** The second writer. */
        @Actor
        public void second() {
            increment();
        }

        /** What is left. */
        @Arbiter
        public void after(II_Result result) {
            result.r1 = count;
            result.r2 = locks.heldCount();
        }

        private void increment() {
            locks.lock(CID, LockMode.WRITE, Long.MAX_VALUE);
            try {
                count++;
            } finally {
                locks.unlock(CID, LockMode.WRITE);
            }
        }
    }

    /** A reader that waits for a writer of two plain fields. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "The reader had the lock first.")
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "The writer had it first, and the reader sees all of it.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The reader saw half of what the writer wrote under its lock.")
    @State
    public static class ReaderSeesWriter {

        private final HeldLocks locks = new HeldLocks(System::nanoTime);
        private int first;
        private int second;

        /** Made once a round. */
        public ReaderSeesWriter() {}

        /** Writes both fields. */
        @Actor
        public void write() {
            locks.lock(CID, LockMode.WRITE, Long.MAX_VALUE);
            first = 1;
            second = 1;
            locks.unlock(CID, LockMode.WRITE);
        }

        /** Reads both fields. */
        @Actor
        public void read(II_Result result) {
            locks.lock(CID, LockMode.READ, Long.MAX_VALUE);
            result.r2 = second;
            result.r1 = first;
            locks.unlock(CID, LockMode.READ);
        }
    }

    /** A waiter whose time runs out while the lock is given back. */
    @JCStressTest
    @Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "The waiter gave up and left nothing behind.")
    @Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "The lock was handed over in time, and given back.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A lock was granted to nobody, or its holder did not see the last one.")
    @State
    public static class WaiterGivesUp {

        private final HeldLocks locks = new HeldLocks(System::nanoTime);
        private int written;

        /** The lock is held when the round begins. */
        public WaiterGivesUp() {
            locks.lock(CID, LockMode.WRITE, 0);
        }

        /** Gives back the lock that another thread took. */
        @Actor
        public void giveBack() {
            written = 1;
            locks.unlock(CID, LockMode.WRITE);
        }

        /** Waits for a moment. */
        @Actor
        public void waitShortly(III_Result result) {
            try {
                locks.lock(CID, LockMode.READ, 200);
            } catch (LockTimeoutException e) {
                return;
            }
            result.r1 = 1;
            result.r2 = written;
            locks.unlock(CID, LockMode.READ);
        }

        /** What is left. */
        @Arbiter
        public void after(III_Result result) {
            result.r3 = locks.heldCount();
        }
    }
}
