package dev.granary.memory.lock;

import static dev.granary.memory.paged.StressMemory.VMB;

import dev.granary.memory.paged.StressMemory;
import java.lang.invoke.VarHandle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * The latch of a page: one exclusive holder, several shared holders, or readers that notice that they must look again.
 */
public final class LatchStress {

    private static final int AGAIN = -1;

    private LatchStress() {}

    /** A latch and two words behind it, written and read without any order of their own. */
    public abstract static class Latched {

        final long latch = StressMemory.place();

        Latched() {}

        final void set(long value) {
            VMB.setLong(latch + 64, value);
            VMB.setLong(latch + 136, value);
        }

        final void changeTo(long value) {
            Latch.lockExclusive(VMB, latch);
            set(value);
            Latch.unlockExclusive(VMB, latch);
        }

        final void look(II_Result result) {
            result.r2 = (int) VMB.getLong(latch + 136);
            result.r1 = (int) VMB.getLong(latch + 64);
        }

        final void lookAndValidate(II_Result result) {
            long since = Latch.read(VMB, latch);
            look(result);
            VarHandle.loadLoadFence();
            if (!Latch.isUnchanged(VMB, latch, since)) {
                result.r1 = AGAIN;
                result.r2 = AGAIN;
            }
        }
    }

    /** Two that change the same word. */
    @JCStressTest
    @Outcome(id = "2, 0", expect = Expect.ACCEPTABLE, desc = "Both counted, and nobody holds the latch.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Two held it exclusively at a time, or somebody still does.")
    @State
    public static class TwoExclusive extends Latched {

        /** Made once a round. */
        public TwoExclusive() {}

        /** Waits for the latch. */
        @Actor
        public void first() {
            Latch.lockExclusive(VMB, latch);
            count();
        }

        /** Tries until it has the latch. */
        @Actor
        public void second() {
            while (!Latch.tryExclusive(VMB, latch)) {
                Thread.onSpinWait();
            }
            count();
        }

        /** What is left. */
        @Arbiter
        public void after(II_Result result) {
            result.r1 = (int) VMB.getLong(latch + 64);
            result.r2 = Latch.isHeld(VMB.getAcquire(latch)) ? 1 : 0;
        }

        private void count() {
            VMB.setLong(latch + 64, VMB.getLong(latch + 64) + 1);
            Latch.unlockExclusive(VMB, latch);
        }
    }

    /** A reader that writes nothing, and one that changes twice. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "All from before both changes.")
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "All from between them.")
    @Outcome(id = "2, 2", expect = Expect.ACCEPTABLE, desc = "All from after them.")
    @Outcome(id = "-1, -1", expect = Expect.ACCEPTABLE, desc = "Something changed meanwhile: it would look again.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A mixture passed the validation.")
    @State
    public static class ValidatedRead extends Latched {

        /** Made once a round. */
        public ValidatedRead() {}

        /** Changes twice. */
        @Actor
        public void change() {
            changeTo(1);
            changeTo(2);
        }

        /** Reads once. */
        @Actor
        public void read(II_Result result) {
            lookAndValidate(result);
        }
    }

    /** One that looks under the shared latch, and one that changes. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "All from before the change.")
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "All from after it.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Something changed under a shared holder.")
    @State
    public static class SharedKeepsExclusiveAway extends Latched {

        /** Made once a round. */
        public SharedKeepsExclusiveAway() {}

        /** Changes. */
        @Actor
        public void change() {
            changeTo(1);
        }

        /** Looks without validation. */
        @Actor
        public void look2(II_Result result) {
            Latch.lockShared(VMB, latch);
            look(result);
            Latch.unlockShared(VMB, latch);
        }
    }

    /** One that changes and goes on looking under the shared latch, and one that changes, too. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "It sees its own change: nobody came in between.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Somebody else had the latch before the shared hold began.")
    @State
    public static class Downgrade extends Latched {

        /** Made once a round. */
        public Downgrade() {}

        /** Changes, then looks at what it changed. */
        @Actor
        public void changeAndLook(II_Result result) {
            Latch.lockExclusive(VMB, latch);
            set(1);
            Latch.downgrade(VMB, latch);
            look(result);
            Latch.unlockShared(VMB, latch);
        }

        /** Changes. */
        @Actor
        public void change() {
            changeTo(2);
        }
    }

    /** A reader beside a shared holder and one that changes: shared holders must not make it look again for ever. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "All from before the change.")
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "All from after it.")
    @Outcome(id = "-1, -1", expect = Expect.ACCEPTABLE, desc = "Something changed meanwhile: it would look again.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A mixture passed the validation.")
    @State
    public static class ReaderBesideSharedHolder extends Latched {

        /** Made once a round. */
        public ReaderBesideSharedHolder() {}

        /** Holds the latch shared for a moment. */
        @Actor
        public void share() {
            Latch.lockShared(VMB, latch);
            Latch.unlockShared(VMB, latch);
        }

        /** Changes. */
        @Actor
        public void change() {
            changeTo(1);
        }

        /** Reads once. */
        @Actor
        public void read(II_Result result) {
            lookAndValidate(result);
        }
    }

    /** A reader beside a shared holder, and nobody who changes anything. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "The shared holder did not disturb it.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "It would look again although nothing was changed.")
    @State
    public static class SharedDoesNotDisturbReaders extends Latched {

        /** Made once a round. */
        public SharedDoesNotDisturbReaders() {}

        /** Holds the latch shared for a moment. */
        @Actor
        public void share() {
            Latch.lockShared(VMB, latch);
            Latch.unlockShared(VMB, latch);
        }

        /** Reads once. */
        @Actor
        public void read(II_Result result) {
            lookAndValidate(result);
        }
    }
}
