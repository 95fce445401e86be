package dev.granary.client.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/** There is one call for a key at a time, and all callers get an answer. */
class SingleFlightLincheckTest {

    @Test
    void callsOfOneKey_allInterleavings_areMadeOneAtATimeAndAnswerAll() {
        new ModelCheckingOptions()
                .iterations(5)
                .invocationsPerIteration(100 * Integer.getInteger("granary.threads.factor", 1))
                .threads(3)
                .actorsPerThread(2)
                .actorsBefore(0)
                .actorsAfter(0)
                .check(Flights.class);
    }

    /** Threads begin calls and end each other's calls. */
    public static class Flights {

        private final SingleFlight<String, String> flights = new SingleFlight<>();
        private final ConcurrentLinkedQueue<CompletableFuture<String>> underWay = new ConcurrentLinkedQueue<>();
        private final ConcurrentLinkedQueue<CompletableFuture<String>> answers = new ConcurrentLinkedQueue<>();
        private final AtomicInteger calls = new AtomicInteger();
        private volatile boolean twoAtOnce;

        /** Lincheck makes one for each execution. */
        public Flights() {}

        @Operation
        public void ask() {
            answers.add(flights.run("key", this::call));
        }

        @Operation
        public void askForWhatIsKnown() {
            answers.add(flights.run("key", () -> {
                begin();
                calls.decrementAndGet();
                return CompletableFuture.completedFuture("known");
            }));
        }

        @Operation
        public void answer() {
            CompletableFuture<String> call = underWay.poll();
            if (call != null) {
                calls.decrementAndGet();
                call.complete("answer");
            }
        }

        private CompletableFuture<String> call() {
            begin();
            CompletableFuture<String> call = new CompletableFuture<>();
            underWay.add(call);
            return call;
        }

        private void begin() {
            twoAtOnce |= calls.getAndIncrement() > 0;
        }

        /** Checks the state when all threads have ended. */
        @Validate
        public void validate() {
            if (twoAtOnce) {
                throw new IllegalStateException("two calls at once");
            }
            answer();
            if (!answers.stream().allMatch(CompletableFuture::isDone)) {
                throw new IllegalStateException("somebody waits for ever");
            }
        }
    }
}
