package dev.granary.simulation.planted;

import dev.granary.simulation.FaultKind;
import dev.granary.simulation.SeedPlan;
import dev.granary.simulation.SeedResult;
import dev.granary.simulation.SeedRun;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * What seeds show without a bug. A plan has one result, so that a run which several bugs ask for is done once.
 * Thread-safe.
 */
public final class CleanRuns {

    private final ConcurrentMap<CleanRun, SeedResult> results = new ConcurrentHashMap<>();

    /** What determines a run without a bug. */
    record CleanRun(long seed, Set<FaultKind> kinds, boolean withCopies, boolean lastCrash, boolean withKeys) {

        private static final int OPERATIONS = 1_000;

        SeedPlan plan() {
            SeedPlan usual = SeedPlan.of(seed)
                    .withOperations(OPERATIONS)
                    .withKinds(kinds)
                    .withLastCrash(lastCrash);
            return usual.withShape(usual.shape().withReplicated(withCopies).withKeys(withKeys));
        }
    }

    SeedResult of(PlantedBug bug, long seed) {
        return results.computeIfAbsent(bug.without(seed), run -> SeedRun.run(run.plan()));
    }
}
