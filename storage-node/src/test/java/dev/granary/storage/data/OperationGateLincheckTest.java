package dev.granary.storage.data;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When a gate gives back what it guards, nobody is inside, and it does give it back. */
class OperationGateLincheckTest {

    @Test
    void enterExitAndClose_allInterleavings_completesWhenTheLastIsOut() {
        new ModelCheckingOptions()
                .iterations(10)
                .invocationsPerIteration(50 * Integer.getInteger("granary.threads.factor", 1))
                .threads(3)
                .actorsPerThread(2)
                .actorsBefore(1)
                .actorsAfter(0)
                .check(Gate.class);
    }

    /** A gate, and the number of operations inside. */
    public static class Gate {

        private final OperationGate gate = new OperationGate();
        private final AtomicInteger inside = new AtomicInteger();
        private volatile @Nullable CompletableFuture<Void> closed;
        private volatile boolean givenBack;
        private volatile boolean usedAfterwards;

        /** Lincheck calls it for each execution. */
        public Gate() {}

        @Operation
        public boolean enter() {
            boolean entered = gate.enter();
            if (entered) {
                usedAfterwards |= givenBack;
                inside.incrementAndGet();
            }
            return entered;
        }

        /** Ends an operation that is inside; does nothing when none is. */
        @Operation
        public void exit() {
            if (inside.getAndUpdate(count -> Math.max(0, count - 1)) > 0) {
                usedAfterwards |= givenBack;
                gate.exit();
            }
        }

        @Operation
        public void close() {
            CompletableFuture<Void> empty = gate.close();
            var _ = empty.thenRun(() -> givenBack = true);
            closed = empty;
        }

        /** Checked when all threads have ended. */
        @Validate
        public void validate() {
            if (usedAfterwards) {
                throw new IllegalStateException("somebody was inside although all were said to be out");
            }
            boolean empty = closed != null && inside.get() == 0;
            if (givenBack != empty) {
                throw new IllegalStateException("given back: " + givenBack + ", closed and empty: " + empty);
            }
        }
    }
}
