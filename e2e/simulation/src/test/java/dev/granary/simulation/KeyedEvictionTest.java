package dev.granary.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.simulation.KeyedPeer.Answer;
import dev.granary.storage.keyed.EvictionPolicy;
import dev.granary.storage.keyed.GroupReply.Outcome;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Keys make way for others at their owner, and no copy brings one of them back. */
class KeyedEvictionTest {

    private static final long SECOND = 1_000_000_000;
    private static final int KEYS = 1_500;
    private static final long LIMIT_BYTES = 15_000;

    private static String reply(SimulatedCluster cluster, StorageMachine machine, String... command) {
        CompletableFuture<Answer> answer = new KeyedPeer(machine).send(command);
        assertThat(cluster.simulation().runUntil(answer::isDone, 20 * SECOND)).isTrue();
        assertThat(answer.join().outcome()).as(answer.join().text()).isEqualTo(Outcome.DONE);
        return answer.join().text();
    }

    /** The keys are in eight slot groups. */
    private static String key(int i) {
        return "{" + i % 8 + "}key" + i;
    }

    private static String value(int i) {
        return "value" + i + "x".repeat(i % 100);
    }

    private static Set<Integer> present(SimulatedCluster cluster, StorageMachine peer) {
        Set<Integer> present = new HashSet<>();
        for (int i = 0; i < KEYS; i++) {
            String got = reply(cluster, peer, "GET", key(i));
            if (!got.equals("$-1\r\n")) {
                assertThat(got).isEqualTo("$" + value(i).length() + "\r\n" + value(i) + "\r\n");
                present.add(i);
            }
        }
        return present;
    }

    @Test
    void keysThatWereEvicted_afterTheDeathOfTheirOwner_stayAway() {
        for (int seed = 60; seed < 63; seed++) {
            try (SimulatedCluster cluster =
                    new SimulatedCluster(seed, ClusterShape.of(3, 4, 1).withReplicated(true))) {
                cluster.start();
                List<StorageMachine> peers = cluster.storagePeers();
                for (StorageMachine peer : peers) {
                    peer.keyedLimits().wantedBytes(LIMIT_BYTES);
                    peer.keyedLimits().policy(EvictionPolicy.ALLKEYS_LRU);
                }
                for (int i = 0; i < KEYS; i++) {
                    assertThat(reply(cluster, peers.get(i % 4), "SET", key(i), value(i)))
                            .isEqualTo("+OK\r\n");
                }
                cluster.simulation().runFor(SECOND);
                Set<Integer> before = present(cluster, peers.get(1));
                assertThat(before).as("seed " + seed).hasSizeBetween(20, KEYS - 300);

                // Nothing more is evicted, so that all that is missing was evicted before.
                peers.forEach(peer -> peer.keyedLimits().policy(EvictionPolicy.NOEVICTION));
                peers.get(0).kill();
                Set<Integer> after = present(cluster, peers.get(1));
                assertThat(after).as("seed " + seed).isEqualTo(before);
            }
        }
    }

    @Test
    void changes_noeviction_areRefusedAtTheLimitAndNothingIsLost() {
        try (SimulatedCluster cluster =
                new SimulatedCluster(64, ClusterShape.of(1, 3, 1).withReplicated(true))) {
            cluster.start();
            List<StorageMachine> peers = cluster.storagePeers();
            peers.forEach(peer -> peer.keyedLimits().wantedBytes(LIMIT_BYTES));
            Set<Integer> done = new HashSet<>();
            for (int i = 0; i < KEYS; i++) {
                String told = reply(cluster, peers.get(i % 3), "SET", key(i), value(i));
                if (told.equals("+OK\r\n")) {
                    done.add(i);
                } else {
                    assertThat(told).startsWith("-OOM ");
                }
            }
            assertThat(done).hasSizeBetween(20, KEYS - 100);
            assertThat(present(cluster, peers.getFirst())).isEqualTo(done);
        }
    }
}
