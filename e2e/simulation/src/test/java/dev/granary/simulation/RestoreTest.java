package dev.granary.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import dev.granary.client.AsyncGranaryClient;
import dev.granary.client.ChunkLostException;
import dev.granary.client.Place;
import dev.granary.client.admin.AsyncClusterAdmin;
import dev.granary.client.admin.BackupCalls;
import dev.granary.client.admin.RestoredChunks;
import dev.granary.net.message.HibernationMessages.Hibernate.Step;
import dev.granary.net.message.HibernationMessages.HibernateReply;
import dev.granary.net.message.RangeMessages.CreatorList.Creator;
import dev.granary.overlay.Cid;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Chunks of a cluster backup are restored into a new cluster while machines die (ADR 0140). */
class RestoreTest {

    private static final long SECOND = 1_000_000_000;
    private static final long SEED = 20_261_122;
    private static final int NO_PEER = 0x0802;
    private static final long MARK = 100_000;
    private static final long BACKUP = 77;
    private static final int CHUNK_BYTES = 10;

    @ParameterizedTest
    @CsvSource({"1, 1, false", "1, 2, false", "3, 5, true"})
    void restore_newCluster_chunksAreServedUnderTheirIdentifiers(int superPeers, int storagePeers, boolean replicated) {
        try (SimulatedCluster cluster = new SimulatedCluster(
                SEED, ClusterShape.of(superPeers, storagePeers, 1).withReplicated(replicated))) {
            cluster.start();
            int first = cluster.storagePeers().getFirst().lastNid();
            int last = cluster.storagePeers().getLast().lastNid();
            prepare(cluster, first);
            BackupCalls calls = operator(cluster).backups();

            RestoredChunks own = chunks(first, 1, 5000);
            RestoredChunks others = chunks(NO_PEER, 1, 50_000);
            await(cluster, calls.restore(own, first));
            await(cluster, calls.restore(others, last));
            read(cluster, own);
            read(cluster, others);
            long created = await(cluster, client(cluster).create(new byte[3], Place.on(first)));
            assertThat(Cid.lid(created)).isGreaterThanOrEqualTo(MARK);

            await(cluster, calls.endRestore(first));
            await(cluster, calls.endRestore(NO_PEER));
            assertLost(cluster, Cid.of(first, MARK - 1));
            assertLost(cluster, Cid.of(NO_PEER, MARK - 1));
            assertThat(await(cluster, calls.creators()))
                    .extracting(Creator::nid, Creator::backup)
                    .contains(tuple(first, BACKUP), tuple(NO_PEER, BACKUP));
            if (replicated) {
                cluster.storagePeers().getFirst().powerOff();
                cluster.storagePeers().getLast().powerOff();
                read(cluster, own);
                read(cluster, others);
                cluster.recover();
            }
            cluster.superPeers().forEach(Machine::kill);
            cluster.recover();
            read(cluster, own);
            read(cluster, others);
        }
    }

    @Test
    void restore_targetDiesMeanwhile_anotherTakesTheChunks() {
        try (SimulatedCluster cluster =
                new SimulatedCluster(SEED, ClusterShape.of(3, 5, 1).withReplicated(true))) {
            cluster.start();
            int first = cluster.storagePeers().getFirst().lastNid();
            prepare(cluster, first);
            BackupCalls calls = operator(cluster).backups();
            RestoredChunks chunks = chunks(first, 1, 50_000);
            StorageMachine victim = cluster.storagePeers().get(1);
            CompletableFuture<Void> restored = calls.restore(chunks, victim.lastNid());
            cluster.simulation().runFor(SECOND / 50);
            victim.powerOff();
            assertThat(cluster.simulation().runUntil(restored::isDone, 120 * SECOND))
                    .isTrue();

            if (restored.isCompletedExceptionally()) {
                await(
                        cluster,
                        calls.restore(chunks, cluster.storagePeers().get(2).lastNid()));
            }
            read(cluster, chunks);
            cluster.recover();
            read(cluster, chunks);
        }
    }

    @Test
    void restorePeer_hasAChunk_isRefusedAndServesOn() {
        try (SimulatedCluster cluster = new SimulatedCluster(SEED, ClusterShape.of(1, 1, 1))) {
            cluster.start();
            int nid = cluster.storagePeers().getFirst().lastNid();
            long cid = await(cluster, client(cluster).create(new byte[] {5}, Place.on(nid)));
            ask(cluster, Step.REFUSE_CHANGES);
            CompletableFuture<Void> refused = operator(cluster).backups().restorePeer(nid, MARK, BACKUP);
            assertThat(cluster.simulation().runUntil(refused::isDone, 60 * SECOND))
                    .isTrue();
            assertThatThrownBy(refused::join).hasMessageContaining("into an empty cluster only");
            ask(cluster, Step.WORK);
            assertThat(await(cluster, client(cluster).get(cid))).containsExactly(5);
            await(cluster, client(cluster).put(cid, new byte[] {6}));
        }
    }

    private static void prepare(SimulatedCluster cluster, int nid) {
        ask(cluster, Step.REFUSE_CHANGES);
        await(cluster, operator(cluster).backups().restorePeer(nid, MARK, BACKUP));
        await(cluster, operator(cluster).backups().restoreCreator(NO_PEER, MARK, BACKUP));
        cluster.recover();
        ask(cluster, Step.WORK);
    }

    private static RestoredChunks chunks(int creator, long fromLid, long toLid) {
        long[] cids = new long[(int) (toLid - fromLid + 1) / 2];
        byte[] payload = new byte[cids.length * CHUNK_BYTES];
        for (int i = 0; i < cids.length; i++) {
            cids[i] = Cid.of(creator, fromLid + 2L * i);
            Arrays.fill(payload, i * CHUNK_BYTES, (i + 1) * CHUNK_BYTES, (byte) (i * 7 + creator));
        }
        int[] sizes = new int[cids.length];
        Arrays.fill(sizes, CHUNK_BYTES);
        return new RestoredChunks(Cid.of(creator, fromLid), Cid.of(creator, toLid), cids, sizes, payload);
    }

    private static void read(SimulatedCluster cluster, RestoredChunks chunks) {
        List<byte[]> values = await(cluster, client(cluster).getAll(chunks.cids()));
        for (int i = 0; i < chunks.cids().length; i++) {
            assertThat(values.get(i))
                    .as("chunk %x", chunks.cids()[i])
                    .isEqualTo(Arrays.copyOfRange(chunks.payload(), i * CHUNK_BYTES, (i + 1) * CHUNK_BYTES));
        }
    }

    private static void assertLost(SimulatedCluster cluster, long cid) {
        CompletableFuture<byte[]> get = client(cluster).get(cid);
        assertThat(cluster.simulation().runUntil(get::isDone, 60 * SECOND)).isTrue();
        assertThatThrownBy(get::join).hasCauseInstanceOf(ChunkLostException.class);
    }

    private static void ask(SimulatedCluster cluster, Step step) {
        for (StorageMachine peer : cluster.storagePeers()) {
            HibernateReply reply = await(cluster, operator(cluster).hibernate(peer.lastNid(), step));
            for (int i = 0; i < 600 && !reply.done(); i++) {
                cluster.simulation().runFor(SECOND / 10);
                reply = await(cluster, operator(cluster).hibernate(peer.lastNid(), step));
            }
            assertThat(reply.done()).as(reply.toString()).isTrue();
        }
    }

    private static AsyncGranaryClient client(SimulatedCluster cluster) {
        return cluster.operator().orElseThrow().client();
    }

    private static AsyncClusterAdmin operator(SimulatedCluster cluster) {
        return cluster.operator().orElseThrow().admin();
    }

    private static <T> T await(SimulatedCluster cluster, CompletableFuture<T> future) {
        assertThat(cluster.simulation().runUntil(future::isDone, 120 * SECOND)).isTrue();
        return future.join();
    }
}
