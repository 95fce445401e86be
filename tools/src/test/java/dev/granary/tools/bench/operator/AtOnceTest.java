package dev.granary.tools.bench.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AtOnceTest {
    @Test
    void run_many_allAreRun() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        AtOnce.run(Collections.nCopies(100, runs::incrementAndGet));
        AtOnce.run(List.of());
        assertThat(runs).hasValue(100);
    }

    @Test
    void run_oneFails_failsAsItDid() {
        AtOnce.Task fails = () -> {
            throw new IOException("refused");
        };
        assertThatThrownBy(() -> AtOnce.run(List.of(() -> {}, fails)))
                .isInstanceOf(IOException.class)
                .hasMessage("refused");
    }
}
