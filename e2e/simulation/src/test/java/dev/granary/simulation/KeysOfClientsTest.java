package dev.granary.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Seeds with {@link KeysOfClients}, of which each has a {@link KeyWorkload}. */
class KeysOfClientsTest {

    private static SeedResult run(long seed, Optional<Boolean> keys) {
        SeedPlan plan =
                SeedPlan.of(seed).withKinds(EnumSet.of(FaultKind.CRASH_PEER)).withOperations(300);
        ClusterShape shape = plan.shape().withReplicated(true);
        return SeedRun.run(plan.withShape(keys.map(shape::withKeys).orElse(shape)));
    }

    private static Set<String> keyOutcomes(SeedResult result) {
        return result.outcomes().keySet().stream()
                .filter(name -> name.startsWith("KEY "))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void seed_withKeys_usesAllCommands() {
        SeedResult result = run(1, Optional.of(true));
        assertThat(result.violation()).isEmpty();
        assertThat(keyOutcomes(result))
                .contains(
                        "KEY APPEND DONE",
                        "KEY DEL DONE",
                        "KEY EXEC DONE",
                        "KEY GET DONE",
                        "KEY GETDEL DONE",
                        "KEY HGET DONE",
                        "KEY HSET DONE",
                        "KEY INCR DONE",
                        "KEY PEXPIRE DONE",
                        "KEY SET DONE",
                        "KEY WATCH DONE");
    }

    @Test
    void seed_withoutKeys_usesNone() {
        assertThat(keyOutcomes(run(1, Optional.of(false)))).isEmpty();
    }

    @Test
    void seeds_thatDecideThemselves_haveKeysOrNot() {
        int with = 0;
        for (long seed = 1; seed <= 20; seed++) {
            try (SimulatedCluster cluster = new SimulatedCluster(seed, ClusterShape.of(1, 1, 1))) {
                with += new KeysOfClients(cluster).isWanted() ? 1 : 0;
            }
        }
        assertThat(with).isBetween(4, 16);
    }
}
