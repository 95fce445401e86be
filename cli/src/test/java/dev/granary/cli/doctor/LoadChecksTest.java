package dev.granary.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.cli.base.Json;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class LoadChecksTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:10:00Z");

    /** What an earlier hour left: its errors and slow requests are none of now. */
    private static final String EARLIER = operations(5_000, 5_000)
            + requests("get", 5_000, 9_000)
            + requests("put", 5_000, 9_000)
            + replication(5_000, 9_000);

    private static String operations(int ok, int errors) {
        return """
                granary_storage_operations_total{operation="get",outcome="ok",} %d
                granary_storage_operations_total{operation="get",outcome="error",} %d
                """.formatted(ok, errors);
    }

    private static String requests(String operation, int fast, int all) {
        String metric = "granary_storage_request_seconds_bucket{operation=\"" + operation + "\",";
        return buckets(metric, "0.262144", fast, all)
                + buckets(metric, "1.048576", fast, all)
                + buckets(metric, "+Inf", all, all);
    }

    private static String replication(int fast, int all) {
        String metric = "granary_storage_replication_seconds_bucket{";
        return buckets(metric, "0.04096", fast, all)
                + buckets(metric, "0.16384", fast, all)
                + buckets(metric, "+Inf", all, all);
    }

    private static String buckets(String metric, String bound, int count, int all) {
        return String.format(Locale.ROOT, "%sle=\"%s\",} %d%n", metric, bound, Math.min(count, all));
    }

    private static List<Finding> wrong(String earlier, String now) {
        ProcessLook look = ProcessLook.of(
                ProcessLook.Role.STORAGE_PEER, "0x8000", "storage-0", Samples.parse(earlier), Samples.parse(now));
        Evidence evidence = Evidence.of(Json.parse("a status", "{}"), List.of(look), NOW);
        return Diagnosis.make(LoadChecks.ALL, evidence).findings().stream()
                .filter(finding -> finding.level().isWrong())
                .toList();
    }

    private static Finding only(String now, String alert) {
        List<Finding> wrong = wrong(EARLIER, now);
        assertThat(wrong).extracting(Finding::alert).containsExactly(alert);
        return wrong.getFirst();
    }

    @Test
    void look_nothingGrew_nothingIsWrong() {
        assertThat(wrong(EARLIER, EARLIER)).isEmpty();
    }

    @Test
    void errors_twoInAHundred_areCritical() {
        Finding found = only(operations(5_980, 5_020), "GranaryHighErrorRatio");
        assertThat(found.level()).isEqualTo(Finding.Level.CRITICAL);
        assertThat(found.what()).isEqualTo("20 of 1000 operations ended with an error");
    }

    @Test
    void refusedClients_moreThanTwo_areCritical() {
        Finding found = wrong(EARLIER + refused(7), EARLIER + refused(10)).getFirst();
        assertThat(found.alert()).isEqualTo("GranaryRedisClientsRefused");
        assertThat(found.level()).isEqualTo(Finding.Level.CRITICAL);
        assertThat(found.what()).contains("storage-0", "refused 3 clients");
        assertThat(wrong(EARLIER + refused(7), EARLIER + refused(9))).isEmpty();
    }

    private static String refused(int clients) {
        return "granary_redis_connections_refused_total " + clients + "\n";
    }

    @Test
    void errors_twoOfTwo_mayBeAnAccident() {
        assertThat(wrong(EARLIER, operations(5_000, 5_002))).isEmpty();
    }

    @Test
    void errors_fiveInAThousand_areFew() {
        assertThat(wrong(EARLIER, operations(5_995, 5_005))).isEmpty();
    }

    @Test
    void errors_processBeganAnew_countsFromZero() {
        assertThat(only(operations(90, 10), "GranaryHighErrorRatio").what()).startsWith("10 of 100 ");
    }

    @Test
    void gets_aboveATenthOfASecond_areSlow() {
        assertThat(only(requests("get", 5_090, 9_100), "GranaryHighLatency").what())
                .isEqualTo("10 of 100 requests get took more than 0.3 s");
    }

    @Test
    void puts_aboveASecond_areSlow() {
        assertThat(only(requests("put", 5_090, 9_100), "GranaryHighLatency").what())
                .isEqualTo("10 of 100 requests put took more than 1.0 s");
    }

    @Test
    void backups_aboveASixthOfASecond_lag() {
        assertThat(only(replication(5_090, 9_100), "GranaryReplicationLag").what())
                .isEqualTo("10 of 100 requests to backups took more than 0.2 s");
    }

    @Test
    void requests_allFast_areWell() {
        String now = requests("get", 5_100, 9_100) + requests("put", 5_100, 9_100) + replication(5_100, 9_100);
        assertThat(wrong(EARLIER, now)).isEmpty();
    }
}
