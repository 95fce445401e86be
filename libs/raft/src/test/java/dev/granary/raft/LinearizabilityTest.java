package dev.granary.raft;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.testkit.HistoryViolation;
import dev.granary.testkit.SimulationFailure;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Replicated registers under work and faults, seed by seed: what clients saw has an order that explains it. {@code
 * -Dgranary.raft.seeds=500} runs more of them, {@code -Dgranary.raft.seed=7} repeats one.
 */
class LinearizabilityTest {

    private static final int SEEDS = Integer.getInteger("granary.raft.seeds", 20);
    private static final long FIRST_SEED = Long.getLong("granary.raft.seed", 1);
    private static final boolean ONE_SEED = System.getProperty("granary.raft.seed") != null;
    private static final int MOST_SEEDS_TO_CATCH = 500;
    private static final int JVM_LIMIT_SECONDS = 60;

    static LongStream seeds() {
        return LongStream.range(FIRST_SEED, FIRST_SEED + (ONE_SEED ? 1 : SEEDS));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void registers_underFaults_areLinearizable(long seed) {
        RegisterRun.Result result = RegisterRun.run(seed);
        System.out.println(result);
        assertThat(result.outcomes().getOrDefault("PUT DONE", 0)).isGreaterThan(50);
        assertThat(result.outcomes().getOrDefault("GET DONE", 0)).isGreaterThan(50);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void registers_withAPlantedBug_areCaught(RegisterRun.Bug bug) {
        long seed = 1;
        while (!isCaught(seed, bug)) {
            seed++;
            assertThat(seed).as("seeds without a violation").isLessThanOrEqualTo(MOST_SEEDS_TO_CATCH);
        }
        System.out.println(bug + " is caught by seed " + seed);
    }

    private static boolean isCaught(long seed, RegisterRun.Bug bug) {
        try {
            RegisterRun.run(seed, bug);
            return false;
        } catch (HistoryViolation violation) {
            return true;
        } catch (SimulationFailure failure) {
            // A member found that its own log or the others' contradict each other.
            return true;
        }
    }

    @Test
    void registers_sameSeedInAnotherJvm_areTheSameEventByEvent() throws IOException, InterruptedException {
        Process other = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        RegisterRun.class.getName(),
                        Long.toString(FIRST_SEED))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            String here = RegisterRun.run(FIRST_SEED).toString();
            assertThat(RegisterRun.run(FIRST_SEED)).as("in the same JVM").hasToString(here);
            String there = new String(other.getInputStream().readAllBytes(), UTF_8);
            assertThat(other.waitFor(JVM_LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(there).as("in another JVM").contains(here);
        } finally {
            other.destroyForcibly();
        }
    }
}
