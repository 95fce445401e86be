package dev.granary.e2e.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.e2e.kubernetes.program.Formats;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Which faults are made for which alerts, of {@link StorageFaults} and {@link ControlFaults}; no request goes out. */
class AlertCaseTest {

    private static final String OPTIONS = OptionsTest.COMPLETE + " --only alerts";

    private static AlertCase of(Target target) {
        DataSteps data = new DataSteps(target, new ClusterSteps(target));
        return new AlertCase(target, new Report(), data, new MonitoringSteps(target));
    }

    private static SortedMap<String, String> alerts() throws Exception {
        Path file = Path.of("../../helm/granary/files/alerts.yaml");
        return AlertRules.expressions(
                Formats.YAML.readTree(Files.readString(file)).path("groups"));
    }

    @Test
    void scenarios_allAlertsOfTheChart_haveAFaultOrAReasonWhyThereIsNone() throws Exception {
        try (Target target = new Target(Options.parse(OPTIONS.split(" ", -1)))) {
            AlertCase.checkScenarios(alerts().keySet(), of(target).scenarios(), Set.of());
        }
    }

    @Test
    void scenarios_faults_shareNoAlert() {
        try (Target target = new Target(Options.parse(OPTIONS.split(" ", -1)))) {
            assertThat(of(target).scenarios().stream()
                            .flatMap(one -> one.faults().stream())
                            .flatMap(fault -> fault.alerts().stream()))
                    .doesNotHaveDuplicates();
        }
    }

    @Test
    void scenarios_alertsAskedFor_areThoseWithTheirFaults() {
        String two = OPTIONS + " --alerts GranaryLogDiskFull,GranaryOperatorWithoutLeader";
        try (Target target = new Target(Options.parse(two.split(" ", -1)))) {
            assertThat(of(target).scenarios())
                    .extracting(AlertScenario::name)
                    .containsExactly("there is no operator", "a disk fills up");
        }
    }

    @Test
    void checkScenarios_newAlert_isNamed() throws Exception {
        Set<String> more = new TreeSet<>(alerts().keySet());
        more.add("GranaryNew");
        try (Target target = new Target(Options.parse(OPTIONS.split(" ", -1)))) {
            assertThatThrownBy(() -> AlertCase.checkScenarios(more, of(target).scenarios(), Set.of()))
                    .hasMessageContaining("[GranaryNew]");
        }
    }

    @Test
    void checkScenarios_alertThatIsNotThere_isNamed() throws Exception {
        Set<String> fewer = new TreeSet<>(alerts().keySet());
        fewer.remove("GranaryZonesLost");
        try (Target target = new Target(Options.parse(OPTIONS.split(" ", -1)))) {
            assertThatThrownBy(() -> AlertCase.checkScenarios(fewer, of(target).scenarios(), Set.of()))
                    .hasMessageContaining("[GranaryZonesLost]");
        }
    }
}
