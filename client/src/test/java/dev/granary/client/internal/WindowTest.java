package dev.granary.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.client.GranaryException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WindowTest {

    @Test
    void run_noTasks_completes() {
        assertThat(Window.run(4, List.<Supplier<CompletableFuture<Void>>>of().iterator()))
                .isCompleted();
    }

    @Test
    void run_manyTasksThatEndAtOnce_doesNotGrowTheStack() {
        int[] ran = {0};
        Supplier<CompletableFuture<Void>> task = () -> {
            ran[0]++;
            return CompletableFuture.completedFuture(null);
        };
        assertThat(Window.run(4, IntStream.range(0, 200_000).mapToObj(i -> task).iterator()))
                .isCompleted();
        assertThat(ran[0]).isEqualTo(200_000);
    }

    @Test
    void run_tasksThatWait_neverHasMoreUnderWayThanAllowed() {
        List<CompletableFuture<Void>> started = new ArrayList<>();
        Supplier<CompletableFuture<Void>> task = () -> {
            started.add(new CompletableFuture<>());
            return started.getLast();
        };
        CompletableFuture<Void> result =
                Window.run(3, IntStream.range(0, 10).mapToObj(i -> task).iterator());
        for (int done = 0; done < 10; done++) {
            assertThat(started).hasSize(Math.min(10, done + 3));
            assertThat(result).isNotDone();
            started.get(done).complete(null);
        }
        assertThat(result).isCompleted();
    }

    @Test
    void run_noMemoryToStartATaskAfterAnotherHasEnded_failsOnceAllHaveEnded() {
        CompletableFuture<Void> first = new CompletableFuture<>();
        List<Supplier<CompletableFuture<Void>>> tasks = List.of(() -> first, () -> {
            throw new OutOfMemoryError("no room for the request");
        });
        CompletableFuture<Void> result = Window.run(1, tasks.iterator());
        first.complete(null);
        assertThat(result).isCompletedExceptionally();
    }

    @Test
    void run_taskFails_startsNoMoreAndWaitsForThoseUnderWay() {
        CompletableFuture<Void> slow = new CompletableFuture<>();
        List<String> started = new ArrayList<>();
        List<Supplier<CompletableFuture<Void>>> tasks = List.of(
                () -> {
                    started.add("slow");
                    return slow;
                },
                () -> {
                    started.add("failing");
                    return CompletableFuture.failedFuture(new GranaryException("planted"));
                },
                () -> {
                    started.add("never");
                    return CompletableFuture.completedFuture(null);
                });
        CompletableFuture<Void> result = Window.run(2, tasks.iterator());
        assertThat(started).containsExactly("slow", "failing");
        assertThat(result).isNotDone();
        slow.complete(null);
        assertThatThrownBy(result::join)
                .hasCauseInstanceOf(GranaryException.class)
                .hasMessageContaining("planted");
    }
}
