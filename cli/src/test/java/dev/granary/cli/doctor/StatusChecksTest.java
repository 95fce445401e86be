package dev.granary.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.granary.cli.base.Json;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class StatusChecksTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:10:00Z");

    /** A cluster in which nothing is wrong: three super-peers, three storage peers half full. */
    private static ObjectNode healthy() {
        ObjectNode status = (ObjectNode) Json.parse("a status", """
                {"ring": {"size": 3, "expectedSize": 3, "complete": true, "superPeers": [
                   {"nid": "0x0001", "name": "super-peer-0", "reachable": true, "arcServedBy": "0x0001"}]},
                 "storagePeers": [],
                 "zones": {"inSync": 3, "degraded": 0, "recovering": 0, "lost": 0, "recoveries": []}}
                """);
        for (int i = 0; i < 3; i++) {
            ((ArrayNode) status.path("storagePeers")).add(Json.parse("a peer", """
                    {"nid": "0x%d000", "name": "storage-%d", "state": "live", "usedBytes": 50, "capacityBytes": 100,
                     "zones": 1, "copies": 2}
                    """.formatted(2 * i + 2, i)));
        }
        return status;
    }

    private static ObjectNode peer(JsonNode status, int index) {
        return (ObjectNode) status.path("storagePeers").get(index);
    }

    private static List<Finding> wrong(JsonNode status) {
        return Diagnosis.make(StatusChecks.ALL, Evidence.of(status, List.of(), NOW)).findings().stream()
                .filter(finding -> finding.level().isWrong())
                .toList();
    }

    private static Finding only(JsonNode status, String alert) {
        List<Finding> wrong = wrong(status);
        assertThat(wrong).singleElement().satisfies(found -> assertThat(found.alert())
                .isEqualTo(alert));
        return wrong.getFirst();
    }

    @Test
    void healthyCluster_nothingIsWrong() {
        assertThat(wrong(healthy())).isEmpty();
    }

    @Test
    void ring_incomplete_isTheAlertWithBothSizes() {
        ObjectNode status = healthy();
        ((ObjectNode) status.path("ring")).put("complete", false).put("expectedSize", 4);
        assertThat(only(status, "GranaryRingIncomplete").what()).contains("3 of 4 super-peers");
    }

    @Test
    void ring_superPeerSilentAndArcUnserved_areNamed() {
        ObjectNode status = healthy();
        ((ObjectNode) status.at("/ring/superPeers/0")).put("reachable", false).put("arcServedBy", "");
        assertThat(wrong(status)).hasSize(2).allSatisfy(found -> {
            assertThat(found.id()).isEqualTo("0x0001");
            assertThat(found.alert()).isEqualTo("GranaryRingIncomplete");
        });
    }

    @Test
    void storagePeer_expiredWithZones_isMissed() {
        ObjectNode status = healthy();
        peer(status, 0).put("usedBytes", 10);
        peer(status, 1).put("state", "expired");
        peer(status, 2).put("usedBytes", 10);
        assertThat(only(status, "GranaryStoragePeerGone").id()).isEqualTo("0x4000");
    }

    @Test
    void storagePeer_expiredWithNothingLeft_isNotMissed() {
        ObjectNode status = healthy();
        peer(status, 1).put("state", "expired").put("zones", 0).put("copies", 0);
        peer(status, 0).put("usedBytes", 10);
        peer(status, 2).put("usedBytes", 10);
        assertThat(wrong(status)).isEmpty();
    }

    @Test
    void zones_lost_areCritical() {
        ObjectNode status = healthy();
        ((ObjectNode) status.path("zones")).put("lost", 2);
        assertThat(only(status, "GranaryZonesLost").what()).startsWith("2 zones are lost");
    }

    @Test
    void zones_degraded_areMissingCopies() {
        ObjectNode status = healthy();
        ((ObjectNode) status.path("zones")).put("degraded", 1);
        only(status, "GranaryCopiesMissing");
    }

    private static ObjectNode recovering(long ageMillis, String waitingFor) {
        ObjectNode status = healthy();
        ObjectNode zones = (ObjectNode) status.path("zones");
        zones.put("recovering", 1);
        zones.putArray("recoveries")
                .addObject()
                .put("zone", "0x4000/3")
                .put("ageMillis", ageMillis)
                .put("waitingFor", waitingFor);
        return status;
    }

    @Test
    void recovery_ofTenMinutes_isCriticalSinceThenAndSaysWhom() {
        Finding found = only(recovering(600_000, "0x6000"), "GranaryZonesRecovering");
        assertThat(found.since()).isEqualTo("2026-01-01T00:00:00Z");
        assertThat(found.id()).isEqualTo("0x4000/3");
        assertThat(found.advice()).contains("0x6000").contains("granary recover 0x4000/3 --accept-loss");
    }

    @Test
    void recovery_ofSeconds_isANote() {
        assertThat(wrong(recovering(3_000, ""))).isEmpty();
    }

    @Test
    void zones_recoveringThatNoRecoveryIsToldOf_areCounted() {
        ObjectNode status = healthy();
        ((ObjectNode) status.path("zones")).put("recovering", 4);
        assertThat(only(status, "GranaryZonesRecovering").what()).startsWith("4 more zones");
    }

    @Test
    void memory_othersCannotTakeOver_hasNoHeadroom() {
        ObjectNode status = healthy();
        for (int i = 0; i < 3; i++) {
            peer(status, i).put("usedBytes", 70);
        }
        assertThat(only(status, "GranaryNoHeadroom").what()).contains("105% full");
    }

    @Test
    void memory_withoutCopies_needsNoHeadroom() {
        ObjectNode status = healthy();
        for (int i = 0; i < 3; i++) {
            peer(status, i).put("usedBytes", 70).put("copies", 0);
        }
        assertThat(wrong(status)).isEmpty();
    }

    @Test
    void memory_nearlyFullAndFull_areToldApart() {
        ObjectNode status = healthy();
        peer(status, 0).put("usedBytes", 90).put("copies", 0);
        peer(status, 1).put("usedBytes", 98).put("copies", 0);
        peer(status, 2).put("usedBytes", 0).put("copies", 0);
        assertThat(wrong(status))
                .extracting(Finding::alert, Finding::id)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("GranaryMemoryFull", "0x4000"),
                        org.assertj.core.groups.Tuple.tuple("GranaryMemoryNearlyFull", "0x2000"));
    }

    @Test
    void ring_ofTwoWithThreeStoragePeers_isTooSmall() {
        ObjectNode status = healthy();
        ((ObjectNode) status.path("ring")).put("size", 2).put("expectedSize", 2);
        assertThat(only(status, "GranarySuperPeersBelowThree").what()).isEqualTo("the ring has 2 super-peers");
    }

    @Test
    void ring_ofOneWithTwoStoragePeers_isANote() {
        ObjectNode status = healthy();
        peer(status, 2).put("state", "left").put("zones", 0).put("copies", 0);
        peer(status, 0).put("usedBytes", 10);
        peer(status, 1).put("usedBytes", 10);
        ((ObjectNode) status.path("ring")).put("size", 1).put("expectedSize", 1);
        Diagnosis diagnosis = Diagnosis.make(StatusChecks.ALL, Evidence.of(status, List.of(), NOW));
        assertThat(diagnosis.exitCode()).isZero();
        assertThat(diagnosis.findings().getFirst().what()).isEqualTo("the ring has 1 super-peer");
    }
}
