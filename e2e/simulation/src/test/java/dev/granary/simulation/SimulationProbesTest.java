package dev.granary.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.env.Probe;
import dev.granary.env.Probes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class SimulationProbesTest {

    private static final int LEAST_PROBES = 120;
    private static final String BEGIN = "<!-- the table of probes, made from the code -->\n";
    private static final String END = "<!-- end of the table of probes -->\n";

    @Test
    void all_probes_areManyAndHaveNamesOfTheirOwnAndOneLineOfDescription() {
        List<Probe> all = SimulationProbes.all();
        assertThat(all).hasSizeGreaterThanOrEqualTo(LEAST_PROBES);
        assertThat(all.stream().map(SimulationProbes::nameOf)).doesNotHaveDuplicates();
        assertThat(all.stream().map(Probe::description))
                .doesNotHaveDuplicates()
                .allMatch(description -> description.length() > 10 && description.length() < 120)
                .noneMatch(description -> description.contains("\n"));
    }

    @Test
    void all_probes_standInTheGuideAsTheyAreInTheCode() throws IOException {
        String guide = Files.readString(root().resolve("docs/guides/simulator.md"));
        String rows = SimulationProbes.all().stream()
                .map(probe -> "| `%s` | %s |%n".formatted(SimulationProbes.nameOf(probe), probe.description()))
                .collect(Collectors.joining());
        assertThat(guide).contains(BEGIN + "\n| probe | situation |\n|---|---|\n" + rows + "\n" + END);
    }

    @Test
    void run_aSeed_hitsWhatEverySeedReaches() {
        Probes.startCounting();
        SeedPlan plan = SeedPlan.of(1).withKinds(Set.of(FaultKind.CRASH_PEER)).withOperations(200);
        SeedResult result = SeedRun.run(plan.withShape(plan.shape().withReplicated(true)));
        assertThat(result.violation()).isEmpty();
        assertThat(SimulationProbes.hit())
                .containsKeys("storage-node.lease-taken", "storage-node.answer-held", "raft.leader-changed");
    }

    private static Path root() {
        Path directory = Path.of("").toAbsolutePath();
        while (directory != null && !Files.isDirectory(directory.resolve("docs/guides"))) {
            directory = directory.getParent();
        }
        if (directory == null) {
            throw new IllegalStateException(
                    "the guides are not above " + Path.of("").toAbsolutePath());
        }
        return directory;
    }
}
