package dev.granary.e2e.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.e2e.kubernetes.program.Formats;
import org.junit.jupiter.api.Test;

class AlertRulesTest {

    @Test
    void shortened_ranges_areATenthAndAtLeastTenScrapes() {
        assertThat(AlertRules.shortened("increase(failures[10m]) > 2")).isEqualTo("increase(failures[60s]) > 2");
        assertThat(AlertRules.shortened("rate(a[1m]) + rate(b[1h30m])")).isEqualTo("rate(a[20s]) + rate(b[540s])");
        assertThat(AlertRules.shortened("rate(a[10s])")).isEqualTo("rate(a[10s])");
    }

    @Test
    void shortened_offsetsAndSubqueries_areShortenedToo() {
        assertThat(AlertRules.shortened("a offset 1h > max_over_time(b[15m:1m])"))
                .isEqualTo("a offset 360s > max_over_time(b[90s:])");
    }

    @Test
    void shortened_thresholdsAndTexts_stayAsTheyAre() {
        String expression = "time() - last > 26 * 3600 and predict_linear(free{pod=~\"x[5m]\"}[1h], 4 * 3600) < 0";

        assertThat(AlertRules.shortened(expression)).isEqualTo(expression.replace("[1h]", "[360s]"));
    }

    @Test
    void shortened_groups_haveShorterWaitsAndNoIntervals() throws Exception {
        JsonNode groups = Formats.YAML.readTree("""
                - name: granary
                  interval: 1m
                  rules:
                    - {record: "a:rate5m", expr: "rate(a[5m])"}
                    - {alert: Soon, expr: "a > 0"}
                    - {alert: Later, expr: "a > 0", for: 1m}
                    - {alert: MuchLater, expr: "a > 0", for: 1h, keep_firing_for: 30s}
                """);

        assertThat(AlertRules.shortened(groups)).isEqualTo(Formats.YAML.readTree("""
                - name: granary
                  rules:
                    - {record: "a:rate5m", expr: "rate(a[30s])"}
                    - {alert: Soon, expr: "a > 0"}
                    - {alert: Later, expr: "a > 0", for: 6s}
                    - {alert: MuchLater, expr: "a > 0", for: 15s, keep_firing_for: 3s}
                """));
        assertThat(groups.at("/0/interval").asText()).isEqualTo("1m");
    }

    @Test
    void parts_expressionWithThresholds_hasItWithoutThemAndItsSelectors() {
        assertThat(AlertRules.parts(
                        "sum by (namespace) (peers{state=\"gone\"}) / size > 0.95 and time() - last >= 8 * 86400"))
                .containsExactly(
                        "sum by (namespace) (peers{state=\"gone\"}) / size  and time() - last ",
                        "peers{state=\"gone\"}",
                        "size",
                        "last");
    }
}
