package dev.granary.client.internal;

import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/** However threads interleave, no more is allowed than if they asked one after the other. */
class AllowanceLincheckTest {

    @Test
    void take_allInterleavings_isLinearizable() {
        new ModelCheckingOptions()
                .iterations(4)
                .invocationsPerIteration(100 * Integer.getInteger("granary.threads.factor", 1))
                .threads(3)
                .actorsPerThread(2)
                .actorsBefore(0)
                .actorsAfter(1)
                .check(Taking.class);
    }

    /** Two are allowed at once, and then one in a period; all threads ask in the same period. */
    public static class Taking {

        private static final long PERIOD = 100;

        private final Allowance allowance = new Allowance(2, 7);

        /** Lincheck makes one for each execution. */
        public Taking() {}

        @Operation
        public boolean take() {
            return allowance.take(0, PERIOD);
        }
    }
}
