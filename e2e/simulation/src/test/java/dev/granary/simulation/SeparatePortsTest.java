package dev.granary.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.client.Place;
import dev.granary.client.admin.AsyncClusterAdmin;
import dev.granary.net.access.NodePorts;
import dev.granary.net.access.NodePorts.Phase;
import dev.granary.testkit.Operation.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clusters whose nodes have ports for clients, for each other and for administrators. */
class SeparatePortsTest {

    private static final long SECOND = 1_000_000_000;
    private static final int INSIDE = 7600;
    private static final int ADMIN = 7700;

    /** Whatever one node sends another one is sent under some fault: it goes to a port that takes it. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = 1)
    void run_portsAreClosedToOthersUnderAllFaults_nothingAcknowledgedIsLost(long seed) {
        SeedPlan plan = SeedPlan.of(seed);
        SeedResult result = SeedRun.run(plan.withShape(
                plan.shape().withReplicated(true).withPorts(() -> new NodePorts(INSIDE, ADMIN, Phase.CLOSED))));
        assertThat(result.violation()).isEmpty();
        assertThat(result.outcomes().keySet()).noneMatch(outcome -> outcome.endsWith(" LOST"));
        for (String wanted : List.of("CREATE DONE", "GET DONE", "PUT DONE", "DELETE DONE")) {
            assertThat(result.outcomes().getOrDefault(wanted, 0)).as(wanted).isGreaterThan(10);
        }
    }

    @Test
    void restart_portsComeInThreeRounds_everythingIsReadAndWrittenAllTheTime() {
        AtomicReference<NodePorts> ports = new AtomicReference<>(NodePorts.NONE);
        try (SimulatedCluster cluster = new SimulatedCluster(
                20_261_129, ClusterShape.of(3, 4, 2).withReplicated(true).withPorts(ports::get))) {
            cluster.start();
            RecordingClient client = cluster.clients().getFirst();
            List<Long> cids = new ArrayList<>();
            for (StorageMachine peer : cluster.storagePeers()) {
                for (long cid : await(cluster, client.create(4, Place.on(peer.nid())))) {
                    cids.add(cid);
                }
            }
            AsyncClusterAdmin operator = cluster.operator().orElseThrow().admin();
            for (Phase phase : Phase.values()) {
                assertThat(await(cluster, operator.statusJson())).contains("storagePeers");
                ports.set(new NodePorts(INSIDE, ADMIN, phase));
                Stream.concat(cluster.superPeers().stream(), cluster.storagePeers().stream())
                        .forEach(machine -> restart(cluster, machine, client, cids));
            }
            cluster.history().check();

            // The operator was connected before there were ports.
            assertThatThrownBy(() -> await(cluster, operator.statusJson()))
                    .hasMessageContaining("send 'cluster-status' to port " + ADMIN)
                    .hasMessageContaining("--admin-port");
        }
    }

    private static void restart(SimulatedCluster cluster, Machine machine, RecordingClient client, List<Long> cids) {
        machine.kill();
        machine.start();
        assertThat(cluster.simulation()
                        .runUntil(() -> cluster.isReady() && cluster.copiesAreInSync(), 120 * SECOND, SECOND / 20))
                .as("%s comes back", machine.name())
                .isTrue();
        for (long cid : cids) {
            assertThat(await(cluster, client.read(cid)).outcome()).isEqualTo(Outcome.DONE);
            assertThat(await(cluster, client.put(cid)).outcome()).isEqualTo(Outcome.DONE);
        }
    }

    private static <T> T await(SimulatedCluster cluster, CompletableFuture<T> future) {
        assertThat(cluster.simulation().runUntil(future::isDone, 60 * SECOND)).isTrue();
        return future.join();
    }
}
