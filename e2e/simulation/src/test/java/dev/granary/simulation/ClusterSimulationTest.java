package dev.granary.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whole clusters under work and faults, a few seeds of each kind; {@code granary simulate} runs hundreds in CI.
 * {@code -Dgranary.simulation.seeds=500} runs more seeds, {@code -Dgranary.simulation.seed=7} repeats one.
 */
class ClusterSimulationTest {

    private static final int SEEDS = Integer.getInteger("granary.simulation.seeds", 1);
    private static final long FIRST_SEED = Long.getLong("granary.simulation.seed", 1);
    private static final boolean ONE_SEED = System.getProperty("granary.simulation.seed") != null;
    private static final int JVM_LIMIT_SECONDS = 120;
    private static final int SEEDS_IN_TWO_JVMS = 1;

    /**
     * Seeds that found bugs: a create failed for good at a peer whose super-peer did not list its peers, and so did a
     * create while the ring was changing its size.
     */
    private static final long[] FAILED_ONCE = {126, 292, 579};

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void run_underAllFaults_clientsSeeNothingThatCannotBe(long seed) {
        SeedPlan plan = SeedPlan.of(seed);
        SeedResult result = SeedRun.run(plan);
        System.out.println(result);
        assertThat(result.violation()).isEmpty();
        assertThat(result.operations()).isGreaterThanOrEqualTo(SeedPlan.USUAL_OPERATIONS);
        assertThat(result.tookEffect().keySet()).containsExactlyInAnyOrderElementsOf(plan.kindsThatApply());
        assertThat(result.tookEffect().values()).allMatch(count -> count > 0);
        Map<String, Integer> outcomes = result.outcomes();
        for (String wanted : List.of("CREATE DONE", "GET DONE", "PUT DONE", "DELETE DONE")) {
            assertThat(outcomes.getOrDefault(wanted, 0)).as(wanted).isGreaterThan(10);
        }
        for (String wanted : List.of("NAME PUT", "NAME GET", "NAME REMOVE", "LOCK GRANTED")) {
            assertThat(outcomes.getOrDefault(wanted, 0)).as(wanted).isGreaterThan(3);
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2})
    void run_withCopiesAndPeersKilled_nothingAcknowledgedIsLost(long seed) {
        SeedPlan plan =
                SeedPlan.of(seed).withKinds(Set.of(FaultKind.CRASH_PEER)).withOperations(600);
        SeedResult result = SeedRun.run(plan.withShape(plan.shape().withReplicated(true)));
        assertThat(result.violation()).isEmpty();
        assertThat(result.tookEffect().get(FaultKind.CRASH_PEER)).isPositive();
        assertThat(result.outcomes().keySet()).noneMatch(outcome -> outcome.endsWith(" LOST"));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seedsWithCopies")
    void run_withCopiesUnderAllFaults_nothingAcknowledgedIsLost(long seed) {
        SeedPlan plan = SeedPlan.of(seed);
        SeedPlan copied = plan.withShape(plan.shape().withReplicated(true));
        SeedResult result = SeedRun.run(copied);
        System.out.println(result);
        assertThat(result.violation()).isEmpty();
        assertThat(result.tookEffect().keySet()).containsExactlyInAnyOrderElementsOf(copied.kindsThatApply());
        assertThat(result.outcomes().keySet()).noneMatch(outcome -> outcome.endsWith(" LOST"));
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(
            value = FaultKind.class,
            names = {
                "MIGRATE_RANGE",
                "CRASH_MIGRATION_SOURCE",
                "CRASH_MIGRATION_TARGET",
                "CRASH_TWO_PEERS",
                "FULL_DISK",
                "FAILED_SYNC_PEER",
                "CRASH_ALL_PEERS",
                "LATE_ANSWERS",
                "LARGE_WORK",
                "FAILED_ALLOCATION",
                "FAILED_BUFFERS",
                "FAILED_STEPS",
                "BACKUP",
                "RESTORE"
            })
    void run_withCopiesAndOneKindOfFault_nothingAcknowledgedIsLost(FaultKind kind) {
        SeedPlan plan = SeedPlan.of(FIRST_SEED).withKinds(Set.of(kind));
        SeedResult result = SeedRun.run(plan.withShape(plan.shape().withReplicated(true)));
        assertThat(result.violation()).isEmpty();
        assertThat(result.tookEffect().get(kind)).isPositive();
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 4})
    void run_memoryIsFullWhileChunksMoveAndAreRecovered_nothingAcknowledgedIsLost(long seed) {
        SeedPlan plan = SeedPlan.of(seed)
                .withKinds(Set.of(
                        FaultKind.FAILED_ALLOCATION, FaultKind.CRASH_PEER, FaultKind.DRAIN, FaultKind.MIGRATE_RANGE))
                .withSwarm(true);
        SeedResult result = SeedRun.run(plan.withShape(plan.shape().withReplicated(true)));
        assertThat(result.violation()).isEmpty();
        assertThat(result.tookEffect().get(FaultKind.FAILED_ALLOCATION)).isPositive();
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {19, 41})
    void run_disksAreLostWhileABackupIsRead_theReadingEnds(long seed) {
        SeedPlan plan = SeedPlan.of(seed)
                .withKinds(Set.of(FaultKind.BACKUP, FaultKind.LOST_DISK))
                .withSwarm(true);
        assertThat(SeedRun.run(plan).violation()).isEmpty();
    }

    @Test
    void run_withoutFaults_everyOperationIsDone() {
        SeedResult result = SeedRun.run(SeedPlan.of(1).withKinds(Set.of()).withOperations(500));
        assertThat(result.violation()).isEmpty();
        assertThat(result.faults()).isEmpty();
        assertThat(result.outcomes().keySet()).noneMatch(outcome -> outcome.contains("UNKNOWN"));
    }

    @Test
    void run_sameSeedsInAnotherJvm_areTheSameEventByEvent() throws IOException, InterruptedException {
        Process other = new ProcessBuilder(Stream.concat(
                                Stream.of(
                                        Path.of(System.getProperty("java.home"), "bin", "java")
                                                .toString(),
                                        "--enable-native-access=ALL-UNNAMED",
                                        "-XX:TieredStopAtLevel=1",
                                        "-cp",
                                        System.getProperty(
                                                "surefire.test.class.path", System.getProperty("java.class.path")),
                                        TraceHash.class.getName()),
                                inTwoJvms().mapToObj(Long::toString))
                        .toList())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            String[] here = TraceHash.plans(inTwoJvms())
                    .map(plan -> SeedRun.run(plan).toString())
                    .toArray(String[]::new);
            SeedPlan first = TraceHash.plans(inTwoJvms()).findFirst().orElseThrow();
            assertThat(SeedRun.run(first)).as("in the same JVM").hasToString(here[0]);
            String there = new String(other.getInputStream().readAllBytes(), UTF_8);
            assertThat(other.waitFor(JVM_LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(there.lines().filter(line -> line.startsWith("seed")))
                    .as("in another JVM")
                    .containsExactly(here);
        } finally {
            other.destroyForcibly();
        }
    }

    /** Each seed also runs with copies; the two runs differ in their faults and in all sizes. */
    private static LongStream inTwoJvms() {
        return LongStream.range(FIRST_SEED, FIRST_SEED + SEEDS_IN_TWO_JVMS);
    }

    @Test
    void run_seedsBesideEachOther_areTheSameEventByEvent() throws InterruptedException {
        List<SeedPlan> plans = LongStream.of(303, 1).mapToObj(SeedPlan::of).toList();
        List<Long> beside = new ArrayList<>();
        SeedRuns.run(plans.stream(), 2, result -> beside.add(result.traceHash()));
        assertThat(beside)
                .containsExactlyElementsOf(plans.stream()
                        .map(plan -> SeedRun.run(plan).traceHash())
                        .toList());
    }

    /** Seed 2 found a fill that began again and counted as filled, seed 12 a stream of changes that did not go on. */
    private static LongStream seedsWithCopies() {
        return ONE_SEED ? LongStream.of(FIRST_SEED) : LongStream.of(2, 600);
    }

    private static LongStream seeds() {
        return ONE_SEED
                ? LongStream.of(FIRST_SEED)
                : LongStream.concat(LongStream.range(FIRST_SEED, FIRST_SEED + SEEDS), LongStream.of(FAILED_ONCE));
    }
}
