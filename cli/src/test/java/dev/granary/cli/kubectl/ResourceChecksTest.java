package dev.granary.cli.kubectl;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.granary.cli.base.Json;
import dev.granary.cli.doctor.Diagnosis;
import dev.granary.cli.doctor.Evidence;
import dev.granary.cli.doctor.Finding;
import dev.granary.cli.doctor.ProcessLook;
import dev.granary.cli.doctor.ProcessLook.Role;
import dev.granary.cli.doctor.Samples;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResourceChecksTest {

    private static final Instant NOW = Instant.ofEpochSecond(1_000_000);
    private static final String LEADER = "granary_operator_leader 1.0\n";
    private static final String SUCCESS =
            "granary_operator_last_success_timestamp_seconds{namespace=\"n\",name=\"g\"} ";

    private static JsonNode granary(String ready, String balanced, String degraded, String stops) {
        return Json.parse("a Granary", """
                {"metadata": {"generation": 2, "namespace": "n", "name": "g"},
                 "status": {"observedGeneration": 2, "stops": %s, "conditions": [
                   {"type": "Ready", "status": "%s", "reason": "Why", "message": "what to do"},
                   {"type": "Balanced", "status": "%s", "reason": "Even"},
                   {"type": "Degraded", "status": "%s", "reason": "Bad", "message": "mend it",
                    "lastTransitionTime": "2026-01-01T00:00:00Z"},
                   {"type": "Replicated", "status": "False", "reason": "InMemoryOnly", "message": "none"}]}}
                """.formatted(stops, ready, balanced, degraded));
    }

    private static final JsonNode HEALTHY = granary("True", "True", "False", "[]");

    private static JsonNode condition(String type, String status, String reason) {
        return Json.parse("a condition", """
                {"type": "%s", "status": "%s", "reason": "%s", "message": "the message of %s"}
                """.formatted(type, status, reason, type));
    }

    private static JsonNode with(JsonNode granary, JsonNode... conditions) {
        JsonNode copy = granary.deepCopy();
        ((ArrayNode) copy.at("/status/conditions")).addAll(List.of(conditions));
        return copy;
    }

    private static JsonNode notApplied(JsonNode granary) {
        return Json.parse("a Granary", granary.toString().replace("\"generation\":2", "\"generation\":3"));
    }

    private static List<Finding> wrong(JsonNode resource, List<JsonNode> pods, String operatorMetrics) {
        Samples samples = Samples.parse(operatorMetrics);
        ProcessLook operator = ProcessLook.of(Role.OPERATOR, "", "operator-0", samples, samples);
        Evidence evidence = new Evidence(MissingNode.getInstance(), List.of(operator), resource, pods, NOW);
        return Diagnosis.make(ResourceChecks.OWN, evidence).findings().stream()
                .filter(finding -> finding.level().isWrong())
                .toList();
    }

    private static List<Finding> wrong(JsonNode resource) {
        return wrong(resource, List.of(), LEADER + SUCCESS + NOW.getEpochSecond());
    }

    @Test
    void examine_allIsWell_nothingIsWrong() {
        assertThat(wrong(HEALTHY)).isEmpty();
    }

    @Test
    void examine_notReady_advisesWhatTheConditionSays() {
        assertThat(wrong(granary("False", "True", "False", "[]")))
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.what()).isEqualTo("Ready is False (Why)");
                    assertThat(finding.advice()).isEqualTo("what to do");
                });
    }

    @Test
    void examine_degraded_saysSinceWhen() {
        assertThat(wrong(granary("True", "True", "True", "[]"))).singleElement().satisfies(finding -> {
            assertThat(finding.alert()).isEqualTo("GranaryDegraded");
            assertThat(finding.since()).isEqualTo("2026-01-01T00:00:00Z");
        });
    }

    @Test
    void examine_degradedAndBalanceUnknown_noSuperPeerAnswers() {
        assertThat(wrong(granary("True", "Unknown", "True", "[]")))
                .extracting(Finding::alert)
                .contains("GranaryClusterUnreachable");
    }

    @Test
    void examine_newestSpecNotApplied_leadsToTheOperator() {
        assertThat(wrong(notApplied(HEALTHY))).singleElement().satisfies(finding -> {
            assertThat(finding.what()).isEqualTo("the operator has not applied the newest spec");
            assertThat(finding.advice()).startsWith("look at the operator");
        });
    }

    @Test
    void examine_newestSpecNotAppliedAndStalled_saysWhatAPersonMustChange() {
        JsonNode stalled = with(
                HEALTHY, condition("Reconciling", "False", "InvalidSpec"), condition("Stalled", "True", "InvalidSpec"));
        assertThat(wrong(notApplied(stalled))).extracting(Finding::advice).containsExactly("the message of Stalled");
    }

    @Test
    void examine_newestSpecNotAppliedAndTriedAgain_saysWhatReconcilingSays() {
        JsonNode tried = with(
                HEALTHY, condition("Stalled", "False", "Reconciling"), condition("Reconciling", "True", "Retrying"));
        assertThat(wrong(notApplied(tried))).extracting(Finding::advice).containsExactly("the message of Reconciling");
    }

    @Test
    void examine_updateRolledBack_isSaidOnceUnderItsName() {
        JsonNode back = Json.parse(
                "a Granary",
                granary("True", "True", "True", "[]").toString().replace("\"Bad\"", "\"UpdateRolledBack\""));
        assertThat(wrong(back)).singleElement().satisfies(finding -> {
            assertThat(finding.alert()).isEqualTo("GranaryUpdateRolledBack");
            assertThat(finding.advice()).isEqualTo("mend it");
        });
    }

    @Test
    void examine_volumesRefused_advisesWhatTheConditionSays() {
        assertThat(wrong(with(HEALTHY, condition("VolumesGrown", "False", "ExpansionRefused"))))
                .extracting(Finding::what, Finding::advice)
                .containsExactly(org.assertj.core.groups.Tuple.tuple(
                        "VolumesGrown is False (ExpansionRefused)", "the message of VolumesGrown"));
    }

    @Test
    void examine_volumesGrow_isNotWrong() {
        assertThat(wrong(with(HEALTHY, condition("VolumesGrown", "False", "Resizing"))))
                .isEmpty();
    }

    @Test
    void examine_operatorHasAnotherImage_isWrongAfterAWeek() {
        assertThat(wrong(with(HEALTHY, updateAvailable(6)))).isEmpty();
        assertThat(wrong(with(HEALTHY, updateAvailable(8)))).singleElement().satisfies(finding -> {
            assertThat(finding.alert()).isEqualTo("GranaryImageOutdated");
            assertThat(finding.advice()).isEqualTo("the message of UpdateAvailable");
        });
    }

    private static JsonNode updateAvailable(int days) {
        ObjectNode condition = (ObjectNode) condition("UpdateAvailable", "True", "OperatorHasAnotherImage");
        return condition.put(
                "lastTransitionTime", NOW.minus(Duration.ofDays(days)).toString());
    }

    @Test
    void examine_blockedStop_isNamed() {
        String stops = "[{\"pod\": \"p-2\", \"phase\": \"Blocked\", \"message\": \"no room\"},"
                + " {\"pod\": \"p-1\", \"phase\": \"Draining\", \"message\": \"goes on\"}]";
        assertThat(wrong(granary("True", "True", "False", stops)))
                .extracting(Finding::alert, Finding::what, Finding::advice)
                .containsExactly(org.assertj.core.groups.Tuple.tuple("GranaryStopBlocked", "p-2 cannot go", "no room"));
    }

    @Test
    void examine_restartedWaitingAndUnschedulablePod_isNamedWithTheNextCommand() {
        JsonNode pod = Json.parse("a pod", """
                {"metadata": {"name": "p-0"}, "status": {
                  "conditions": [{"type": "PodScheduled", "status": "False", "message": "0/3 nodes"}],
                  "containerStatuses": [{"restartCount": 2, "lastState": {"terminated": {"reason": "OOMKilled"}},
                   "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off"}}}]}}
                """);
        assertThat(wrong(HEALTHY, List.of(pod), LEADER + SUCCESS + NOW.getEpochSecond()))
                .extracting(Finding::what)
                .containsExactly(
                        "p-0 was restarted 2 times, last because of OOMKilled",
                        "p-0 waits: CrashLoopBackOff",
                        "p-0 has no node: 0/3 nodes");
    }

    @Test
    void examine_noOperatorLeads_isSaid() {
        assertThat(wrong(HEALTHY, List.of(), "granary_operator_leader 0.0\n"))
                .extracting(Finding::alert)
                .containsExactly("GranaryOperatorWithoutLeader");
    }

    @Test
    void examine_lastSuccessSixMinutesAgo_isNotReconciledSinceThen() {
        assertThat(wrong(HEALTHY, List.of(), LEADER + SUCCESS + (NOW.getEpochSecond() - 360)))
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.alert()).isEqualTo("GranaryOperatorNotReconciling");
                    assertThat(finding.since()).isEqualTo(NOW.minusSeconds(360).toString());
                });
    }

    @Test
    void examine_errorsAndNoSuccessForAMinute_isFailing() {
        String errors = "granary_operator_reconciles_total{namespace=\"n\",name=\"g\",outcome=\"error\"} 5\n";
        assertThat(wrong(HEALTHY, List.of(), LEADER + errors + SUCCESS + (NOW.getEpochSecond() - 60)))
                .extracting(Finding::alert)
                .containsExactly("GranaryOperatorFailing");
    }

    @Test
    void examine_metricsOfAnotherResource_areNotItsOwn() {
        String other = SUCCESS.replace("\"g\"", "\"other\"") + "1\n";
        assertThat(wrong(HEALTHY, List.of(), LEADER + other + SUCCESS + NOW.getEpochSecond()))
                .isEmpty();
    }
}
