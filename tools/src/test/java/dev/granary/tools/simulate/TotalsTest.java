package dev.granary.tools.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.simulation.Fault;
import dev.granary.simulation.FaultKind;
import dev.granary.simulation.SeedResult;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TotalsTest {

    private static final FaultKind KIND = FaultKind.FAILED_SYNC_PEER;

    private final Totals totals = new Totals(Set.of(KIND));

    /** The seeds 31337004, 9900024 and 50000602 once counted as wrong for a fault that had no effect by chance. */
    @Test
    void add_faultWithoutEffect_isMissingCoverageAndNoViolation() {
        totals.add(seed(1, 0));
        totals.add(seed(2, 0));

        assertThat(totals.violations()).isZero();
        assertThat(totals.isCovered()).isFalse();
        assertThat(totals.toJson(1, 1, 1)).containsEntry("faultsWithoutEffect", List.of(KIND.optionName()));
    }

    @Test
    void add_effectInOneSeedOfTwo_isCoverageOfTheKind() {
        totals.add(seed(1, 0));
        totals.add(seed(2, 1));

        assertThat(totals.toJson(1, 1, 1)).containsEntry("faultsWithoutEffect", List.of());
    }

    @Test
    void add_kindThatNoSeedHad_isMissingCoverage() {
        assertThat(totals.toJson(1, 1, 1)).containsEntry("faultsWithoutEffect", List.of(KIND.optionName()));
    }

    private static SeedResult seed(long seed, int tookEffect) {
        Fault fault = new Fault(1, KIND, 0, 0, "storage-3", "storage-4", 2);
        return new SeedResult(seed, 0, 0, 1, 1, Map.of(), List.of(fault), Map.of(KIND, tookEffect), Optional.empty());
    }
}
