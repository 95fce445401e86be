package dev.granary.storage.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class OperationGateTest {

    private final OperationGate gate = new OperationGate();

    @Test
    void close_nobodyInside_completesAtOnce() {
        assertThat(gate.close()).isCompleted();
        assertThat(gate.enter()).isFalse();
        assertThat(gate.close()).isCompleted();
    }

    @Test
    void close_somebodyInside_completesWithTheLastExit() {
        assertThat(gate.enter()).isTrue();
        assertThat(gate.enter()).isTrue();
        var empty = gate.close();
        assertThat(gate.enter()).isFalse();
        gate.exit();
        assertThat(empty).isNotDone();
        gate.exit();

        assertThat(empty).isCompleted();
    }

    @Test
    void close_manyThreads_nobodyIsInsideAfterwards() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        AtomicBoolean closed = new AtomicBoolean();
        try (ExecutorService pool = Executors.newFixedThreadPool(3)) {
            List<Future<?>> workers = new ArrayList<>();
            for (int t = 0; t < 3; t++) {
                workers.add(pool.submit(() -> {
                    while (gate.enter()) {
                        inside.incrementAndGet();
                        assertThat(closed).isFalse();
                        inside.decrementAndGet();
                        gate.exit();
                    }
                }));
            }
            gate.close().thenRun(() -> closed.set(true)).get();

            assertThat(inside).hasValue(0);
            for (Future<?> worker : workers) {
                worker.get();
            }
        }
    }
}
