package dev.granary.storage;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.memory.ChunkMemory;
import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MigrationMessages.EndMigration;
import dev.granary.net.message.MigrationMessages.MigrationData;
import dev.granary.net.message.MigrationMessages.MigrationState;
import dev.granary.net.message.MigrationMessages.RunMigration;
import dev.granary.net.message.NodeRole;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.net.rpc.RpcServer;
import dev.granary.overlay.Cid;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.storage.data.Ownership;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An {@code IncomingMigration}, step by step: what it takes, what it logs, and when its chunks are served. */
class IncomingMigrationTest {

    private static final int NID = AnsweringSuperPeer.STORAGE_NID;
    private static final int SOURCE = 0xB000;
    private static final int CREATOR = 0x9000;
    private static final int ZONE = CREATOR << 15 | 1;
    private static final long FIRST = Cid.of(CREATOR, 8);
    private static final long LAST = Cid.of(CREATOR, 15);
    private static final long MILLI = 1_000_000;
    private static final Chunk CAME = chunk(FIRST, "came");

    private final NodeFixture peer = new NodeFixture();

    /** What a step says of a chunk: its bytes, and how many they are said to be. */
    private record Chunk(long cid, int sizeBytes, String value) {}

    private static Chunk chunk(long cid, String value) {
        return new Chunk(cid, value.length(), value);
    }

    private static Chunk gone(long cid) {
        return new Chunk(cid, MigrationData.NO_CHUNK, "");
    }

    @AfterEach
    void close() {
        peer.close();
        assertThat(peer.failures).isEmpty();
    }

    /** Starts the peer, whose arcs name a zone with these backups for the chunks that come. */
    private RawClient started(int... backups) {
        peer.superPeer.place();
        peer.ready();
        peer.superPeer.zone = new Placement(NID, backups, 1, ZONE, PlacementState.IN_SYNC);
        return peer.client();
    }

    private MigrationData header(int step, int flags) {
        return new MigrationData(CREATOR, 1, FIRST, LAST, SOURCE, peer.superPeer.epoch, step, flags);
    }

    private static CompletableFuture<Boolean> send(RawClient client, MigrationData header, Chunk... chunks) {
        return send(client, header, chunks.length, chunks);
    }

    private static CompletableFuture<Boolean> send(
            RawClient client, MigrationData header, int saidCount, Chunk... chunks) {
        return client.send(
                MessageType.MIGRATION_DATA,
                out -> {
                    header.writeTo(out);
                    out.writeIntLE(saidCount);
                    Stream.of(chunks).forEach(chunk -> out.writeLongLE(chunk.cid()));
                    Stream.of(chunks).forEach(chunk -> out.writeIntLE(chunk.sizeBytes()));
                    Stream.of(chunks)
                            .forEach(chunk -> out.writeBytes(chunk.value().getBytes(UTF_8)));
                    // Neither completed requests nor lock tokens.
                    out.writeIntLE(0).writeLongLE(0).writeIntLE(0);
                },
                in -> true);
    }

    /** Sends a step until it is taken: the first ones come before the zone is open. */
    private void take(RawClient client, MigrationData header, Chunk... chunks) {
        for (int attempt = 0; attempt < 10; attempt++) {
            CompletableFuture<Boolean> taken = send(client, header, chunks);
            peer.advanceUntil(taken::isDone);
            if (!taken.isCompletedExceptionally()) {
                return;
            }
            peer.advance(50 * MILLI);
        }
        throw new AssertionError("the step is not taken: " + header);
    }

    private static void end(RawClient client, boolean committed) {
        client.await(client.call(MessageType.END_MIGRATION, new EndMigration(CREATOR, 1, committed, 9)));
    }

    private void sealAndCommit(RawClient client, int step) {
        take(client, header(step, MigrationData.FLAG_SEAL));
        end(client, true);
    }

    private static String valueOf(RawClient client, long cid) {
        return new String(client.get(cid).getFirst().payload(), UTF_8);
    }

    private static int statusOf(RawClient client, long cid) {
        return -client.get(cid).getFirst().result();
    }

    @Test
    void take_laterStepFirst_isRefusedUntilTheMissingOneHasCome() {
        RawClient client = started();
        take(client, header(0, 0), CAME);

        assertThat(client.errorOf(send(client, header(2, 0), chunk(FIRST, "newest"))))
                .isEqualTo(ErrorCode.NOT_FOUND);
        take(client, header(1, 0), chunk(FIRST, "newer"));
        take(client, header(2, 0), chunk(FIRST, "newest"));
        assertThat(peer.sample("granary_storage_migrations_running", "direction", "in"))
                .isEqualTo(1);
        sealAndCommit(client, 3);
        assertThat(peer.sample("granary_storage_migrations_total", "outcome", "arrived"))
                .isEqualTo(1);
        assertThat(peer.sample("granary_storage_migrated_chunks_total", "direction", "in"))
                .isEqualTo(3);

        assertThat(valueOf(client, FIRST)).isEqualTo("newest");
    }

    /** A late repetition must not undo what a later step has brought. */
    @Test
    void take_stepAgainAfterALaterOne_changesNothing() {
        RawClient client = started();
        take(client, header(0, 0), CAME);
        take(client, header(1, 0), gone(FIRST), chunk(FIRST + 1, "newer"));
        take(client, header(0, 0), CAME, chunk(FIRST + 1, "old"));
        sealAndCommit(client, 2);

        assertThat(statusOf(client, FIRST)).isEqualTo(ChunkStatus.NOT_FOUND);
        assertThat(valueOf(client, FIRST + 1)).isEqualTo("newer");
    }

    @Test
    void take_chunkWasDeletedAtTheSource_isNotThereAndItsNeighboursAre() {
        RawClient client = started();
        take(client, header(0, 0), CAME, chunk(LAST, ""));
        take(client, header(1, 0), gone(FIRST), gone(FIRST + 1));
        take(client, header(2, 0), chunk(FIRST + 2, "late"));
        sealAndCommit(client, 3);

        assertThat(statusOf(client, FIRST)).isEqualTo(ChunkStatus.NOT_FOUND);
        assertThat(statusOf(client, FIRST + 1)).isEqualTo(ChunkStatus.NOT_FOUND);
        assertThat(valueOf(client, FIRST + 2)).isEqualTo("late");
        assertThat(client.get(LAST).getFirst().result()).as("an empty chunk").isZero();
        assertThat(client.delete(FIRST + 2)).containsExactly(ChunkStatus.OK);
    }

    @Test
    void get_notCommittedYet_isNotServedAndWaitsFromTheSealOn() {
        RawClient client = started();
        take(client, header(0, 0), CAME);
        assertThat(statusOf(client, FIRST)).isEqualTo(ChunkStatus.WRONG_OWNER);
        take(client, header(1, MigrationData.FLAG_SEAL));

        CompletableFuture<List<RawClient.Got>> get = client.getLater(FIRST);
        CompletableFuture<int[]> put = client.putLater(1, new long[] {FIRST}, "mine".getBytes(UTF_8));
        peer.advance(200 * MILLI);
        assertThat(get).isNotDone();
        assertThat(put).isNotDone();
        end(client, true);

        assertThat(client.await(get).getFirst().result()).isEqualTo(4);
        assertThat(client.await(put)).containsExactly(ChunkStatus.OK);
        assertThat(valueOf(client, FIRST)).isEqualTo("mine");
    }

    @Test
    void end_aborted_leavesTheMemoryAsItWas() {
        RawClient client = started();
        long before = peer.memory().statistics().chunks();
        take(client, header(0, 0), CAME, chunk(LAST, "last"));
        assertThat(peer.memory().statistics().chunks()).isEqualTo(before + 2);
        end(client, false);

        assertThat(peer.memory().statistics().chunks()).isEqualTo(before);
        assertThat(statusOf(client, FIRST)).isEqualTo(ChunkStatus.WRONG_OWNER);
        assertThat(client.errorOf(send(client, header(1, 0), CAME)))
                .as("a late step")
                .isEqualTo(ErrorCode.NOT_FOUND);
        assertThat(client.errorOf(send(client, header(0, 0), CAME)))
                .as("a late first step")
                .isEqualTo(ErrorCode.NOT_FOUND);
    }

    /** The source was given up, and does not know it. If it aborted later, a recovered chunk would go with the rest. */
    @Test
    void take_chunkIsBeingRecoveredHere_isRefusedUntilTheRecoveryHasEnded() {
        RawClient client = started();
        Ownership ownership = peer.node().ownership().orElseThrow();
        Ownership.Claim recovery = (start, end) -> Cid.compare(start, LAST) <= 0 && Cid.compare(LAST, end) <= 0;
        ownership.claim(recovery);
        for (int i = 0; i < 3; i++) {
            assertThat(client.errorOf(send(client, header(0, 0), chunk(LAST, "last"))))
                    .isEqualTo(ErrorCode.RETRY_LATER);
            peer.advance(50 * MILLI);
        }
        assertThat(peer.memory().statistics().chunks()).isZero();

        ownership.unclaim(recovery);
        take(client, header(0, 0), chunk(LAST, "last"));
        assertThat(peer.memory().sizeOf(LAST)).isEqualTo(4);
    }

    @Test
    void look_sourceIsGoneAndTheArcHasAborted_dropsAndAnswersThoseWhoWait() {
        RawClient client = started();
        take(client, header(0, 0), CAME);
        take(client, header(1, MigrationData.FLAG_SEAL));
        CompletableFuture<List<RawClient.Got>> get = client.getLater(FIRST);
        peer.advance(1_000 * MILLI);
        assertThat(get).as("the arc has not decided").isNotDone();
        peer.superPeer.migration = MigrationState.ABORTED;

        assertThat(client.await(get).getFirst().result()).isEqualTo(-ChunkStatus.WRONG_OWNER);
        assertThat(peer.memory().sizeOf(FIRST)).isEqualTo(ChunkMemory.ABSENT);
    }

    @Test
    void take_malformedStep_isABadRequestAndTheRightOneIsTaken() {
        RawClient client = started();
        take(client, header(0, 0));
        for (Chunk wrong : List.of(
                chunk(LAST + 1, "outside"),
                chunk(FIRST - 1, "outside"),
                new Chunk(FIRST, -5, ""),
                new Chunk(FIRST, Integer.MIN_VALUE, ""),
                new Chunk(FIRST, 1_000_000, "short"))) {
            assertThat(client.errorOf(send(client, header(1, 0), wrong)))
                    .as(wrong.toString())
                    .isEqualTo(ErrorCode.BAD_REQUEST);
        }
        for (int count : new int[] {-1, 100, Integer.MAX_VALUE}) {
            assertThat(client.errorOf(send(client, header(1, 0), count, CAME)))
                    .as("%d chunks", count)
                    .isEqualTo(ErrorCode.BAD_REQUEST);
        }
        take(client, header(1, 0), CAME);
        sealAndCommit(client, 2);

        assertThat(valueOf(client, FIRST)).isEqualTo("came");
    }

    /** The source gives its chunks up after this answer, so the copies must outlive a loss of power. */
    @Test
    void take_lastStep_isAnsweredWhenTheBackupsHaveSyncedEverything() {
        AnsweringBackup backup = new AnsweringBackup(peer.world, peer.superPeer, 0xC000);
        RawClient client = started(backup.nid);
        take(client, header(0, 0), CAME, chunk(LAST, "last"));
        backup.holdingSyncs = true;

        CompletableFuture<Boolean> sealed = send(client, header(1, MigrationData.FLAG_SEAL), gone(LAST));
        peer.advance(100 * MILLI);
        assertThat(sealed).isNotDone();
        assertThat(backup.replay(ZONE)).containsOnlyKeys(FIRST).containsValue("came");
        backup.holdingSyncs = false;
        backup.answerAll();

        assertThat(client.await(sealed)).isTrue();
    }

    @Test
    void end_aborted_backupsForgetTheChunksToo() {
        AnsweringBackup backup = new AnsweringBackup(peer.world, peer.superPeer, 0xC000);
        RawClient client = started(backup.nid);
        take(client, header(0, 0), CAME, chunk(LAST, "last"));
        take(client, header(1, MigrationData.FLAG_SEAL));
        assertThat(backup.replay(ZONE)).hasSize(2);
        end(client, false);
        peer.advance(50 * MILLI);

        assertThat(backup.replay(ZONE)).isEmpty();
    }

    /** Without its placeholder the LID of a chunk that is elsewhere would be given a second time. */
    @Test
    void take_chunksOfThisPeerComeBack_freeLidsAreGivenAgainOnlyWhenTheyAreItsOwn() {
        RawClient client = started();
        long[] cids = client.create("0".getBytes(UTF_8), "1".getBytes(UTF_8), "2".getBytes(UTF_8));
        moveAway(client, cids);
        MigrationData back = new MigrationData(NID, 2, cids[0], cids[2], SOURCE, peer.superPeer.epoch, 0, 0);
        take(client, back, chunk(cids[0], "back"), chunk(cids[1], "short-lived"));
        take(client, stepOf(back, 1, 0), gone(cids[1]));

        assertThat(peer.memory().sizeOf(cids[1])).as("a placeholder").isZero();
        assertThat(client.create(new byte[3], new byte[3], new byte[3])).doesNotContain(cids[0], cids[1], cids[2]);
        take(client, stepOf(back, 2, MigrationData.FLAG_SEAL));
        client.await(client.call(MessageType.END_MIGRATION, new EndMigration(NID, 2, true, 11)));

        assertThat(valueOf(client, cids[0])).isEqualTo("back");
        assertThat(statusOf(client, cids[1])).isEqualTo(ChunkStatus.NOT_FOUND);
        assertThat(statusOf(client, cids[2])).isEqualTo(ChunkStatus.NOT_FOUND);
        assertThat(peer.memory().sizeOf(cids[2])).isEqualTo(ChunkMemory.ABSENT);
    }

    private static MigrationData stepOf(MigrationData first, int step, int flags) {
        return new MigrationData(
                first.creatorNid(),
                first.number(),
                first.startCid(),
                first.endCidInclusive(),
                first.sourceNid(),
                first.targetEpoch(),
                step,
                flags);
    }

    /** Moves chunks to a storage peer that takes everything. */
    private void moveAway(RawClient client, long[] cids) {
        HostAddress address = new HostAddress("elsewhere", 7500);
        RpcIdentity identity = new RpcIdentity(NodeRole.STORAGE_PEER, 5);
        identity.joinCluster(peer.superPeer.clusterId);
        identity.takeNid(SOURCE);
        peer.world.node("elsewhere").restart(started -> {
            var _ = started.transport().listen(address, new RpcServer(identity, request -> request.reply(new Empty())));
        });
        RunMigration order = new RunMigration(NID, 1, cids[0], cids[2], peer.superPeer.epoch, SOURCE, 1, address);
        client.await(client.call(MessageType.RUN_MIGRATION, order));
        peer.advanceUntil(() -> statusOf(client, cids[0]) == ChunkStatus.WRONG_OWNER);
        peer.advance(500 * MILLI);
        peer.superPeer.migration = MigrationState.RUNNING;
    }
}
