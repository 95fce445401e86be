package dev.granary.e2e.kubernetes.prometheus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DashboardQueriesTest {

    private static final String DASHBOARD = """
            {"panels": [
               {"title": "Chunks", "targets": [{"expr": "chunks{cluster=\\"$cluster\\"}"}]},
               {"title": "Row", "panels": [{"title": "Rate", "targets": [{"expr": "rate(ops[${__rate_interval}])"}]}]}],
             "templating": {"list": [{"name": "cluster", "query": {"query": "label_values(chunks, cluster)"}}]}}
            """;

    @Test
    void in_dashboardWithRowsAndVariables_findsAllQueriesFilled(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("one.json"), DASHBOARD);

        assertThat(new DashboardQueries(Map.of("cluster", "social", "__rate_interval", "1m")).in(folder))
                .extracting(DashboardQueries.Query::expression)
                .containsExactly("chunks{cluster=\"social\"}", "rate(ops[1m])", "count by (cluster) (chunks)");
    }

    @Test
    void in_variableWithoutValue_fails(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("one.json"), DASHBOARD);

        assertThatThrownBy(() -> new DashboardQueries(Map.of("cluster", "social")).in(folder))
                .hasMessageContaining("__rate_interval");
    }
}
