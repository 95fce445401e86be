package dev.granary.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.simulation.planted.PlantedBug;
import dev.granary.simulation.planted.PlantedBugs;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes that are not what they say, during a run ({@link ImpostorFaults}). */
class ImpostorFaultsTest {

    /** Several impostors of all kinds are in these seeds. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void impostors_whileClientsWork_areRefusedAndChangeNothing(long seed) {
        SeedPlan plan = SeedPlan.of(seed).withKinds(Set.of(FaultKind.IMPOSTOR)).withOperations(400);
        SeedResult result = SeedRun.run(plan.withShape(plan.shape().withReplicated(true)));
        assertThat(result.violation()).isEmpty();
        assertThat(result.tookEffect().get(FaultKind.IMPOSTOR)).isPositive();
    }

    /** What they ask for would do harm: this shows that the others are refused, and not merely without effect. */
    @Test
    void impostors_thatAreBelieved_areFoundByTheRules() {
        PlantedBug bug = PlantedBugs.named("proof-not-checked");
        SeedResult result = SeedRun.run(bug.planWith(1));
        assertThat(bug.shownBy(result)).as("shown: %s", result.violation()).isPresent();
        assertThat(SeedRun.run(bug.planWithout(1)).violation()).isEmpty();
    }
}
