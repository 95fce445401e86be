package dev.granary.e2e.kubernetes.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EmptyPanelsTest {

    @Test
    void all_eachNamesAPanelOfTheDashboards() throws Exception {
        Map<String, String> variables = Map.of(
                "datasource",
                "",
                "namespace",
                "",
                "granary",
                "",
                "pod",
                "",
                "peer",
                "",
                "operator",
                "",
                "__rate_interval",
                "1m",
                "__interval",
                "1m",
                "__range",
                "1m");

        assertThat(new DashboardQueries(variables).in(Path.of("../../dashboards")))
                .extracting(DashboardQueries.Query::place)
                .containsAll(
                        EmptyPanels.ALL.stream().map(EmptyPanels.Panel::place).toList());
    }
}
