package dev.granary.e2e.kubernetes.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PromqlSelectorsTest {

    @Test
    void of_ratioWithGrouping_findsBothMetricsAndNoLabels() {
        assertThat(PromqlSelectors.of(
                        "sum by (namespace, cluster) (used_bytes{job=\"a\"}) / on(cluster) sum(capacity_bytes) > 0.9"))
                .containsExactly("used_bytes{job=\"a\"}", "capacity_bytes");
    }

    @Test
    void of_rangeInsideFunction_findsSelectorWithoutRange() {
        assertThat(PromqlSelectors.of("histogram_quantile(0.99, sum by (le) (rate(request_seconds_bucket[5m])))"))
                .containsExactly("request_seconds_bucket");
    }

    @Test
    void of_labelValueThatLooksLikeNumberOrName_keepsSelectorWhole() {
        assertThat(PromqlSelectors.of("request_seconds_bucket{le=\"0.1\",operation=~\"get|put\"} unless up == 0"))
                .containsExactly("request_seconds_bucket{le=\"0.1\",operation=~\"get|put\"}", "up");
    }

    @Test
    void of_timeFunctionAndDuration_areNoMetrics() {
        assertThat(PromqlSelectors.of("time() - last_success_timestamp_seconds > 5 * 60"))
                .containsExactly("last_success_timestamp_seconds");
    }
}
