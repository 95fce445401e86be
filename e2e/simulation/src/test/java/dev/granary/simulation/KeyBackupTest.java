package dev.granary.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.granary.client.admin.AsyncClusterAdmin;
import dev.granary.client.admin.BackedUpKey;
import dev.granary.client.admin.KeyBackups;
import dev.granary.client.admin.KeyBackups.Position;
import dev.granary.net.message.HibernationMessages.Hibernate.Step;
import dev.granary.net.message.HibernationMessages.HibernateReply;
import dev.granary.overlay.SlotGroup;
import dev.granary.simulation.KeyedPeer.Answer;
import dev.granary.storage.keyed.GroupReply.Outcome;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys in cluster backups and restores while machines die (ADR 0306). */
class KeyBackupTest {

    private static final long SECOND = 1_000_000_000;
    private static final int KEYS = 100;
    private static final long MARK = 100_000;
    private static final long BACKUP = 77;

    @ParameterizedTest
    @MethodSource("seedsOfReads")
    void read_whileAnOwnerDies_hasAllKeys(long seed) {
        try (SimulatedCluster cluster =
                new SimulatedCluster(seed, ClusterShape.of(3, 4, 1).withReplicated(true))) {
            cluster.start();
            fill(cluster);
            cluster.simulation().runFor(3 * SECOND);
            List<CompletableFuture<Map<String, BackedUpKey>>> reads = new ArrayList<>();
            for (int group = 0; group < SlotGroup.COUNT; group++) {
                reads.add(readFrom(keys(cluster), group, Position.START, new TreeMap<>()));
            }
            cluster.simulation().runFor(SECOND / 200);
            cluster.storagePeers().get((int) seed % 4).powerOff();
            Map<String, BackedUpKey> found = new TreeMap<>();
            reads.forEach(read -> found.putAll(await(cluster, read)));
            assertThat(found.keySet()).containsAll(expected().keySet()).hasSize(KEYS + 2);
        }
    }

    @ParameterizedTest
    @MethodSource("restored")
    void restore_newCluster_keysAreServedAndThoseThatHaveExpiredAreNot(
            int superPeers, int storagePeers, boolean replicated, long seed) {
        Map<String, BackedUpKey> backup = new TreeMap<>();
        Map<String, String> values;
        try (SimulatedCluster old =
                new SimulatedCluster(seed, ClusterShape.of(1, 2, 1).withReplicated(true))) {
            old.start();
            fill(old);
            backup.putAll(readAll(old));
            values = expected();
        }
        try (SimulatedCluster cluster = new SimulatedCluster(
                seed, ClusterShape.of(superPeers, storagePeers, 1).withReplicated(replicated))) {
            cluster.start();
            StorageMachine peer = cluster.storagePeers().getFirst();
            // The clocks of both clusters begin at the same time.
            cluster.simulation().runFor(60 * SECOND);
            List<CompletableFuture<Integer>> written = restore(cluster, backup);
            if (replicated) {
                cluster.simulation().runFor(SECOND / 100);
                cluster.storagePeers().getLast().powerOff();
            }
            written.forEach(done -> assertThat(await(cluster, done)).isNotNegative());
            assertServed(cluster, values);
            assertThat(reply(cluster, peer, "EXISTS", "short")).isEqualTo(":0\r\n");
            assertThat(reply(cluster, peer, "PTTL", "long")).matches(":[0-9]+\r\n");
            if (replicated) {
                cluster.recover();
                assertThat(cluster.simulation().runUntil(cluster::copiesAreInSync, 120 * SECOND))
                        .isTrue();
                cluster.storagePeers().getFirst().powerOff();
                assertServed(cluster, values);
                cluster.recover();
            }
            // The index has them all: a second restore finds each key, and so does a change.
            List<CompletableFuture<Integer>> again = restore(cluster, backup);
            int there = again.stream().mapToInt(done -> await(cluster, done)).sum();
            assertThat(there).isEqualTo(values.size());
            for (String key : values.keySet()) {
                assertThat(reply(cluster, peer, "DEL", key)).as(key).isEqualTo(":1\r\n");
                assertThat(reply(cluster, peer, "EXISTS", key)).isEqualTo(":0\r\n");
            }
            assertThat(readAll(cluster)).isEmpty();
        }
    }

    /** A storage peer that only answers dies, or the one that was asked. */
    private static LongStream seedsOfReads() {
        return LongForm.pick(LongStream.of(1, 4), LongStream.range(1, 6));
    }

    private static Stream<Arguments> restored() {
        return LongForm.pick(
                Stream.of(arguments(1, 2, false, 2), arguments(3, 5, true, 3)),
                Stream.of(
                        arguments(1, 1, false, 1),
                        arguments(1, 2, false, 2),
                        arguments(3, 5, true, 3),
                        arguments(3, 5, true, 4),
                        arguments(3, 5, true, 5)));
    }

    /** As chunks are only restored into ranges that have none. */
    @Test
    void restore_keysThatAreThere_stayAsTheyAre() {
        try (SimulatedCluster cluster =
                new SimulatedCluster(7, ClusterShape.of(1, 3, 1).withReplicated(true))) {
            cluster.start();
            fill(cluster);
            Map<String, BackedUpKey> backup = readAll(cluster);
            StorageMachine peer = cluster.storagePeers().getFirst();
            reply(cluster, peer, "SET", "key1", "newer");
            reply(cluster, peer, "DEL", "key2");
            int there = restore(cluster, backup).stream()
                    .mapToInt(done -> await(cluster, done))
                    .sum();
            assertThat(there).isEqualTo(backup.size() - 1);
            assertThat(reply(cluster, peer, "GET", "key1")).isEqualTo("$5\r\nnewer\r\n");
            assertThat(reply(cluster, peer, "GET", "key2")).isEqualTo("$6\r\nvalue2\r\n");
        }
    }

    /** More than the group has room for at first. */
    @Test
    void restore_moreKeysThanAGroupHasIdentifiers_allAreThere() {
        try (SimulatedCluster cluster = new SimulatedCluster(8, ClusterShape.of(1, 1, 1))) {
            cluster.start();
            StorageMachine peer = cluster.storagePeers().getFirst();
            reply(cluster, peer, "SET", "{tag}", "x");
            BackedUpKey one = readAll(cluster).values().iterator().next();
            List<BackedUpKey> many = new ArrayList<>();
            for (int i = 0; i < SlotGroup.FIRST_LIDS + 1000; i++) {
                many.add(new BackedUpKey(bytes("{tag}" + i), one.value(), 0));
            }
            int group = SlotGroup.ofKey(bytes("{tag}"));
            assertThat(await(cluster, keys(cluster).restore(group, many))).isZero();
            Map<String, BackedUpKey> found =
                    await(cluster, readFrom(keys(cluster), group, Position.START, new TreeMap<>()));
            assertThat(found).hasSize(many.size() + 1);
        }
    }

    @Test
    void restorePeer_hasAKey_isRefusedAndServesOn() {
        try (SimulatedCluster cluster = new SimulatedCluster(9, ClusterShape.of(1, 1, 1))) {
            cluster.start();
            StorageMachine peer = cluster.storagePeers().getFirst();
            reply(cluster, peer, "SET", "key", "x");
            ask(cluster, Step.REFUSE_CHANGES);
            CompletableFuture<Void> refused = admin(cluster).backups().restorePeer(peer.lastNid(), MARK, BACKUP);
            assertThat(cluster.simulation().runUntil(refused::isDone, 60 * SECOND))
                    .isTrue();
            assertThatThrownBy(refused::join).hasMessageContaining("into an empty cluster only");
            ask(cluster, Step.WORK);
            assertThat(reply(cluster, peer, "DEL", "key")).isEqualTo(":1\r\n");
        }
    }

    /** Storage peers begin anew for a restore, also those that own groups whose keys are all gone. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void restore_groupsWereOpenedBefore_keysAreServed(boolean replicated) {
        Map<String, BackedUpKey> backup = new TreeMap<>();
        Map<String, String> values;
        try (SimulatedCluster old = new SimulatedCluster(9, ClusterShape.of(1, 2, 1))) {
            old.start();
            fill(old);
            backup.putAll(readAll(old));
            values = expected();
        }
        try (SimulatedCluster cluster =
                new SimulatedCluster(9, ClusterShape.of(1, 3, 1).withReplicated(replicated))) {
            cluster.start();
            StorageMachine peer = cluster.storagePeers().getFirst();
            backup.keySet().forEach(key -> reply(cluster, peer, "SET", key, "old", "PX", "200"));
            cluster.simulation().runFor(5 * SECOND);

            ask(cluster, Step.REFUSE_CHANGES);
            for (StorageMachine each : cluster.storagePeers()) {
                await(cluster, admin(cluster).backups().restorePeer(each.lastNid(), MARK, BACKUP));
            }
            cluster.recover();
            ask(cluster, Step.WORK);
            restore(cluster, backup)
                    .forEach(done -> assertThat(await(cluster, done)).isNotNegative());
            assertServed(cluster, values);
        }
    }

    private static void fill(SimulatedCluster cluster) {
        StorageMachine peer = cluster.storagePeers().getFirst();
        expected().forEach((key, value) -> reply(cluster, peer, "SET", key, value));
        reply(cluster, peer, "EXPIRE", "long", "3600");
        reply(cluster, peer, "SET", "short", "x", "EX", "30");
        reply(cluster, peer, "HSET", "hash", "field", "x");
        reply(cluster, peer, "DEL", "hash");
    }

    private static Map<String, String> expected() {
        Map<String, String> values = new TreeMap<>();
        for (int i = 0; i < KEYS; i++) {
            values.put("key" + i, "value" + i);
        }
        values.put("long", "x");
        return values;
    }

    private static void assertServed(SimulatedCluster cluster, Map<String, String> values) {
        List<StorageMachine> up = cluster.storagePeers().stream()
                .filter(machine -> machine.node().isRunning())
                .toList();
        int at = 0;
        for (Map.Entry<String, String> each : values.entrySet()) {
            String wanted = "$" + each.getValue().length() + "\r\n" + each.getValue() + "\r\n";
            assertThat(reply(cluster, up.get(at++ % up.size()), "GET", each.getKey()))
                    .as(each.getKey())
                    .isEqualTo(wanted);
        }
    }

    private static List<CompletableFuture<Integer>> restore(SimulatedCluster cluster, Map<String, BackedUpKey> backup) {
        Map<Integer, List<BackedUpKey>> groups = new TreeMap<>();
        backup.values().forEach(key -> groups.computeIfAbsent(SlotGroup.ofKey(key.key()), any -> new ArrayList<>())
                .add(key));
        KeyBackups calls = keys(cluster);
        return groups.entrySet().stream()
                .map(group -> calls.restore(group.getKey(), group.getValue()))
                .toList();
    }

    private static Map<String, BackedUpKey> readAll(SimulatedCluster cluster) {
        Map<String, BackedUpKey> found = new TreeMap<>();
        KeyBackups calls = keys(cluster);
        for (int group = 0; group < SlotGroup.COUNT; group++) {
            found.putAll(await(cluster, readFrom(calls, group, Position.START, new TreeMap<>())));
        }
        return found;
    }

    private static CompletableFuture<Map<String, BackedUpKey>> readFrom(
            KeyBackups calls, int group, Position from, Map<String, BackedUpKey> found) {
        return calls.read(group, from).thenCompose(page -> {
            page.keys().forEach(key -> found.put(new String(key.key(), StandardCharsets.UTF_8), key));
            Position next = page.next();
            return next == null ? CompletableFuture.completedFuture(found) : readFrom(calls, group, next, found);
        });
    }

    private static void ask(SimulatedCluster cluster, Step step) {
        for (StorageMachine peer : cluster.storagePeers()) {
            HibernateReply reply = await(cluster, admin(cluster).hibernate(peer.lastNid(), step));
            for (int i = 0; i < 600 && !reply.done(); i++) {
                cluster.simulation().runFor(SECOND / 10);
                reply = await(cluster, admin(cluster).hibernate(peer.lastNid(), step));
            }
            assertThat(reply.done()).as(reply.toString()).isTrue();
        }
    }

    private static String reply(SimulatedCluster cluster, StorageMachine machine, String... command) {
        Answer answer = await(cluster, new KeyedPeer(machine).send(command));
        assertThat(answer.outcome()).as(answer.text()).isEqualTo(Outcome.DONE);
        return answer.text();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static KeyBackups keys(SimulatedCluster cluster) {
        return admin(cluster).keyBackups();
    }

    private static AsyncClusterAdmin admin(SimulatedCluster cluster) {
        return cluster.operator().orElseThrow().admin();
    }

    private static <T> T await(SimulatedCluster cluster, CompletableFuture<T> future) {
        assertThat(cluster.simulation().runUntil(future::isDone, 120 * SECOND)).isTrue();
        return future.join();
    }
}
