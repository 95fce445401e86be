package dev.granary.storage;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.Durability;
import dev.granary.net.message.Empty;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MigrationMessages.RunMigration;
import dev.granary.net.message.NodeRole;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.net.rpc.RpcServer;
import dev.granary.overlay.HostAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/**
 * Work in steps, each of which throws once: whichever step throws, the work goes on or begins again. If a chain ended
 * silently, something would wait for ever.
 */
class ThrowingStepsTest {

    private static final int ZONE = AnsweringSuperPeer.STORAGE_NID << 15 | 1;
    private static final int[] BACKUPS = {0xA000, 0xC000};
    private static final int FRESH = 0x9000;
    private static final long SECOND = 1_000_000_000;
    private static final int MOST_STEPS = 200;

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    /**
     * Lets one step after the other throw, each in a world of its own, until none is left; returns how many there are.
     */
    private static int eachStepOnce(IntFunction<Integer> scenario) {
        int steps = 0;
        while (steps < MOST_STEPS && scenario.apply(steps) == 0) {
            steps++;
        }
        return steps;
    }

    @Test
    void replication_aMemberDiesAndAnotherIsFilled_goesOnWhateverStepThrows() {
        assertThat(eachStepOnce(ThrowingStepsTest::replaceAMember)).isBetween(15, MOST_STEPS - 1);
    }

    /** Returns how many steps were still to throw at the end. */
    private static int replaceAMember(int passed) {
        try (NodeFixture peer = new NodeFixture()) {
            List<AnsweringBackup> backups = new ArrayList<>();
            for (int nid : BACKUPS) {
                backups.add(new AnsweringBackup(peer.world, peer.superPeer, nid));
            }
            peer.superPeer.wantedCopies = 2;
            peer.superPeer.place(BACKUPS);
            peer.machine.failSteps(passed, 1);
            peer.ready();
            RawClient client = peer.client();
            long[] cids = client.create(bytes("one"), bytes("two"), bytes("three"));
            backups.getFirst().machine.kill();
            put(peer, client, cids[0], "ONE");
            AnsweringBackup fresh = new AnsweringBackup(peer.world, peer.superPeer, FRESH);
            for (int i = 0; i < 20 && peer.superPeer.zone().backupCount() < 2; i++) {
                var _ = client.call(MessageType.FILL_COPY, peer.superPeer.fillOrder(fresh));
                peer.advance(SECOND / 2);
            }
            client.flags = Durability.SYNCED.flags();
            put(peer, client, cids[1], "TWO");
            peer.advance(SECOND);

            assertThat(peer.superPeer.zone().backups()).as("step %d", passed).containsExactly(BACKUPS[1], FRESH);
            assertThat(fresh.replay(ZONE))
                    .as("step %d", passed)
                    .isEqualTo(backups.getLast().replay(ZONE))
                    .hasSize(3)
                    .containsEntry(cids[0], "ONE")
                    .containsEntry(cids[1], "TWO");
            assertThat(roomOfTransfers(peer)).as("step %d", passed).isZero();
            return peer.machine.stepsToFail();
        }
    }

    /**
     * Returns what fills and moves have taken of the room that they share. If some is never returned, others wait for
     * ever.
     */
    private static long roomOfTransfers(NodeFixture peer) {
        double bytes = peer.sample("granary_memory_plan_used_bytes", "area", "heap", "share", StorageMemory.BULK);
        assertThat(bytes).isNotNaN();
        return (long) bytes;
    }

    /** Puts a value and repeats it until the answer is final, as a client does. */
    private static void put(NodeFixture peer, RawClient client, long cid, String value) {
        for (int attempt = 0; attempt < 20; attempt++) {
            CompletableFuture<int[]> put = client.putLater(++client.sequence, new long[] {cid}, bytes(value));
            peer.advanceUntil(put::isDone);
            if (!put.isCompletedExceptionally()) {
                assertThat(put.join()).containsOnly(ChunkStatus.OK);
                return;
            }
        }
        throw new AssertionError("'" + value + "' is never put");
    }

    @Test
    void migration_source_servesAgainOrHasLeftWhateverStepThrows() {
        assertThat(eachStepOnce(ThrowingStepsTest::moveAway)).isBetween(6, MOST_STEPS - 1);
    }

    private static int moveAway(int passed) {
        try (NodeFixture peer = new NodeFixture()) {
            HostAddress address = new HostAddress("target", 7500);
            RpcIdentity identity = new RpcIdentity(NodeRole.STORAGE_PEER, 5);
            identity.joinCluster(peer.superPeer.clusterId);
            identity.takeNid(FRESH);
            peer.world.node("target").restart(started -> {
                var _ = started.transport()
                        .listen(address, new RpcServer(identity, request -> request.reply(new Empty())));
            });
            peer.ready();
            RawClient client = peer.client();
            long[] cids = client.create(bytes("one"), bytes("two"), bytes("three"));
            peer.machine.failSteps(passed, 1);
            RunMigration order = new RunMigration(
                    AnsweringSuperPeer.STORAGE_NID, 1, cids[0], cids[2], peer.superPeer.epoch, FRESH, 1, address);
            client.await(client.call(MessageType.RUN_MIGRATION, order));
            peer.advance(2 * SECOND);

            int status = client.put(new long[] {cids[0]}, bytes("ONE"))[0];
            boolean committed = peer.superPeer.received.contains("commit-migration");
            assertThat(status).as("step %d", passed).isEqualTo(committed ? ChunkStatus.WRONG_OWNER : ChunkStatus.OK);
            assertThat(roomOfTransfers(peer)).as("step %d", passed).isZero();
            return peer.machine.stepsToFail();
        }
    }
}
