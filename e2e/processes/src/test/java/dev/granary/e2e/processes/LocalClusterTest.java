package dev.granary.e2e.processes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.e2e.processes.Commands.Outcome;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** A user's first minutes: one super-peer, three storage peers, and the commands for single chunks. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LocalClusterTest {

    private static final List<String> NODES = List.of("super-peer-0", "storage-0", "storage-1", "storage-2");

    private final LocalCluster cluster = LocalCluster.up(1, 3);

    @BeforeAll
    void ready() {
        cluster.awaitStatus(
                "three live storage peers",
                status -> status.at("/totals/livePeers").asInt() == 3);
    }

    @AfterAll
    void down() {
        try {
            String said = cluster.granary("down").ok();
            assertThat(said).contains("Stopped 4 processes");
            assertThat(cluster.processes()).isEmpty();
            for (String node : NODES) {
                assertThat(cluster.log(node)).as("log of %s", node).contains("has stopped exitCode=\"0\"");
                assertThat(cluster.dataDirectory(node).resolve("ports.json")).doesNotExist();
            }
        } finally {
            cluster.close();
        }
    }

    @Test
    void status_running_ringCompleteAndSpreadNids() {
        JsonNode status = cluster.status();
        assertThat(status.at("/ring/complete").asBoolean()).isTrue();
        assertThat(status.at("/ring/superPeers/0/nid").asText()).isEqualTo("0x0001");
        assertThat(status.at("/ring/superPeers/0/leader").asBoolean()).isTrue();
        assertThat(status.path("storagePeers").findValuesAsText("nid")).containsExactly("0x4000", "0x8000", "0xc000");
        assertThat(status.path("storagePeers").findValuesAsText("state")).containsOnly("live");
        assertThat(cluster.granary("status").ok())
                .contains("Ring: 1 of 1 super-peers")
                .contains("3 of 3");
    }

    @Test
    void console_ofALocalCluster_isServedWithItsData() {
        assertThat(cluster.get("super-peer-0", "/console/").body()).contains("<title>Granary console</title>");
        JsonNode data =
                LocalCluster.parse(cluster.get("super-peer-0", "/console/data").body());
        assertThat(data.at("/status/storagePeers").findValuesAsText("state")).containsOnly("live");
        assertThat(data.path("work").at("/0x0001/plans").isArray()).isTrue();
    }

    @Test
    void chunk_wholeLife_asAUserSeesIt() {
        String cid = cluster.granary("create", "hello").ok();
        assertThat(cid).matches("0x[0-9a-f]{16}");
        assertThat(cluster.granary("get", cid).ok()).isEqualTo("hello");
        cluster.granary("put", cid, "a longer text than before").ok();
        assertThat(cluster.granary("get", cid).ok()).isEqualTo("a longer text than before");
        cluster.granary("delete", cid).ok();
        Outcome gone = cluster.granary("get", cid);
        assertThat(gone.exitCode()).isEqualTo(1);
        assertThat(gone.err()).contains(cid).doesNotContain("at dev.granary");
        assertThat(cluster.granary("delete", cid).exitCode()).isEqualTo(1);
    }

    @Test
    void name_wholeLife_asAUserSeesIt() {
        String first = cluster.granary("create", "v1").ok();
        String second = cluster.granary("create", "v2").ok();
        cluster.grouped("name", "put", "config/küche", first).ok();
        assertThat(cluster.grouped("name", "get", "config/küche").ok()).isEqualTo(first);
        assertThat(cluster.grouped("name", "put", "--if-absent", "config/küche", second)
                        .exitCode())
                .isEqualTo(1);
        cluster.grouped("name", "put", "--replace", first, "config/küche", second)
                .ok();
        cluster.grouped("name", "put", "config/a", first).ok();
        assertThat(cluster.grouped("name", "list", "config/").ok())
                .isEqualTo(first + " config/a\n" + second + " config/küche");
        cluster.grouped("name", "remove", "config/küche").ok();
        Outcome gone = cluster.grouped("name", "get", "config/küche");
        assertThat(gone.exitCode()).isEqualTo(1);
        assertThat(gone.err()).contains("stands for nothing").doesNotContain("at dev.granary");
        Outcome noChunk = cluster.grouped("name", "put", "config/b", "0x8000ffffffffffff");
        assertThat(noChunk.exitCode()).isEqualTo(1);
        assertThat(cluster.granary("name").exitCode()).isEqualTo(2);
    }

    @Test
    void lock_wholeLife_asAUserSeesIt() {
        String cid = cluster.granary("create", "free").ok();
        String token = cluster.grouped("lock", "acquire", cid, "--lease", "60").ok();
        Outcome held = cluster.grouped("lock", "acquire", cid);
        assertThat(held.exitCode()).isEqualTo(1);
        assertThat(held.err()).contains("another one holds the lock");
        cluster.grouped("lock", "renew", cid, token).ok();
        assertThat(cluster.grouped("lock", "show", cid).ok()).contains("token " + token);
        cluster.granary("put", cid, "--token", token, "first").ok();
        cluster.grouped("lock", "release", cid, token).ok();
        String script = "echo token $GRANARY_LOCK_TOKEN";
        assertThat(cluster.grouped("lock", "run", cid, "--", "sh", "-c", script).ok())
                .matches("token \\d+")
                .doesNotContain("token " + token);
        Outcome late = cluster.granary("put", cid, "--token", token, "late");
        assertThat(late.exitCode()).isEqualTo(1);
        assertThat(late.err()).contains("lost");
        assertThat(cluster.granary("get", cid).ok()).isEqualTo("first");
        assertThat(cluster.grouped("lock", "show", cid).ok()).contains("nobody holds");
    }

    @Test
    void create_namedPeer_firstDigitsShowIt() {
        String cid = cluster.granary("create", "--on", "0xc000", "there").ok();
        assertThat(cid).startsWith("0xc000");
        assertThat(cluster.granary("get", cid).ok()).isEqualTo("there");
    }

    @Test
    void create_batchNearAChunk_allOnItsPeerAndCounted() {
        String near = cluster.granary("create", "--on", "0x4000", "anchor").ok();
        String said = cluster.granary("create", "--size", "32", "--count", "20000", "--near", near)
                .ok();
        assertThat(said).contains("created 20,000 chunks of 32 B: 0x4000");
        JsonNode status = cluster.awaitStatus(
                "20,001 chunks on 0x4000",
                now -> now.at("/storagePeers/0/nid").asText().equals("0x4000")
                        && now.at("/storagePeers/0/chunks").asLong() >= 20_001);
        assertThat(status.at("/storagePeers/0/payloadBytes").asLong()).isGreaterThanOrEqualTo(20_000 * 32);
        assertThat(status.at("/totals/chunks").asLong()).isGreaterThanOrEqualTo(20_001);
    }

    @Test
    void get_chunkOfNobody_failsAndSaysSo() {
        Outcome outcome = cluster.granary("get", "0x2000000000000001");
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.err()).contains("0x2000000000000001");
    }

    @Test
    void commandLine_wrong_exitCodeTwoAndUsage() {
        for (Outcome outcome :
                List.of(cluster.granary("get", "0x80zz"), cluster.granary("creat", "x"), cluster.granary("get"))) {
            assertThat(outcome.exitCode()).as(outcome.err()).isEqualTo(2);
            assertThat(outcome.err()).isNotBlank();
        }
    }

    @Test
    void http_everyProcess_healthReadinessMetricsStatus() {
        for (String node : NODES) {
            assertThat(cluster.get(node, "/healthz").statusCode()).as(node).isEqualTo(200);
            assertThat(cluster.get(node, "/readyz").statusCode()).as(node).isEqualTo(200);
            HttpResponse<String> metrics = cluster.get(node, "/metrics");
            assertThat(metrics.body())
                    .as(node)
                    .contains("jvm_memory")
                    .contains(
                            node.startsWith("super")
                                    ? "granary_superpeer_ring_complete 1.0"
                                    : "granary_storage_lease_valid 1.0");
            assertThat(LocalCluster.parse(cluster.get(node, "/status").body()).isObject())
                    .as(node)
                    .isTrue();
            assertThat(cluster.get(node, "/nothing").statusCode()).as(node).isEqualTo(404);
        }
    }
}
