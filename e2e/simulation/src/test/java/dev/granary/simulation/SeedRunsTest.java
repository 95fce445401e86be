package dev.granary.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.env.Scheduler;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Any number of seeds runs in the memory that a few of them need. */
class SeedRunsTest {

    private static final int COLLECTIONS = 20;

    @Test
    void run_ofSeveralSeeds_keepsNothingOfThoseThatHaveEnded() throws InterruptedException {
        ConcurrentMap<Long, List<WeakReference<Scheduler>>> processes = new ConcurrentHashMap<>();
        List<Long> ended = new ArrayList<>();
        List<Long> stillThere = new ArrayList<>();

        SeedRuns.run(LongStream.rangeClosed(1, 3).mapToObj(seed -> watched(seed, processes)), 1, result -> {
            ended.forEach(seed -> {
                if (isThere(processes.getOrDefault(seed, List.of()))) {
                    stillThere.add(seed);
                }
            });
            ended.add(result.seed());
        });

        assertThat(processes).containsOnlyKeys(1L, 2L, 3L);
        assertThat(stillThere).isEmpty();
    }

    @Test
    void run_ofOneSeed_keepsNothingOfItForTheThreadThatAsked() {
        ConcurrentMap<Long, List<WeakReference<Scheduler>>> processes = new ConcurrentHashMap<>();

        SeedRun.run(watched(1, processes));

        assertThat(processes).containsOnlyKeys(1L);
        assertThat(isThere(processes.getOrDefault(1L, List.of()))).isFalse();
    }

    private static SeedPlan watched(long seed, ConcurrentMap<Long, List<WeakReference<Scheduler>>> processes) {
        SeedPlan plan = SeedPlan.of(seed)
                .withKinds(Set.of(FaultKind.CRASH_PEER, FaultKind.DUPLICATE))
                .withOperations(50);
        List<WeakReference<Scheduler>> ofSeed = processes.computeIfAbsent(seed, each -> new CopyOnWriteArrayList<>());
        return plan.withShape(plan.shape().withReplicated(true).withStorageWorld(world -> {
            ofSeed.add(new WeakReference<>(world.scheduler()));
            return world;
        }));
    }

    private static boolean isThere(List<WeakReference<Scheduler>> references) {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
            if (references.stream().allMatch(reference -> reference.get() == null)) {
                return false;
            }
        }
        return true;
    }
}
