package dev.granary.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.simulation.planted.PlantedBugs;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MinimiserTest {

    private static List<Fault> faults(int count) {
        return IntStream.rangeClosed(1, count)
                .mapToObj(id -> new Fault(id, FaultKind.PAUSE, id, 1, "storage-0", "", 0))
                .toList();
    }

    private static Set<Integer> ids(List<Fault> faults) {
        return new HashSet<>(faults.stream().map(Fault::id).toList());
    }

    @Test
    void minimise_anyFaultsThatAreNeeded_areWhatIsLeft() {
        SplittableRandom random = new SplittableRandom(4_711);
        for (int i = 0; i < 200; i++) {
            Set<Integer> needed = new HashSet<>();
            int count = random.nextInt(0, 4);
            while (needed.size() < count) {
                needed.add(random.nextInt(1, 41));
            }
            List<Fault> left =
                    Minimiser.minimise(faults(40), 1_000, chosen -> ids(chosen).containsAll(needed));
            assertThat(ids(left)).isEqualTo(needed);
        }
    }

    @Test
    void minimise_fewTries_stopsInTime() {
        List<Integer> tries = new ArrayList<>();
        List<Fault> left = Minimiser.minimise(faults(40), 5, chosen -> {
            tries.add(chosen.size());
            return ids(chosen).containsAll(Set.of(3, 30));
        });
        assertThat(tries).hasSizeLessThanOrEqualTo(5);
        assertThat(ids(left)).contains(3, 30);
    }

    @Test
    void minimise_aRunWithAPlantedBug_leavesFewFaultsThatReplay() {
        SeedPlan planted = PlantedBugs.named("lid-reused")
                .planWith(1)
                .withKinds(EnumSet.of(
                        FaultKind.CRASH_PEER,
                        FaultKind.RESTART_IN_LEASE,
                        FaultKind.DELAY,
                        FaultKind.LOSS,
                        FaultKind.PAUSE))
                .withOperations(500);
        SeedResult failed = SeedRun.run(planted);
        assertThat(failed.violation()).isPresent();
        List<Fault> left = Minimiser.minimise(planted, failed, 25);
        assertThat(left).hasSizeLessThan(failed.faults().size() / 2);
        assertThat(SeedRun.run(planted.withOnly(ids(left))).violation()).isPresent();
    }
}
