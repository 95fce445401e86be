package dev.granary.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.client.Place;
import dev.granary.env.Environment;
import dev.granary.net.Frame;
import dev.granary.net.Transport;
import dev.granary.net.message.MessageType;
import dev.granary.simulation.planted.TamperedNetwork;
import io.netty.buffer.ByteBuf;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Hangs that no client notices, because everything can be read. */
class MissingCopiesTest {

    private static final long SECOND = 1_000_000_000;

    @Test
    void run_copiesAreNeverFilled_isAViolation() {
        SeedPlan plan = SeedPlan.of(1).withKinds(Set.of(FaultKind.CRASH_PEER)).withOperations(50);
        SeedPlan hanging = plan.withShape(
                plan.shape().withReplicated(true).withStorageNetwork(MissingCopiesTest::withoutEndsOfFills));
        assertThat(SeedRun.run(hanging).violation())
                .hasValueSatisfying(violation -> assertThat(violation).startsWith("copies are missing"));
    }

    @Test
    void copiesAreInSync_anArcHasNoLeader_notBeforeItHasOneAgain() {
        try (SimulatedCluster cluster = started()) {
            cluster.superPeers().getFirst().kill();

            assertThat(cluster.copiesAreInSync()).isFalse();
            assertThat(copiesComeIntoSync(cluster)).isTrue();
        }
    }

    @Test
    void copiesAreInSync_theLeaderOfAnArcStandsStill_notBeforeAnotherOneLeads() {
        try (SimulatedCluster cluster = started()) {
            cluster.superPeers().getFirst().node().pause(20 * SECOND);

            assertThat(cluster.copiesAreInSync()).isFalse();
            assertThat(copiesComeIntoSync(cluster)).isTrue();
            assertThat(cluster.superPeers().getFirst().node().standsStill()).isTrue();
        }
    }

    /** Starts a cluster with several zones a storage peer: two of three arcs have more zones than there are peers. */
    private static SimulatedCluster started() {
        SimulatedCluster cluster =
                new SimulatedCluster(1, ClusterShape.of(3, 5, 1).withReplicated(true));
        cluster.start();
        for (StorageMachine peer : cluster.storagePeers()) {
            CompletableFuture<?> created = cluster.clients().getFirst().create(200, Place.on(peer.nid()));
            assertThat(cluster.simulation().runUntil(created::isDone, 60 * SECOND))
                    .isTrue();
        }
        assertThat(copiesComeIntoSync(cluster)).isTrue();
        return cluster;
    }

    private static boolean copiesComeIntoSync(SimulatedCluster cluster) {
        return cluster.simulation().runUntil(cluster::copiesAreInSync, 60 * SECOND, SECOND / 20);
    }

    /** Never tells backups that a copy is filled. */
    private static Transport withoutEndsOfFills(Environment world, Transport transport) {
        return new TamperedNetwork(transport, new TamperedNetwork.Tamperer() {
            @Override
            public boolean leaves(TamperedNetwork.Link link, ByteBuf frame) {
                return !TamperedNetwork.is(frame, Frame.KIND_REQUEST, MessageType.COPY_FILLED.code());
            }
        });
    }
}
