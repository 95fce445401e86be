package dev.granary.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.client.AsyncGranaryClient;
import dev.granary.client.ChunkOutcome;
import dev.granary.overlay.Cid;
import dev.granary.overlay.SlotGroup;
import dev.granary.simulation.KeyedPeer.Answer;
import dev.granary.storage.keyed.GroupCall.WatchedKey;
import dev.granary.storage.keyed.GroupReply.Outcome;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Keys in a cluster: any storage peer carries out commands on them, and they survive their owner. */
class KeyedDataTest {

    private static final long SECOND = 1_000_000_000;
    private static final int KEYS = 60;

    private static Answer ask(SimulatedCluster cluster, StorageMachine machine, String... command) {
        CompletableFuture<Answer> answer = new KeyedPeer(machine).send(command);
        assertThat(cluster.simulation().runUntil(answer::isDone, 20 * SECOND))
                .as(() -> String.join(" ", command) + " at " + machine.name())
                .isTrue();
        return answer.join();
    }

    private static String reply(SimulatedCluster cluster, StorageMachine machine, String... command) {
        Answer answer = ask(cluster, machine, command);
        assertThat(answer.outcome()).as(answer.text()).isEqualTo(Outcome.DONE);
        return answer.text();
    }

    private static String bulk(String text) {
        return "$" + text.length() + "\r\n" + text + "\r\n";
    }

    @Test
    void commands_atAnyPeer_seeTheSameKeys() {
        try (SimulatedCluster cluster =
                new SimulatedCluster(1, ClusterShape.of(3, 4, 1).withReplicated(true))) {
            cluster.start();
            List<StorageMachine> peers = cluster.storagePeers();
            for (int i = 0; i < KEYS; i++) {
                assertThat(reply(cluster, peers.get(i % 4), "SET", "key" + i, "value" + i))
                        .isEqualTo("+OK\r\n");
            }
            for (int i = 0; i < KEYS; i++) {
                assertThat(reply(cluster, peers.get((i + 1) % 4), "GET", "key" + i))
                        .isEqualTo(bulk("value" + i));
            }
            assertThat(reply(cluster, peers.get(0), "INCR", "counter")).isEqualTo(":1\r\n");
            assertThat(reply(cluster, peers.get(1), "INCR", "counter")).isEqualTo(":2\r\n");
            assertThat(reply(cluster, peers.get(2), "DEL", "counter")).isEqualTo(":1\r\n");
            assertThat(reply(cluster, peers.get(3), "GET", "counter")).isEqualTo("$-1\r\n");
            assertThat(reply(cluster, peers.get(3), "HSET", "hash", "field", "x"))
                    .isEqualTo(":1\r\n");
            assertThat(reply(cluster, peers.get(0), "GET", "hash")).startsWith("-WRONGTYPE");
        }
    }

    /** A change by CID would pass the index of keys. */
    @Test
    void entryOfAKey_byItsCid_isFoundByNobody() {
        try (SimulatedCluster cluster =
                new SimulatedCluster(13, ClusterShape.of(1, 3, 1).withReplicated(true))) {
            cluster.start();
            StorageMachine peer = cluster.storagePeers().getFirst();
            reply(cluster, peer, "SET", "key", "x");
            AsyncGranaryClient client = cluster.clients().getFirst().client();
            int group = SlotGroup.ofKey("key".getBytes(StandardCharsets.UTF_8));
            long[] cids = {Cid.firstOf(SlotGroup.nid(group))};
            assertThat(done(cluster, client.getAll(cids))).containsExactly((byte[]) null);
            assertThat(done(cluster, client.putAll(cids, List.of(new byte[1]))))
                    .containsExactly(ChunkOutcome.NOT_FOUND);
            assertThat(done(cluster, client.deleteAll(cids))).containsExactly(ChunkOutcome.NOT_FOUND);
            assertThat(reply(cluster, peer, "GET", "key")).isEqualTo(bulk("x"));
        }
    }

    private static <T> T done(SimulatedCluster cluster, CompletableFuture<T> asked) {
        assertThat(cluster.simulation().runUntil(asked::isDone, 20 * SECOND)).isTrue();
        return asked.join();
    }

    @Test
    void reads_ofAGroupThatNobodyHas_openNoGroup() {
        try (SimulatedCluster cluster =
                new SimulatedCluster(11, ClusterShape.of(1, 3, 1).withReplicated(true))) {
            cluster.start();
            StorageMachine peer = cluster.storagePeers().getFirst();
            int zones = peer.backupsByZone().size();
            for (int i = 0; i < KEYS; i++) {
                assertThat(reply(cluster, peer, "GET", "key" + i)).isEqualTo("$-1\r\n");
                assertThat(reply(cluster, peer, "EXISTS", "key" + i)).isEqualTo(":0\r\n");
            }
            assertThat(peer.backupsByZone()).hasSize(zones);
            reply(cluster, peer, "SET", "key1", "x");
            assertThat(reply(cluster, peer, "GET", "key1")).isEqualTo(bulk("x"));
        }
    }

    @Test
    void keys_thatExpire_areGoneAtTheirTime() {
        try (SimulatedCluster cluster =
                new SimulatedCluster(2, ClusterShape.of(1, 3, 1).withReplicated(true))) {
            cluster.start();
            StorageMachine peer = cluster.storagePeers().getFirst();
            reply(cluster, peer, "SET", "short", "x", "PX", "300");
            reply(cluster, peer, "SET", "long", "x", "EX", "60");
            assertThat(reply(cluster, peer, "EXISTS", "short")).isEqualTo(":1\r\n");
            cluster.simulation().runFor(SECOND / 2);
            assertThat(reply(cluster, peer, "GET", "short")).isEqualTo("$-1\r\n");
            assertThat(reply(cluster, peer, "GET", "long")).isEqualTo(bulk("x"));
            assertThat(reply(cluster, peer, "PERSIST", "long")).isEqualTo(":1\r\n");
            cluster.simulation().runFor(61 * SECOND);
            assertThat(reply(cluster, peer, "GET", "long")).isEqualTo(bulk("x"));
        }
    }

    @Test
    void keys_whoseOwnerDies_areServedByItsBackups() {
        for (int seed = 3; seed < LongForm.pick(5, 8); seed++) {
            try (SimulatedCluster cluster =
                    new SimulatedCluster(seed, ClusterShape.of(3, 4, 1).withReplicated(true))) {
                cluster.start();
                List<StorageMachine> peers = cluster.storagePeers();
                for (int i = 0; i < KEYS; i++) {
                    reply(cluster, peers.get(i % 4), "SET", "key" + i, "value" + i);
                }
                peers.get(0).kill();
                for (int i = 0; i < KEYS; i++) {
                    assertThat(reply(cluster, peers.get(1 + i % 3), "GET", "key" + i))
                            .isEqualTo(bulk("value" + i));
                    reply(cluster, peers.get(1 + i % 3), "APPEND", "key" + i, "!");
                }
                peers.get(0).start();
                assertThat(cluster.simulation().runUntil(peers.get(0)::isReady, 20 * SECOND))
                        .isTrue();
                peers.get(1).kill();
                for (int i = 0; i < KEYS; i++) {
                    assertThat(reply(cluster, peers.get(i % 2 == 0 ? 0 : 2), "GET", "key" + i))
                            .as("seed " + seed)
                            .isEqualTo(bulk("value" + i + "!"));
                }
            }
        }
    }

    /** Leases are a second long; who waits for a key of the dead owner is answered soon after the lease has ended. */
    @Test
    void key_whoseOwnerHasDied_isReadSoonAfterTheLease() {
        for (int seed = 40; seed < LongForm.pick(43, 50); seed++) {
            try (SimulatedCluster cluster =
                    new SimulatedCluster(seed, ClusterShape.of(1, 3, 1).withReplicated(true))) {
                cluster.start();
                List<StorageMachine> peers = cluster.storagePeers();
                for (int i = 0; i < KEYS; i++) {
                    reply(cluster, peers.get(i % 3), "SET", "key" + i, "value" + i);
                }
                cluster.simulation().runFor(3 * SECOND);
                peers.get(1).kill();
                long killed = cluster.simulation().nowNanos();
                for (int i = 0; i < KEYS; i++) {
                    reply(cluster, peers.get(0), "GET", "key" + i);
                }
                assertThat((cluster.simulation().nowNanos() - killed) / 1e9)
                        .as("seed %d", seed)
                        .isLessThan(3.5);
            }
        }
    }

    /** One client, so that each key has the value of its last change, or of one whose outcome is not known. */
    @Test
    void keys_whilePeersDieOneAfterTheOther_haveTheirLastValue() {
        for (int seed = 20; seed < LongForm.pick(23, 30); seed++) {
            try (SimulatedCluster cluster =
                    new SimulatedCluster(seed, ClusterShape.of(3, 5, 1).withReplicated(true))) {
                cluster.start();
                new Rounds(cluster, seed).run();
            }
        }
    }

    private static final class Rounds {
        private final SimulatedCluster cluster;
        private final long seed;
        private final Random random;
        private final Map<String, List<String>> possible = new HashMap<>();

        Rounds(SimulatedCluster cluster, long seed) {
            this.cluster = cluster;
            this.seed = seed;
            this.random = new Random(seed);
        }

        void run() {
            List<StorageMachine> peers = cluster.storagePeers();
            for (int step = 0; step < 400; step++) {
                StorageMachine peer = peers.get(random.nextInt(peers.size()));
                if (step % 80 == 79) {
                    peer.kill();
                    cluster.simulation().runFor(random.nextLong(2 * SECOND));
                    peer.start();
                    // The copies are whole again before the next one dies.
                    cluster.simulation().runFor(15 * SECOND);
                    continue;
                }
                step(peer, "key" + random.nextInt(20), "value" + step);
            }
        }

        private void step(StorageMachine peer, String key, String value) {
            List<String> known = possible.computeIfAbsent(key, any -> new ArrayList<>(List.of("$-1\r\n")));
            if (random.nextBoolean()) {
                Answer got = ask(cluster, peer, "GET", key);
                if (got.isDone()) {
                    assertThat(known).as("%s in seed %d", key, seed).contains(got.text());
                    known.clear();
                    known.add(got.text());
                }
                return;
            }
            boolean delete = random.nextInt(4) == 0;
            Answer changed = delete ? ask(cluster, peer, "DEL", key) : ask(cluster, peer, "SET", key, value);
            if (changed.outcome() != Outcome.REFUSED) {
                if (changed.isDone()) {
                    known.clear();
                }
                known.add(delete ? "$-1\r\n" : bulk(value));
            }
        }
    }

    /** The arc has given the group to a peer that could not begin to serve it. */
    @Test
    void keys_whoseOwnerHadNoRoomAtFirst_areServedLater() {
        try (SimulatedCluster cluster =
                new SimulatedCluster(10, ClusterShape.of(3, 4, 1).withReplicated(true))) {
            cluster.start();
            StorageMachine peer = cluster.storagePeers().getFirst();
            cluster.storagePeers().forEach(machine -> machine.scarceMemory().refuse(2));
            assertThat(ask(cluster, peer, "SET", "key", "value").outcome()).isEqualTo(Outcome.REFUSED);
            cluster.storagePeers().forEach(machine -> machine.scarceMemory().disarm());
            // This peer has not heard that nobody had the group.
            StorageMachine other = cluster.storagePeers().getLast();
            assertThat(reply(cluster, other, "SET", "key", "value")).isEqualTo("+OK\r\n");
        }
    }

    /** A peer still believes that another one is to open the group. */
    @Test
    void keys_thatAnotherPeerHasOpened_areFound() {
        try (SimulatedCluster cluster =
                new SimulatedCluster(11, ClusterShape.of(3, 4, 1).withReplicated(true))) {
            cluster.start();
            List<StorageMachine> peers = cluster.storagePeers();
            List<String> keys = List.of("key1", "key2", "key3", "key4", "key5", "key6", "key7", "key8");
            peers.forEach(machine -> machine.scarceMemory().refuse(2));
            keys.forEach(key -> assertThat(
                            ask(cluster, peers.get(0), "SET", key, "x").outcome())
                    .isEqualTo(Outcome.REFUSED));
            peers.forEach(machine -> machine.scarceMemory().disarm());
            keys.forEach(key -> reply(cluster, peers.get(1), "SET", key, "value"));
            var drained = cluster.operator()
                    .orElseThrow()
                    .admin()
                    .startDrain(peers.get(1).nid());
            assertThat(cluster.simulation().runUntil(drained::isDone, 60 * SECOND))
                    .isTrue();
            cluster.simulation().runFor(20 * SECOND);
            keys.forEach(
                    key -> assertThat(reply(cluster, peers.get(0), "GET", key)).isEqualTo(bulk("value")));
        }
    }

    /** A transaction finds that a watched key has expired, and nothing has removed it yet. */
    @Test
    void keys_thatExpiredWhileWatched_areReadAtOnce() {
        try (SimulatedCluster cluster =
                new SimulatedCluster(12, ClusterShape.of(1, 3, 1).withReplicated(true))) {
            cluster.start();
            StorageMachine peer = cluster.storagePeers().getFirst();
            for (int i = 0; i < 5; i++) {
                String key = "key" + i;
                reply(cluster, peer, "SET", key, "x", "PX", Integer.toString(200 + 20 * i));
                long mark = KeyReplies.marks(reply(cluster, peer, "WATCH", key)).getFirst();
                cluster.simulation().runFor((202 + 20 * i) * 1_000_000L);
                CompletableFuture<Answer> broken = new KeyedPeer(peer)
                        .send(
                                List.of(new WatchedKey(key.getBytes(StandardCharsets.UTF_8), mark)),
                                List.of(List.of("GET", key)));
                CompletableFuture<Answer> read = new KeyedPeer(peer).send("GET", key);
                assertThat(cluster.simulation().runUntil(read::isDone, SECOND / 20))
                        .as("read of %s", key)
                        .isTrue();
                assertThat(broken.join().outcome()).isEqualTo(Outcome.WATCH_BROKEN);
                assertThat(read.join().text()).isEqualTo("$-1\r\n");
            }
        }
    }

    @Test
    void keys_whoseOwnerIsDrained_moveToOthers() {
        try (SimulatedCluster cluster =
                new SimulatedCluster(9, ClusterShape.of(3, 4, 1).withReplicated(true))) {
            cluster.start();
            List<StorageMachine> peers = cluster.storagePeers();
            for (int i = 0; i < KEYS; i++) {
                reply(cluster, peers.get(i % 4), "SET", "key" + i, "value" + i);
            }
            int nid = peers.get(0).nid();
            var drained = cluster.operator().orElseThrow().admin().startDrain(nid);
            assertThat(cluster.simulation().runUntil(drained::isDone, 60 * SECOND))
                    .isTrue();
            cluster.simulation().runFor(20 * SECOND);
            peers.get(0).kill();
            for (int i = 0; i < KEYS; i++) {
                assertThat(reply(cluster, peers.get(1 + i % 3), "GET", "key" + i))
                        .isEqualTo(bulk("value" + i));
            }
        }
    }
}
