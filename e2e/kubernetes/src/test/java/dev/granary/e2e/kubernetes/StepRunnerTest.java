package dev.granary.e2e.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.e2e.kubernetes.program.Formats;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StepRunnerTest {

    private final Report report = new Report();
    private final List<String> looked = new ArrayList<>();

    @Test
    void run_stepFails_othersAreStillTried() {
        new StepRunner(report, looked::add)
                .run(List.of(Step.of("wrong", () -> fail("no pods")), Step.of("right", () -> "three pods")));

        assertThat(report.passed()).isEqualTo(1);
        assertThat(report.failed()).isEqualTo(1);
        assertThat(looked).containsExactly("wrong");
    }

    @Test
    void run_essentialStepFails_restIsNotRunAndCountsAsFailed() {
        new StepRunner(report, looked::add)
                .run(List.of(Step.essential("wrong", () -> fail("no cluster")), Step.of("after", () -> fail("ran"))));

        assertThat(report.passed()).isZero();
        assertThat(report.failed()).isEqualTo(2);
    }

    @Test
    void run_stepLacksSomething_isNeitherPassedNorFailed() {
        new StepRunner(report, looked::add).run(List.of(Step.of("rdma", () -> {
            throw new Step.StepSkipped("no device");
        })));

        assertThat(report.passed()).isZero();
        assertThat(report.failed()).isZero();
    }

    @Test
    void write_afterSteps_isJsonWithTotalsAndReasons(@TempDir Path folder) throws Exception {
        report.fact("nodes", 3);
        Files.writeString(folder.resolve("preparation"), "start the cluster\t12.5\n");
        report.addPreparation(folder.resolve("preparation"));
        new StepRunner(report, looked::add).run(List.of(Step.of("wrong", () -> fail("no pods"))));

        report.write(folder.resolve("report.json"));

        JsonNode json = Formats.JSON.readTree(folder.resolve("report.json").toFile());
        assertThat(json.path("nodes").asInt()).isEqualTo(3);
        assertThat(json.path("failed").asInt()).isEqualTo(1);
        assertThat(json.at("/steps/0/outcome").asText()).isEqualTo("prepared");
        assertThat(json.at("/steps/0/seconds").asDouble()).isEqualTo(12.5);
        assertThat(json.at("/steps/1/detail").asText()).contains("no pods");
    }

    private static String fail(String message) {
        throw new AssertionError(message);
    }
}
