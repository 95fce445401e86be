package dev.granary.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.base.Json;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MetricChecksTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:10:00Z");
    private static final String HEALTHY = """
            granary_storage_lease_valid 1.0
            granary_storage_zones_below_floor 0.0
            granary_backup_full 0.0
            granary_backup_failed 0.0
            granary_backup_damages 0.0
            granary_storage_volume_size_bytes 1000.0
            granary_storage_volume_free_bytes 600.0
            granary_storage_info{nid="0x8000",version="1",} 1.0
            granary_loop_overdue_seconds{loop="lease",} 0.0
            granary_loop_failures_total{loop="lease",} 7.0
            granary_memory_plan_limit_bytes{area="heap",share="shipments",} 100.0
            granary_memory_plan_used_bytes{area="heap",share="shipments",} 10.0
            granary_memory_plan_limit_bytes{area="heap",share="copy-log-index",} 100.0
            granary_memory_plan_used_bytes{area="heap",share="copy-log-index",} 100.0
            """;

    private static Diagnosis diagnose(String state, String earlier, String now) {
        JsonNode status = Json.parse("a status", """
                {"storagePeers": [{"nid": "0x8000", "name": "storage-0", "state": "%s"}]}""".formatted(state));
        ProcessLook look = ProcessLook.of(
                ProcessLook.Role.STORAGE_PEER, "0x8000", "storage-0", Samples.parse(earlier), Samples.parse(now));
        return Diagnosis.make(MetricChecks.ALL, Evidence.of(status, List.of(look), NOW));
    }

    private static List<Finding> notWell(Diagnosis diagnosis) {
        return diagnosis.findings().stream()
                .filter(finding -> finding.level() != Finding.Level.OK)
                .toList();
    }

    @Test
    void healthyPeer_nothingIsFound() {
        assertThat(notWell(diagnose("live", HEALTHY, HEALTHY))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "granary_storage_lease_valid 1.0, granary_storage_lease_valid 0.0, GranaryStoragePeerWithoutLease",
        "granary_storage_zones_below_floor 0.0, granary_storage_zones_below_floor 3.0, GranaryWritesRefused",
        "granary_backup_full 0.0, granary_backup_full 1.0, GranaryLogDiskFull",
        "granary_backup_failed 0.0, granary_backup_failed 1.0, GranaryLogDiskFailed",
        "granary_backup_damages 0.0, granary_backup_damages 2.0, GranaryCopiesDamaged",
        "granary_storage_volume_free_bytes 600.0, granary_storage_volume_free_bytes 90.0, GranaryLogDiskFillingUp",
    })
    void gauge_hasAnotherValue_isThatAlertWithThePeersId(String before, String after, String alert) {
        List<Finding> found = notWell(diagnose("live", HEALTHY, HEALTHY.replace(before, after)));
        assertThat(found).singleElement().satisfies(finding -> {
            assertThat(finding.alert()).isEqualTo(alert);
            assertThat(finding.id()).isEqualTo("0x8000");
            assertThat(finding.what()).contains("storage-0 (0x8000)");
            assertThat(finding.advice()).isNotEmpty();
            assertThat(finding.runbook()).isNotEmpty();
        });
    }

    @Test
    void lease_ofAParkedPeer_isNotMissed() {
        String now = HEALTHY.replace("lease_valid 1.0", "lease_valid 0.0");
        assertThat(notWell(diagnose("parked", now, now))).isEmpty();
    }

    @Test
    void loop_overdue_standsStillSince() {
        String now = HEALTHY.replace("overdue_seconds{loop=\"lease\",} 0.0", "overdue_seconds{loop=\"lease\",} 60.0");
        assertThat(notWell(diagnose("live", now, now)))
                .filteredOn(finding -> finding.alert().equals("GranaryLoopStandsStill"))
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.since()).isEqualTo("2026-01-01T00:09:00Z");
                    assertThat(finding.what()).contains("loop lease of storage-0");
                });
    }

    @Test
    void loop_failuresRiseBetweenTwoLooks_failsAgainAndAgain() {
        List<Finding> found = notWell(diagnose("live", HEALTHY, HEALTHY.replace("} 7.0", "} 8.0")));
        assertThat(found).extracting(Finding::alert).containsExactly("GranaryLoopFailing");
    }

    @Test
    void certificate_lessThanAFifthOfItsTimeIsLeft_isLate() {
        String inTime = HEALTHY + certificate(2_000_000, 7_776_000);
        assertThat(notWell(diagnose("live", inTime, inTime))).isEmpty();
        String late = HEALTHY + certificate(36_000, 7_776_000);
        assertThat(notWell(diagnose("live", late, late))).singleElement().satisfies(finding -> {
            assertThat(finding.alert()).isEqualTo("GranaryCertificateExpiresSoon");
            assertThat(finding.what()).contains("storage-0", "expires in 10.0 hours");
        });
    }

    private static String certificate(int expirySeconds, int lifetimeSeconds) {
        return """
                granary_tls_certificate_expiry_seconds %d.0
                granary_tls_certificate_lifetime_seconds %d.0
                """.formatted(expirySeconds, lifetimeSeconds);
    }

    @Test
    void share_isFull_isANote() {
        List<Finding> found = notWell(
                diagnose("live", HEALTHY, HEALTHY.replace("share=\"shipments\",} 10.0", "share=\"shipments\",} 95.0")));
        assertThat(found).singleElement().satisfies(finding -> {
            assertThat(finding.level()).isEqualTo(Finding.Level.NOTE);
            assertThat(finding.what()).contains("share shipments of storage-0 (0x8000) is 95% full");
        });
    }

    @Test
    void versions_differ_isANote() {
        String now = HEALTHY + "granary_storage_info{nid=\"0x8000\",version=\"2\",} 1.0\n";
        assertThat(notWell(diagnose("live", now, now)))
                .extracting(Finding::what)
                .containsExactly("processes have the versions 1, 2");
    }

    @Test
    void process_cannotBeRead_isANoteAndItsChecksAreNotWell() {
        ProcessLook silent = ProcessLook.unseen(ProcessLook.Role.STORAGE_PEER, "0x8000", "storage-0", "refused");
        Diagnosis diagnosis =
                Diagnosis.make(MetricChecks.ALL, Evidence.of(Json.parse("a status", "{}"), List.of(silent), NOW));
        assertThat(diagnosis.exitCode()).isZero();
        assertThat(diagnosis.findings())
                .hasSize(MetricChecks.ALL.size() + 1)
                .allMatch(finding -> finding.level() == Finding.Level.NOTE)
                .anyMatch(finding -> finding.advice().equals("refused"));
    }
}
