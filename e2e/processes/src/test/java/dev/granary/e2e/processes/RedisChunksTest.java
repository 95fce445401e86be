package dev.granary.e2e.processes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Chunks by the Redis protocol, in a cluster of processes: each command is answered by a peer without the chunk. */
class RedisChunksTest {

    private static final List<String> PEERS = List.of("storage-0", "storage-1", "storage-2");

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Test
    void chunks_askedOfPeersThatDoNotOwnThem_areServedAndSurviveTheirOwner() {
        try (LocalCluster cluster = LocalCluster.up(1, 3)) {
            JsonNode status = cluster.awaitStatus(
                    "three live storage peers",
                    each -> each.at("/totals/livePeers").asInt() == 3);
            for (int i = 0; i < PEERS.size(); i++) {
                String nid = LocalCluster.storagePeer(status, PEERS.get(i))
                        .path("nid")
                        .asText();
                String other = PEERS.get((i + 1) % PEERS.size());
                try (RedisConnection redis = new RedisConnection(cluster.redisPort(other))) {
                    createChangeAndDelete(cluster, redis, nid);
                    nameAndLock(redis, nid);
                }
            }
            survive(cluster, status);
        }
    }

    private static void createChangeAndDelete(LocalCluster cluster, RedisConnection redis, String nid) {
        String cid = redis.ask("CHUNK.CREATE", "one", "ON", nid);
        assertThat(cid).startsWith(nid);
        assertThat(redis.ask("CHUNK.GET", cid)).isEqualTo("one");
        assertThat(redis.ask("CHUNK.PUT", cid, "two")).isEqualTo("OK");
        assertThat(cluster.granary("get", cid).ok()).isEqualTo("two");
        String near = redis.ask("CHUNK.CREATE", "beside", "NEAR", cid);
        assertThat(near).startsWith(nid);
        String[] both = redis.ask("CHUNK.MCREATE", "2", "a", "b", "ON", nid).split(" ", -1);
        assertThat(both).hasSize(2).allMatch(each -> each.startsWith(nid));
        assertThat(redis.ask("CHUNK.MPUT", both[0], "c", both[1], "d")).isEqualTo("1 1");
        assertThat(redis.ask("CHUNK.MGET", both[1], cid, both[0])).isEqualTo("d two c");
        String large = "x".repeat(3 << 20);
        assertThat(redis.ask("CHUNK.PUT", near, large)).isEqualTo("OK");
        assertThat(redis.ask("CHUNK.GET", near)).isEqualTo(large);
        assertThat(redis.ask("CHUNK.DEL", cid, both[0], both[1], near)).isEqualTo("4");
        assertThat(redis.ask("CHUNK.DEL", cid)).isEqualTo("0");
        assertThat(redis.ask("CHUNK.GET", cid)).isEqualTo("nil");
        assertThat(redis.ask("CHUNK.PUT", cid, "three")).startsWith("-NOCHUNK ");
        assertThat(redis.ask("CHUNK.MGET", cid, both[0])).isEqualTo("nil nil");
    }

    private static void nameAndLock(RedisConnection redis, String nid) {
        String cid = redis.ask("CHUNK.CREATE", "one", "ON", nid);
        String name = "config/" + nid;
        assertThat(redis.ask("CHUNK.NAME", "SET", name, cid, "NX")).isEqualTo("OK");
        assertThat(redis.ask("CHUNK.NAME", "SET", name, cid, "NX")).isEqualTo("nil");
        assertThat(redis.ask("CHUNK.NAME", "GET", name)).isEqualTo(cid);
        assertThat(redis.ask("CHUNK.NAME", "LIST", "PREFIX", name)).isEqualTo(name + " " + cid);
        assertThat(redis.ask("CHUNK.NAME", "DEL", name)).isEqualTo("1");
        assertThat(redis.ask("CHUNK.NAME", "GET", name)).isEqualTo("nil");

        String first = redis.ask("CHUNK.LOCK", cid, "60000");
        assertThat(redis.ask("CHUNK.LOCK", cid, "60000", "WAIT", "100")).startsWith("-LOCKHELD ");
        assertThat(redis.ask("CHUNK.LOCKINFO", cid)).contains("token " + first);
        assertThat(redis.ask("CHUNK.PUT", cid, "locked", "TOKEN", first)).isEqualTo("OK");
        assertThat(Long.parseLong(redis.ask("CHUNK.RENEW", cid, first))).isBetween(1L, 60_000L);
        assertThat(redis.ask("CHUNK.UNLOCK", cid, first)).isEqualTo("OK");
        String second = redis.ask("CHUNK.LOCK", cid, "60000");
        assertThat(Long.parseLong(second)).isGreaterThan(Long.parseLong(first));
        assertThat(redis.ask("CHUNK.PUT", cid, "late", "TOKEN", first)).startsWith("-LOCKLOST ");
        assertThat(redis.ask("CHUNK.GET", cid)).isEqualTo("locked");
        assertThat(redis.ask("CHUNK.DEL", cid, "TOKEN", second)).isEqualTo("1");
    }

    /** What was acknowledged is there when its owner has died, and a door that is asked meanwhile waits or says so. */
    private static void survive(LocalCluster cluster, JsonNode status) {
        String nid = LocalCluster.storagePeer(status, "storage-2").path("nid").asText();
        try (RedisConnection redis = new RedisConnection(cluster.redisPort("storage-0"))) {
            String cid = redis.ask("CHUNK.CREATE", "kept", "ON", nid);
            assertThat(cid).startsWith(nid);
            cluster.kill("storage-2");
            String found = Awaitility.await("the chunk at its next owner")
                    .atMost(PATIENCE)
                    .until(() -> redis.ask("CHUNK.GET", cid), reply -> !reply.startsWith("-TRYAGAIN"));
            assertThat(found).isEqualTo("kept");
            assertThat(redis.ask("CHUNK.PUT", cid, "changed")).isEqualTo("OK");
            assertThat(redis.ask("CHUNK.GET", cid)).isEqualTo("changed");
        }
    }
}
