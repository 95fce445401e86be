package dev.granary.cli.kubectl;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.base.Json;
import org.junit.jupiter.api.Test;

class DoctorTest {
    private static final JsonNode NO_PODS = Json.parse("pods", "{\"items\":[]}");

    private static JsonNode granary(String ready, int ringSize, String stops) {
        return Json.parse("a Granary", """
                {"metadata": {"generation": 2},
                 "status": {"observedGeneration": 2, "ring": {"size": %d}, "stops": %s, "conditions": [
                   {"type": "Ready", "status": "%s", "reason": "Why", "message": "what to do"},
                   {"type": "Replicated", "status": "False", "reason": "InMemoryOnly", "message": "none"}]}}
                """.formatted(ringSize, stops, ready));
    }

    @Test
    void examine_allIsWell_findsNothing() {
        assertThat(Doctor.examine(granary("True", 3, "[]"), NO_PODS)).allMatch(Finding::well);
    }

    @Test
    void examine_notReady_advisesWhatTheConditionSays() {
        assertThat(Doctor.examine(granary("False", 3, "[]"), NO_PODS))
                .contains(Finding.ill("Ready is False (Why)", "what to do"));
    }

    @Test
    void examine_smallRingAndBlockedStop_areNamed() {
        assertThat(Doctor.examine(
                        granary("True", 1, "[{\"pod\": \"p-2\", \"phase\": \"Blocked\", \"message\": \"no room\"}]"),
                        NO_PODS))
                .filteredOn(finding -> !finding.well())
                .extracting(Finding::what)
                .containsExactly("p-2 cannot go", "the ring has 1 super-peer");
    }

    @Test
    void examine_restartedAndWaitingPod_isNamedWithTheNextCommand() {
        JsonNode pods = Json.parse("pods", """
                {"items": [{"metadata": {"name": "p-0"}, "status": {"containerStatuses": [
                  {"restartCount": 2, "lastState": {"terminated": {"reason": "OOMKilled"}},
                   "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off"}}}]}}]}
                """);
        assertThat(Doctor.examine(granary("True", 3, "[]"), pods))
                .filteredOn(finding -> !finding.well())
                .containsExactly(
                        Finding.ill(
                                "p-0 was restarted 2 times, last because of OOMKilled",
                                "kubectl granary logs p-0 --previous"),
                        Finding.ill("p-0 waits: CrashLoopBackOff", "back-off"));
    }
}
