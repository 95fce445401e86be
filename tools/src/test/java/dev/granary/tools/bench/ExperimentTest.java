package dev.granary.tools.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.bench.memory.KeyDistribution;
import dev.granary.bench.memory.Layout;
import dev.granary.bench.memory.MemoryPlan;
import dev.granary.bench.memory.Part;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Each {@link Experiment} by its name, and what is done when it cannot be measured. */
class ExperimentTest {

    private static MemoryPlan plan(long chunks, long memoryBytes) {
        return new MemoryPlan(
                "granary",
                Layout.TYPED,
                chunks,
                "50",
                List.of(1),
                List.of(KeyDistribution.ZIPF),
                "facebook-b",
                1000,
                1,
                100,
                memoryBytes,
                true,
                1,
                Set.of(Part.WORKLOAD),
                true);
    }

    @Test
    void toString_each_isTheNameOfTheOption() {
        assertThat(Experiment.values())
                .extracting(Experiment::toString)
                .containsExactly(
                        "overhead-by-size",
                        "uniform-sizes",
                        "threads",
                        "get-breakdown",
                        "defragment",
                        "table-against-hash");
    }

    @Test
    void defragment_fewChunks_measuresBothLayoutsWhateverThePlanHad() throws Exception {
        List<String> rows = Printed.by(() -> {
            try (ResultTable table = new ResultTable(null)) {
                Experiment.DEFRAGMENT.run(plan(20_000, 0), table);
            }
        });
        assertThat(rows)
                .contains(
                        "20,000 chunks of 50 B, workload defragment, classic layout",
                        "20,000 chunks of 50 B, workload defragment, typed layout");
        assertThat(rows.stream().filter(row -> row.contains("fragmentation "))).hasSizeGreaterThanOrEqualTo(2);
    }

    /** An experiment of an hour must not end because one of its parts does not fit. */
    @Test
    void granary_moreThanTheMachineHas_isNotedAndTheRestGoesOn() throws Exception {
        List<String> rows = Printed.by(() -> {
            try (ResultTable table = new ResultTable(null)) {
                Experiment.granary(plan(1000, 1L << 50), table);
                table.note("the next one");
            }
        });
        assertThat(rows.stream().filter(row -> row.startsWith("  not measured: ")))
                .hasSize(1);
        assertThat(rows).last().isEqualTo("  the next one");
    }
}
