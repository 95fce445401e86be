package dev.granary.tools.bench.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ProcessFiguresTest {

    @Test
    void ticks_nameWithBlanksAndParentheses_areThoseBehindIt() {
        String stat = "12 (a (b) 7 8) S 1 12 12 0 -1 4194560 100 0 0 0 250 50 0 0 20 0 1 0 100 1000 200";
        assertThat(ProcessFigures.ticks(stat)).isEqualTo(300);
    }

    @Test
    void figures_ofThisProcess_grow() throws Exception {
        List<Long> self = List.of(ProcessHandle.current().pid());
        long before = ProcessFigures.cpuNanos(self);
        long end = System.nanoTime() + 10_000_000_000L;
        while (ProcessFigures.cpuNanos(self) == before && System.nanoTime() < end) {
            Thread.onSpinWait();
        }
        assertThat(ProcessFigures.cpuNanos(self)).isGreaterThan(before);
        assertThat(ProcessFigures.residentBytes(self)).isGreaterThan(10 << 20);
        assertThat(ProcessFigures.cpuNanos(List.of())).isZero();
    }
}
