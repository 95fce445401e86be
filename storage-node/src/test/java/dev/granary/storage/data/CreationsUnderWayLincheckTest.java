package dev.granary.storage.data;

import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/** What was read while chunks were created is shown once, and not before the chunks were marked. */
class CreationsUnderWayLincheckTest {

    @Test
    void createsAndReads_allInterleavings_showsWhatIsMarkedOnce() {
        new ModelCheckingOptions()
                .iterations(10)
                .invocationsPerIteration(300 * Integer.getInteger("granary.threads.factor", 1))
                .threads(2)
                .actorsPerThread(2)
                .actorsBefore(0)
                .actorsAfter(0)
                .check(Creations.class);
    }

    /** A thread that creates chunks, and others that read them. */
    public static class Creations {

        private final CreationsUnderWay creations = new CreationsUnderWay();
        private final Creator creator = new Creator();
        private final CreationsUnderWay.Turn reader = creations.join();
        private final AtomicInteger read = new AtomicInteger();
        private final AtomicInteger shown = new AtomicInteger();
        private volatile boolean shownTooEarly;

        /** Lincheck calls it for each execution. */
        public Creations() {}

        private final class Creator {

            private final CreationsUnderWay.Turn turn = creations.join();
            private volatile int made;
            private volatile int marked;

            void create() {
                turn.begin();
                int next = made + 1;
                made = next;
                marked = next;
                turn.end();
            }
        }

        @Operation(nonParallelGroup = "creator")
        public void create() {
            creator.create();
        }

        @Operation
        public void readLater() {
            int made = creator.made;
            read.incrementAndGet();
            creations.whenEnded(reader, () -> {
                shown.incrementAndGet();
                shownTooEarly |= creator.marked < made;
            });
        }

        /** Checked when all threads have ended. */
        @Validate
        public void validate() {
            if (shownTooEarly) {
                throw new IllegalStateException("shown before it was marked");
            }
            if (shown.get() != read.get()) {
                throw new IllegalStateException("read " + read + " times, shown " + shown + " times");
            }
        }
    }
}
