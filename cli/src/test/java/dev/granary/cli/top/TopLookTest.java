package dev.granary.cli.top;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.base.Json;
import dev.granary.cli.top.TopLook.Order;
import dev.granary.client.admin.HotKeys;
import dev.granary.overlay.SlotGroup;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TopLookTest {

    private static final JsonNode STATUS = Json.parse("a status", """
            {"clusterId": "c",
             "ring": {"size": 2, "expectedSize": 3, "operation": {"kind": "promote", "nid": "0x0003"}, "superPeers": [
               {"name": "super-peer-0", "reachable": true}, {"name": "super-peer-1", "reachable": false}]},
             "storagePeers": [
               {"nid": "0x8000", "name": "storage-0", "state": "live", "usedBytes": 50, "capacityBytes": 100,
                "usesPerSecond": 10, "chunks": 9},
               {"nid": "0x4000", "name": "storage-1", "state": "live", "usedBytes": 30, "capacityBytes": 100,
                "usesPerSecond": 30, "chunks": 1},
               {"nid": "0xc000", "name": "storage-2", "state": "expired", "usedBytes": 80, "capacityBytes": 100,
                "zones": 2}],
             "zones": {"inSync": 4, "degraded": 3, "recovering": 2, "lost": 1, "recoveries": [
               {"zone": "0xc000/1", "ageMillis": 10, "candidate": ""},
               {"zone": "0xc000/2", "ageMillis": 2000, "candidate": "0x4000", "chunks": 7, "waitingFor": "0x8000",
                "note": "busy"}]},
             "hotRanges": [
               {"zone": "0xbffe/1", "slots": "128-191", "from": "0xbffe000000000001", "to": "0xbffe00000000ffff",
                "owner": "0x4000", "perSecond": 20},
               {"zone": "", "slots": "", "from": "0x8000000000000001", "to": "0x8000ffffffffffff", "owner": "0x8000",
                "perSecond": 4}],
             "totals": {"usedBytes": 80, "capacityBytes": 200}}
            """);
    private static final JsonNode PLANS = Json.parse("plans", """
            {"plans": [{"plan": "0x8000/1", "state": "done"}, {"plan": "0x8000/2", "state": "running", "movesFailed": 2}],
             "hotChunks": [{"cid": "0x8000000000000001", "perSecond": 1, "owner": "0x8000"}]}
            """);
    private static final JsonNode OTHERS_PLANS = Json.parse("plans", """
            {"hotChunks": [{"cid": "0x4000000000000001", "perSecond": 5, "owner": "0x4000"}]}
            """);

    private static final HotKeys KEYS = new HotKeys(
            List.of(
                    new HotKeys.HotKey("user:1", SlotGroup.nid(2), 0x4000, 10),
                    new HotKeys.HotKey("\u001b[2Jx", SlotGroup.nid(0), 0x8000, 1)),
            Map.of(0xC000, new HotKeys.Missing("it is away", false)));

    private static TopLook look(Order order) {
        return TopLook.of(STATUS, List.of(PLANS, OTHERS_PLANS), KEYS, order);
    }

    private static List<String> names(Order order) {
        return look(order).storagePeers().stream().map(TopLook.Peer::name).toList();
    }

    @Test
    void of_orders_areKept() {
        assertThat(names(Order.LOAD)).containsExactly("storage-1", "storage-0", "storage-2");
        assertThat(names(Order.FILL)).containsExactly("storage-2", "storage-0", "storage-1");
        assertThat(names(Order.CHUNKS)).containsExactly("storage-0", "storage-1", "storage-2");
        assertThat(names(Order.NAME)).containsExactly("storage-0", "storage-1", "storage-2");
    }

    @Test
    void of_loadsAndFills_areSharesOfTheWhole() {
        TopLook look = look(Order.LOAD);
        assertThat(look.usesPerSecond()).isEqualTo(40);
        assertThat(look.storagePeers().getFirst().loadPercent()).isEqualTo(75);
        assertThat(look.fillPercent()).isEqualTo(40);
        assertThat(look.headroomPercent()).isEqualTo(80);
    }

    @Test
    void headroom_oneStoragePeer_isNotKnown() {
        JsonNode one = Json.parse("a status", """
                {"storagePeers": [{"state": "live", "usedBytes": 1, "capacityBytes": 2}]}
                """);
        assertThat(TopLook.headroom(one)).isEqualTo(-1);
    }

    @Test
    void of_plansOfAllSuperPeers_runningOnesAndTheHottestChunksFirst() {
        TopLook look = look(Order.LOAD);
        assertThat(look.plans())
                .singleElement()
                .satisfies(plan -> assertThat(plan.path("plan").asText()).isEqualTo("0x8000/2"));
        assertThat(look.hotChunks())
                .extracting(chunk -> chunk.path("cid").asText())
                .containsExactly("0x4000000000000001", "0x8000000000000001");
    }

    @Test
    void of_rangesAndKeys_haveTheirSharesOfAllUses() {
        TopLook look = look(Order.LOAD);
        assertThat(look.hotRanges())
                .containsExactly(
                        new TopLook.HotRange(
                                "0xbffe/1", "128-191", "0xbffe000000000001", "0xbffe00000000ffff", "0x4000", 20, 50),
                        new TopLook.HotRange("", "", "0x8000000000000001", "0x8000ffffffffffff", "0x8000", 4, 10));
        assertThat(look.hotKeys())
                .containsExactly(
                        new TopLook.HotKey("user:1", "128-191", "0x4000", 10, 25),
                        new TopLook.HotKey("\\x1b[2Jx", "0-63", "0x8000", 1, 2.5));
        assertThat(look.hotKeysMissing()).containsExactly(new TopLook.Missing("0xc000", "it is away"));
    }

    @Test
    void lines_rangesAndKeys_asManyAsAskedForAndWhoseAreMissing() {
        assertThat(TopText.lines(look(Order.LOAD), 1))
                .anyMatch(line -> line.matches("0xbffe/1 +128-191 +0x4000 +20 +50.0%  0xbffe000000000001\\.\\..*"))
                .noneMatch(line -> line.startsWith("without copies"))
                .anyMatch(line -> line.matches("user:1 +128-191 +0x4000 +10 +25.0%"))
                .noneMatch(line -> line.contains("[2J"))
                .contains("keys of 1 storage peers are not shown: it is away");
        assertThat(TopText.lines(look(Order.LOAD), 2))
                .anyMatch(line -> line.startsWith("without copies"))
                .anyMatch(line -> line.startsWith("\\x1b[2Jx "));
        assertThat(TopText.lines(look(Order.LOAD), 0)).noneMatch(line -> line.contains("HOT"));
    }

    /** A client can set any bytes as a key; none of them may steer the terminal of {@code granary top}. */
    @Test
    void keyText_anyBytes_areReadableAndSteerNoTerminal() {
        assertThat(KeyText.of("app:7")).isEqualTo("app:7");
        assertThat(KeyText.of("h\u00c3\u00a4t")).as("UTF-8").isEqualTo("h\u00e4t");
        assertThat(KeyText.of("h\u00e4t")).as("no UTF-8").isEqualTo("h\\xe4t");
        assertThat(KeyText.of("a\u001b[31m\n")).isEqualTo("a\\x1b[31m\\x0a");
        assertThat(KeyText.of("a\u00e2\u0080\u00aeb")).as("right to left").isEqualTo("a\\xe2\\x80\\xaeb");
        assertThat(KeyText.of("a\\x1b")).isEqualTo("a\\\\x1b");
        assertThat(KeyText.cut("k".repeat(41), 40)).hasSize(40).endsWith("k...");
        assertThat(KeyText.cut("k".repeat(40), 40)).isEqualTo("k".repeat(40));
    }

    @Test
    void of_whatIsMissing_isNamed() {
        TopLook look = look(Order.LOAD);
        assertThat(look.unreachable()).containsExactly("super-peer-1");
        assertThat(look.ringOperation()).isEqualTo("promote 0x0003");
        assertThat(look.recoveries())
                .extracting(recovery -> recovery.path("zone").asText())
                .containsExactly("0xc000/2", "0xc000/1");
    }

    @Test
    void lines_aLook_showTroubleBeforePeers() {
        List<String> lines = TopText.lines(look(Order.LOAD), 1);
        assertThat(lines)
                .anyMatch(line -> line.contains("3 with fewer copies, 2 recovering, 1 lost"))
                .contains("UNREACHABLE super-peers: super-peer-1", "ring: promote 0x0003")
                .contains("recovery 0xc000/2 for 2.0 s: by 0x4000, 7 chunks, 0 B, waits for 0x8000: busy")
                .anyMatch(line -> line.contains("storage-2") && line.contains("EXPIRED"))
                .anyMatch(line -> line.contains("0x8000/2") && line.contains("2 FAILED"))
                .anyMatch(line -> line.contains("0x4000000000000001"))
                .noneMatch(line -> line.contains("0x8000000000000001"));
    }

    @Test
    void fit_smallScreen_cutsAndSaysSo() {
        assertThat(TopText.fit(List.of("one", "two", "three"), 20, 2)).containsExactly("one", "... 2 more lines: 'g");
        assertThat(TopText.fit(List.of("one", "two"), 2, 5)).containsExactly("on", "tw");
    }
}
