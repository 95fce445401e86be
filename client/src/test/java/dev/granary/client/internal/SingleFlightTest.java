package dev.granary.client.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class SingleFlightTest {

    private final SingleFlight<Integer, String> flight = new SingleFlight<>();
    private final List<CompletableFuture<String>> calls = new ArrayList<>();

    private CompletableFuture<String> run(int key) {
        return flight.run(key, () -> {
            calls.add(new CompletableFuture<>());
            return calls.getLast();
        });
    }

    @Test
    void run_whileTheSameIsUnderWay_oneCallForAll() {
        CompletableFuture<String> first = run(1);
        assertThat(run(1)).isSameAs(first);
        var _ = run(2);
        assertThat(calls).hasSize(2);
        calls.getFirst().complete("one");
        assertThat(first).isCompletedWithValue("one");
    }

    @Test
    void run_afterAnAnswerOrAFailure_callsAgain() {
        CompletableFuture<String> first = run(1);
        calls.getFirst().completeExceptionally(new IllegalStateException("silent"));
        assertThat(first).failsWithin(Duration.ZERO).withThrowableThat().withMessageContaining("silent");
        CompletableFuture<String> second = run(1);
        calls.getLast().complete("two");
        assertThat(second).isCompletedWithValue("two");
        var _ = run(1);
        assertThat(calls).hasSize(3);
    }

    @Test
    void run_callThatThrows_failsAndLeavesNothingUnderWay() {
        CompletableFuture<String> thrown = flight.run(1, () -> {
            throw new IllegalStateException("closed");
        });
        assertThat(thrown).isCompletedExceptionally();
        assertThat(run(1)).isNotDone();
    }

    @Test
    void run_callForWhichThereIsNoMemory_failsAndLeavesNothingUnderWay() {
        CompletableFuture<String> thrown = flight.run(1, () -> {
            throw new OutOfMemoryError("no room for the request");
        });
        assertThat(thrown).isCompletedExceptionally();
        assertThat(run(1)).isNotDone();
    }
}
