package dev.granary.simulation.planted;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.simulation.LongForm;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Seeds catch those bugs of {@link KeyTamperers} and {@link KeysNotFound} that show in nearly every seed. */
class KeyBugsTest {

    private static final int MOST_SEEDS = 10;
    private static final CleanRuns CLEAN = new CleanRuns();

    static List<PlantedBug> frequent() {
        return PlantedBugs.parse(
                LongForm.pick("watch-ignored,keys-not-found", "key-call-repeated,watch-ignored,keys-not-found"));
    }

    @ParameterizedTest
    @MethodSource("frequent")
    void run_withABugOfKeys_isCaught(PlantedBug bug) {
        PlantedRun run = PlantedRun.of(bug, 1, MOST_SEEDS, seed -> {}, CLEAN);
        assertThat(run.isCaught()).as(run.toString()).isTrue();
    }
}
