package dev.granary.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.simulation.planted.CleanRuns;
import dev.granary.simulation.planted.PlantedBug;
import dev.granary.simulation.planted.PlantedBugs;
import dev.granary.simulation.planted.PlantedRun;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random runs catch planted bugs; {@link PlantedBugTest} shows scenarios one by one. Here are a few that need no
 * copies; {@code granary simulate --planted all} takes minutes for all, and CI runs it.
 */
class PlantedBugsUnderFaultsTest {

    static List<PlantedBug> few() {
        return PlantedBugs.parse(LongForm.pick(
                "lease-given-away-early,second-cluster",
                "lease-given-away-early,completions-left-behind,second-cluster,two-writers-of-the-size"));
    }

    @ParameterizedTest
    @MethodSource("few")
    void run_withAPlantedBug_isCaught(PlantedBug bug) {
        PlantedRun run = PlantedRun.of(bug, 1, PlantedRun.MOST_SEEDS, seed -> {}, new CleanRuns());
        System.out.println(run);
        assertThat(run.isCaught()).as(run.toString()).isTrue();
    }

    @Test
    void planted_aWrongName_namesThoseThatThereAre() {
        assertThatThrownBy(() -> PlantedBugs.parse("lid-reused,no-such-bug"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'no-such-bug'")
                .hasMessageContaining("lid-reused");
    }

    @Test
    void planted_byNames_areEachOnceInTheirOrder() {
        assertThat(PlantedBugs.parse("nid-reused, lid-reused,nid-reused"))
                .extracting(PlantedBug::name)
                .containsExactly("nid-reused", "lid-reused");
    }

    @Test
    void planted_someLeftOut_areNotAmongThem() {
        assertThat(PlantedBugs.parse("-nid-reused,all"))
                .hasSize(PlantedBugs.all().size() - 1)
                .extracting(PlantedBug::name)
                .doesNotContain("nid-reused");
    }

    @Test
    void planted_allLeftOut_saysSo() {
        assertThatThrownBy(() -> PlantedBugs.parse("nid-reused,-nid-reused"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("names no planted bug");
    }
}
