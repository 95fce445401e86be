package dev.granary.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.client.AsyncGranaryClient;
import dev.granary.client.AsyncKeys;
import dev.granary.client.InvalidRequestException;
import dev.granary.client.OutcomeUnknownException;
import dev.granary.client.admin.AsyncClusterAdmin;
import dev.granary.env.Futures;
import dev.granary.memory.ChunkMemoryConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Keys through the Java client, on real storage peers and super-peers. */
class ClientKeysTest {

    private static final long SECOND = 1_000_000_000;
    private static final int KEYS = 300;

    /** A cluster with a client for each test. */
    private static final class World implements AutoCloseable {

        final SimulatedCluster cluster;

        World(int seed, int superPeers, int storagePeers, int clients) {
            this(seed, ClusterShape.of(superPeers, storagePeers, clients).withReplicated(true));
        }

        World(int seed, ClusterShape shape) {
            cluster = new SimulatedCluster(seed, shape);
            cluster.start();
        }

        AsyncKeys<String> keys(int client) {
            return client(client).keys();
        }

        AsyncGranaryClient client(int index) {
            return cluster.clients().get(index).client();
        }

        <T> T await(CompletableFuture<T> future) {
            assertThat(cluster.simulation().runUntil(future::isDone, 120 * SECOND))
                    .isTrue();
            return future.join();
        }

        /** Returns what a client of the Redis protocol sees. */
        String redis(String... command) {
            return await(new KeyedPeer(cluster.storagePeers().getFirst()).send(command))
                    .text();
        }

        String get(String key) {
            return await(keys(0).get(key)).map(ClientKeysTest::text).orElse("nothing");
        }

        @Override
        public void close() {
            cluster.close();
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private static String text(byte[] value) {
        return new String(value, UTF_8);
    }

    private static Map<String, byte[]> values(String prefix) {
        Map<String, byte[]> values = new LinkedHashMap<>();
        IntStream.range(0, KEYS).forEach(i -> values.put(prefix + i, bytes("value " + i)));
        return values;
    }

    @Test
    void keys_setByTheClient_areSeenByRedisClientsAndBack() {
        try (World world = new World(1, 3, 4, 1)) {
            assertThat(world.get("a")).isEqualTo("nothing");
            world.await(world.keys(0).set("a", bytes("1")));
            assertThat(world.get("a")).isEqualTo("1");
            assertThat(world.redis("GET", "a")).isEqualTo("$1\r\n1\r\n");
            assertThat(world.redis("INCR", "a")).isEqualTo(":2\r\n");
            assertThat(world.get("a")).isEqualTo("2");
            assertThat(world.await(world.keys(0).delete("a"))).isTrue();
            assertThat(world.await(world.keys(0).delete("a"))).isFalse();
            assertThat(world.redis("GET", "a")).isEqualTo("$-1\r\n");
        }
    }

    @Test
    void conditions_holdOrDoNot_areAnsweredAndChangeNothingElse() {
        try (World world = new World(2, 1, 3, 1)) {
            AsyncKeys<String> keys = world.keys(0);
            assertThat(world.await(keys.setIfPresent("a", bytes("0")))).isFalse();
            assertThat(world.await(keys.replace("a", bytes(""), bytes("0")))).isFalse();
            assertThat(world.await(keys.delete("a", bytes("")))).isFalse();
            assertThat(world.await(keys.setIfAbsent("a", bytes("1")))).isTrue();
            assertThat(world.await(keys.setIfAbsent("a", bytes("2")))).isFalse();
            assertThat(world.get("a")).isEqualTo("1");
            assertThat(world.await(keys.setIfPresent("a", bytes("3")))).isTrue();
            assertThat(world.await(keys.replace("a", bytes("1"), bytes("4")))).isFalse();
            assertThat(world.await(keys.replace("a", bytes("3"), bytes("5")))).isTrue();
            assertThat(world.get("a")).isEqualTo("5");
            assertThat(world.await(keys.delete("a", bytes("3")))).isFalse();
            assertThat(world.await(keys.delete("a", bytes("5")))).isTrue();
            assertThat(world.get("a")).isEqualTo("nothing");
        }
    }

    @Test
    void lifetimes_areOver_keysAreGone() {
        try (World world = new World(3, 1, 3, 1)) {
            AsyncKeys<String> keys = world.keys(0);
            world.await(keys.set("short", bytes("x"), Duration.ofMillis(300)));
            world.await(keys.setAll(Map.of("batch", bytes("x")), Duration.ofMillis(300)));
            world.await(keys.set("kept", bytes("x"), Duration.ofMillis(300)));
            world.await(keys.set("kept", bytes("y")));
            world.await(keys.set("later", bytes("x")));
            assertThat(world.await(keys.expire("later", Duration.ofMillis(300))))
                    .isTrue();
            assertThat(world.await(keys.expire("none", Duration.ofMillis(300)))).isFalse();
            world.await(keys.replace("kept", bytes("y"), bytes("z"), Duration.ofHours(1)));
            List<String> all = List.of("short", "batch", "kept", "later");
            assertThat(world.await(keys.getAll(all)).keySet()).containsExactlyElementsOf(all);
            world.cluster.simulation().runFor(SECOND / 2);
            assertThat(world.await(keys.getAll(all)).keySet()).containsExactly("kept");
            assertThat(world.redis("TTL", "kept")).isIn(":3600\r\n", ":3599\r\n");
        }
    }

    @Test
    void batches_overAllSlotGroups_areSetReadAndDeleted() {
        try (World world = new World(4, 3, 4, 2)) {
            Map<String, byte[]> values = values("key");
            world.await(world.keys(0).setAll(values));
            List<String> asked = new ArrayList<>(values.keySet());
            asked.add("none");
            Map<String, byte[]> found = world.await(world.keys(1).getAll(asked));
            assertThat(found.keySet()).containsExactlyElementsOf(values.keySet());
            found.forEach((key, value) -> assertThat(value).isEqualTo(values.get(key)));
            assertThat(world.await(world.keys(1).deleteAll(asked))).isEqualTo(KEYS);
            assertThat(world.await(world.keys(0).getAll(asked))).isEmpty();
            assertThat(world.await(world.keys(0).getAll(List.of()))).isEmpty();
            world.await(world.keys(0).setAll(Map.of()));
        }
    }

    @Test
    void getAll_moreThanAnAnswerMayHave_isReadInPieces() {
        ClusterShape shape = ClusterShape.of(1, 3, 1)
                .withReplicated(true)
                .withMemories(memories -> config -> memories.open(new ChunkMemoryConfig(
                        config.nid(), config.firstLid(), 16 << 20, config.layout(), config.system())));
        try (World world = new World(5, shape)) {
            byte[] large = new byte[1 << 20];
            world.await(world.keys(0).setAll(Map.of("{t}large", large, "{t}small", bytes("x"))));
            // One call on one slot group, whose replies do not fit into a frame.
            List<String> asked = new ArrayList<>(Collections.nCopies(20, "{t}large"));
            asked.add("{t}small");
            Map<String, byte[]> found = world.await(world.keys(0).getAll(asked));
            assertThat(found.keySet()).containsExactly("{t}large", "{t}small");
            assertThat(found.get("{t}large")).hasSameSizeAs(large);
        }
    }

    @Test
    void keys_asAnything_areTheBytesThatTheFunctionWrites() {
        try (World world = new World(6, 1, 3, 1)) {
            AsyncKeys<Integer> keys = world.client(0).keys(id -> bytes("user:" + id));
            world.await(keys.setAll(Map.of(7, bytes("seven"))));
            assertThat(world.get("user:7")).isEqualTo("seven");
            assertThat(world.await(keys.getAll(List.of(6, 7))).keySet()).containsExactly(7);
        }
    }

    @Test
    void requests_thatMakeNoSense_areRefusedWithTheReason() {
        try (World world = new World(7, 1, 3, 1)) {
            AsyncKeys<String> keys = world.keys(0);
            world.redis("HSET", "hash", "field", "x");
            assertThatThrownBy(() -> world.await(keys.get("hash")))
                    .hasCauseInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining("a get of key 'hash' was refused: WRONGTYPE");
            assertThatThrownBy(() -> world.await(keys.set("large", new byte[8 << 20])))
                    .hasCauseInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining("8388613 bytes together; they may have 8388544");
            assertThatThrownBy(() -> world.await(keys.set("a", bytes("x"), Duration.ZERO)))
                    .hasCauseInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining("lifetime of PT0S for key 'a'");
            assertThatThrownBy(() -> world.await(keys.setAll(Map.of("a", bytes("x")), Duration.ofMillis(-1))))
                    .hasCauseInstanceOf(InvalidRequestException.class);
        }
    }

    @Test
    void reads_ofGroupsThatNobodyHas_openNone() {
        try (World world = new World(8, 1, 3, 1)) {
            StorageMachine peer = world.cluster.storagePeers().getFirst();
            int zones = peer.backupsByZone().size();
            assertThat(world.await(world.keys(0).getAll(values("key").keySet())))
                    .isEmpty();
            assertThat(world.await(world.keys(0).deleteAll(values("key").keySet())))
                    .isZero();
            assertThat(peer.backupsByZone()).hasSize(zones);
        }
    }

    /** Each success is one step of the counter, whoever made it. */
    @Test
    void replace_byTwoClientsAtOnce_losesNoStep() {
        try (World world = new World(9, 1, 3, 2)) {
            world.await(world.keys(0).set("counter", bytes("0")));
            CompletableFuture<Integer> one = count(world.keys(0), 0, 40);
            CompletableFuture<Integer> other = count(world.keys(1), 0, 40);
            int steps = world.await(one) + world.await(other);
            assertThat(steps).isBetween(40, 80);
            assertThat(world.get("counter")).isEqualTo(Integer.toString(steps));
        }
    }

    private static CompletableFuture<Integer> count(AsyncKeys<String> keys, int done, int attempts) {
        if (attempts == 0) {
            return CompletableFuture.completedFuture(done);
        }
        return keys.get("counter").thenCompose(value -> {
            byte[] seen = value.orElseThrow();
            byte[] next = bytes(Integer.toString(Integer.parseInt(text(seen)) + 1));
            return keys.replace("counter", seen, next)
                    .thenCompose(replaced -> count(keys, replaced ? done + 1 : done, attempts - 1));
        });
    }

    @Test
    void keys_theirOwnerDies_whatWasAcknowledgedIsReadFromTheNextOne() {
        for (int seed = 10; seed < 13; seed++) {
            try (World world = new World(seed, 3, 4, 1)) {
                AsyncKeys<String> keys = world.keys(0);
                world.await(keys.setAll(values("key")));
                List<CompletableFuture<Void>> changes = new ArrayList<>();
                values("later").forEach((key, value) -> changes.add(keys.set(key, value)));
                world.cluster.simulation().runFor(200_000L + 100_000L * seed);
                world.cluster.storagePeers().getFirst().kill();
                Map<String, byte[]> found =
                        world.await(keys.getAll(values("key").keySet()));
                assertThat(found).as("seed " + seed).hasSize(KEYS);
                int unknown = 0;
                int i = 0;
                for (CompletableFuture<Void> change : changes) {
                    String key = "later" + i++;
                    if (world.await(change.handle((_, failure) -> failure == null))) {
                        assertThat(world.get(key)).as(key).isNotEqualTo("nothing");
                    } else {
                        unknown++;
                        assertThat(Futures.causeOf(change.exceptionNow())).isInstanceOf(OutcomeUnknownException.class);
                    }
                }
                assertThat(unknown).as("changes that were on their way").isLessThan(KEYS);
            }
        }
    }

    @Test
    void keys_theirGroupsMove_areFollowedToTheNewOwner() {
        try (World world = new World(13, 3, 4, 1)) {
            AsyncKeys<String> keys = world.keys(0);
            world.await(keys.setAll(values("key")));
            AsyncClusterAdmin admin = world.cluster.operator().orElseThrow().admin();
            int nid = world.cluster.storagePeers().getFirst().nid();
            world.await(admin.startDrain(nid));
            for (int round = 0; round < 20; round++) {
                assertThat(world.await(keys.getAll(values("key").keySet()))).hasSize(KEYS);
                world.await(keys.setAll(values("key")));
                world.cluster.simulation().runFor(SECOND / 2);
            }
            assertThat(world.await(keys.getAll(values("key").keySet()))).hasSize(KEYS);
        }
    }
}
