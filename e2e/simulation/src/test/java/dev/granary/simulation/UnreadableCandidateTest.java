package dev.granary.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.client.Place;
import dev.granary.env.Environment;
import dev.granary.log.backup.BackupLogOptions;
import dev.granary.net.Frame;
import dev.granary.net.Transport;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.ZoneMessages.ZoneStatus;
import dev.granary.simulation.conditions.Tuning;
import dev.granary.simulation.planted.TamperedNetwork;
import io.netty.buffer.ByteBuf;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** An owner dies, and the only in-sync backup that answers in time cannot read its copy (ADR 0185). */
class UnreadableCandidateTest {

    private static final long SECOND = 1_000_000_000;

    /** Storage peers that do not hear when super-peers ask them to seal their copies. */
    private final Set<String> deaf = new HashSet<>();

    @Test
    void recover_theOnlyOneThatAnswersCannotReadItsCopy_theOthersAreWaitedForAndNothingIsLost() {
        ClusterShape shape = ClusterShape.of(3, 4, 1)
                .withReplicated(true)
                .withTuning(nothingStaysInBuffers())
                .withSuperPeerNetwork(this::withoutSealsOfTheDeaf);
        try (SimulatedCluster cluster = new SimulatedCluster(20_261_123, shape)) {
            cluster.start();
            StorageMachine owner = cluster.storagePeers().getFirst();
            StorageMachine unreadable = cluster.storagePeers().getLast();
            RecordingClient client = cluster.clients().getFirst();
            long[] cids = await(cluster, client.create(40, Place.on(owner.nid())));
            // Waits until all zones have their copies, and the copies are on disks.
            cluster.simulation().runFor(5 * SECOND);

            cluster.storagePeers().stream()
                    .filter(each -> each != owner && each != unreadable)
                    .forEach(each -> deaf.add(each.name()));
            unreadable.node().disk().failReads(1);
            owner.retire();
            owner.kill();
            cluster.simulation().runFor(20 * SECOND);

            assertThat(unreadable.node().disk().failedReads()).isPositive();
            assertThat(cluster.superPeers().stream()
                            .flatMap(each -> each.zones().stream())
                            .mapToInt(ZoneStatus::recovering)
                            .sum())
                    .as("zones that wait for the others")
                    .isPositive();

            deaf.clear();
            for (long cid : cids) {
                await(cluster, client.read(cid));
            }
            cluster.history().check();
        }
    }

    /** Lets the recovery of a zone read everything that was logged from the disk. */
    private static Tuning nothingStaysInBuffers() {
        Tuning usual = Tuning.usual();
        BackupLogOptions log = new BackupLogOptions(10_000_000, 4 << 10, 256 << 10, 1, 16 << 10, 8 << 10, 80, 1 << 20);
        return new Tuning(
                usual.lidBlock(),
                usual.replication(),
                log,
                usual.memory(),
                usual.superPeerMemory(),
                usual.attempt(),
                usual.requestBytes(),
                usual.requestChunks(),
                usual.requestsInFlight());
    }

    private Transport withoutSealsOfTheDeaf(Environment world, Transport transport) {
        return new TamperedNetwork(transport, new TamperedNetwork.Tamperer() {
            @Override
            public boolean leaves(TamperedNetwork.Link link, ByteBuf frame) {
                return !deaf.contains(link.host())
                        || !TamperedNetwork.is(frame, Frame.KIND_REQUEST, MessageType.SEAL_ZONES.code());
            }
        });
    }

    private static <T> T await(SimulatedCluster cluster, CompletableFuture<T> future) {
        assertThat(cluster.simulation().runUntil(future::isDone, 60 * SECOND)).isTrue();
        return future.join();
    }
}
