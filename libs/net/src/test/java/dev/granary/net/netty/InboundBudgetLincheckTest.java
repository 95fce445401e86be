package dev.granary.net.netty;

import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;

/** The room for frames is linearizable: it is never given twice. */
class InboundBudgetLincheckTest {

    @Test
    void takingAndGiving_allInterleavings_isLinearizable() {
        new ModelCheckingOptions()
                .iterations(5)
                .invocationsPerIteration(100 * Integer.getInteger("granary.threads.factor", 1))
                .threads(3)
                .actorsPerThread(2)
                .check(Budget.class);
    }

    /** Room for a few bytes. */
    @Param(name = "size", gen = IntGen.class, conf = "1:4")
    public static class Budget {

        private final InboundBudget budget = new InboundBudget(5);

        /** Lincheck makes one for each execution. */
        public Budget() {}

        @Operation
        public boolean tryTake(@Param(name = "size") int size) {
            return budget.tryTake(size);
        }

        @Operation
        public void give(@Param(name = "size") int size) {
            budget.give(size);
        }

        @Operation
        public long bytes() {
            return budget.bytes();
        }
    }
}
