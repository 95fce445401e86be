package dev.granary.cli.kubectl;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.granary.cli.doctor.Check;
import dev.granary.cli.doctor.ClusterChecks;
import dev.granary.cli.doctor.Finding.Level;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Both doctors know every alert of dashboards/alerts.yaml, or say why they cannot. */
class AlertsKnownTest {

    private static final Path DASHBOARDS = Path.of("../dashboards");

    private record Alert(String name, String severity, String annotations) {}

    private static List<Alert> alerts() throws IOException {
        List<Alert> alerts = new ArrayList<>();
        JsonNode file = new YAMLMapper().readTree(Files.readString(DASHBOARDS.resolve("alerts.yaml")));
        for (JsonNode group : file.path("groups")) {
            for (JsonNode rule : group.path("rules")) {
                if (rule.has("alert")) {
                    alerts.add(new Alert(
                            rule.path("alert").asText(),
                            rule.at("/labels/severity").asText(),
                            rule.path("annotations").toString()));
                }
            }
        }
        assertThat(alerts).isNotEmpty();
        return alerts;
    }

    private static Set<String> names(List<Check> checks) {
        return checks.stream()
                .map(Check::alert)
                .filter(alert -> !alert.isEmpty())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void kubectlDoctor_everyAlert_hasACheckOrTakesAHistory() throws IOException {
        Set<String> known = names(ResourceChecks.ALL);
        ClusterChecks.UNSEEN.forEach((alert, reason) -> {
            if (reason.equals(ClusterChecks.TAKES_A_HISTORY)) {
                assertThat(known.add(alert)).as(alert).isTrue();
            }
        });
        assertThat(known)
                .containsExactlyInAnyOrderElementsOf(
                        alerts().stream().map(Alert::name).toList());
    }

    @Test
    void granaryDoctor_everyAlert_hasACheckOrAReasonWhyItCannotBeSeen() throws IOException {
        Set<String> known = names(ClusterChecks.ALL);
        assertThat(known).doesNotContainAnyElementsOf(ClusterChecks.UNSEEN.keySet());
        known.addAll(ClusterChecks.UNSEEN.keySet());
        assertThat(known)
                .containsExactlyInAnyOrderElementsOf(
                        alerts().stream().map(Alert::name).toList());
    }

    @Test
    void check_ofAnAlert_hasItsSeverityAndRunbook() throws IOException {
        Map<String, Alert> alerts = alerts().stream().collect(Collectors.toMap(Alert::name, alert -> alert));
        for (Check check : ResourceChecks.ALL) {
            if (check.alert().isEmpty()) {
                continue;
            }
            Alert alert = requireNonNull(alerts.get(check.alert()), check.alert());
            assertThat(check.level())
                    .as(alert.name())
                    .isEqualTo(Level.valueOf(alert.severity().toUpperCase(Locale.ROOT)));
            assertThat(alert.annotations()).as(alert.name()).contains("/" + check.runbook() + ".md");
        }
    }

    @Test
    void check_runbook_isThere() {
        assertThat(ResourceChecks.ALL)
                .filteredOn(check -> !check.runbook().isEmpty())
                .allSatisfy(check -> assertThat(DASHBOARDS.resolve("runbooks").resolve(check.runbook() + ".md"))
                        .exists());
    }
}
