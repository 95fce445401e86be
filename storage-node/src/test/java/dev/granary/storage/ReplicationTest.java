package dev.granary.storage;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.memory.ChunkMemory;
import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.Durability;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MigrationMessages.MigrationData;
import dev.granary.net.message.ReplicationMessages.CopyResult;
import dev.granary.net.message.ReplicationMessages.FillCopy;
import dev.granary.net.message.ZoneMessages.WantedCopies;
import dev.granary.overlay.Cid;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReplicationTest {

    private static final int ZONE = AnsweringSuperPeer.STORAGE_NID << 15 | 1;
    private static final int[] BACKUPS = {0xA000, 0xC000, 0xE000};
    private static final long TIMEOUT_NANOS = 300_000_000;

    private final NodeFixture peer = new NodeFixture();
    private final List<AnsweringBackup> backups = new ArrayList<>();

    @SuppressWarnings("NullAway.Init") // before each test
    private RawClient client;

    @BeforeEach
    void startWithThreeBackups() {
        for (int nid : BACKUPS) {
            backups.add(new AnsweringBackup(peer.world, peer.superPeer, nid));
        }
        peer.superPeer.wantedCopies = 3;
        peer.superPeer.place(BACKUPS);
        peer.ready();
        client = peer.client();
    }

    @AfterEach
    void close() {
        peer.close();
    }

    private AnsweringBackup backup(int index) {
        return backups.get(index);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private void settle() {
        peer.advance(50_000_000);
    }

    @Test
    void change_threeBackups_isOnAllOfThemWhenItIsAnswered() {
        long[] cids = client.create(bytes("one"), bytes("two"), bytes("three"));
        assertReplay(Map.of(cids[0], "one", cids[1], "two", cids[2], "three"));

        assertThat(client.put(new long[] {cids[0], cids[2]}, bytes("ONE"), bytes("longer than three")))
                .containsOnly(ChunkStatus.OK);
        assertReplay(Map.of(cids[0], "ONE", cids[1], "two", cids[2], "longer than three"));

        assertThat(client.delete(cids[1])).containsOnly(ChunkStatus.OK);
        assertReplay(Map.of(cids[0], "ONE", cids[2], "longer than three"));
        assertThat(peer.superPeer.changes).isEmpty();
    }

    @Test
    void delete_failsInTheMiddle_whatIsGoneIsGoneOnTheBackupsToo() {
        long[] cids = client.create(bytes("one"), bytes("two"), bytes("three"), bytes("four"));
        peer.memory().pin(cids[2]);

        ErrorReply refused = client.replyOf(client.deleteLater(++client.sequence, cids));
        settle();

        assertThat(refused.message()).contains("pinned");
        assertThat(peer.memory().sizeOf(cids[1])).isEqualTo(ChunkMemory.ABSENT);
        assertReplay(Map.of(cids[2], "three", cids[3], "four"));
        peer.memory().unpin(cids[2]);
        assertThat(client.delete(cids))
                .containsExactly(ChunkStatus.NOT_FOUND, ChunkStatus.NOT_FOUND, ChunkStatus.OK, ChunkStatus.OK);
        assertReplay(Map.of());
    }

    private void assertReplay(Map<Long, String> expected) {
        for (AnsweringBackup backup : backups) {
            assertThat(backup.replay(ZONE)).isEqualTo(expected);
        }
    }

    @Test
    void change_oneBackupSlow_isNotAnsweredBefore() {
        long[] cids = client.create(bytes("old"));
        backup(2).holding = true;

        CompletableFuture<int[]> put = client.putLater(2, cids, bytes("new"));
        peer.advance(TIMEOUT_NANOS / 2);

        assertThat(put).isNotDone();
        assertThat(backup(0).replay(ZONE)).containsValue("new");
        backup(2).holding = false;
        backup(2).answerAll();
        assertThat(client.await(put)).containsOnly(ChunkStatus.OK);
    }

    @Test
    void change_oneBackupSlow_theOthersAreToldOfNoMoreThanAllHold() {
        long[] cids = client.create(bytes("old"));
        backup(2).holding = true;
        CompletableFuture<int[]> put = client.putLater(2, cids, bytes("new"));
        CompletableFuture<int[]> next = client.putLater(3, cids, bytes("newer"));
        peer.advance(TIMEOUT_NANOS / 2);
        assertThat(backup(0).copy(ZONE).last).isEqualTo(3);
        assertThat(backup(0).acknowledged).containsEntry(ZONE, 1L);

        backup(2).holding = false;
        backup(2).answerAll();
        assertThat(client.await(put)).containsOnly(ChunkStatus.OK);
        assertThat(client.await(next)).containsOnly(ChunkStatus.OK);
        peer.advance(2 * TIMEOUT_NANOS);
        assertThat(backup(0).acknowledged)
                .as("an owner asks for idle copies, too")
                .containsEntry(ZONE, 3L);
    }

    @Test
    void get_changeOutstanding_waitsUntilAllBackupsHaveIt() {
        long[] cids = client.create(bytes("old"), bytes("other"));
        backup(1).holding = true;
        CompletableFuture<int[]> put = client.putLater(2, new long[] {cids[0]}, bytes("new"));
        peer.advance(50_000_000);

        CompletableFuture<List<RawClient.Got>> get = client.getLater(cids[0]);
        CompletableFuture<List<RawClient.Got>> getOther = client.getLater(cids[1]);
        peer.advance(50_000_000);

        assertThat(get).isNotDone();
        assertThat(getOther).isDone();
        backup(1).holding = false;
        backup(1).answerAll();
        client.await(put);
        assertThat(new String(client.await(get).getFirst().payload(), UTF_8)).isEqualTo("new");
    }

    @Test
    void get_deleteOutstanding_waitsToo() {
        long[] cids = client.create(bytes("old"));
        backup(1).holding = true;
        CompletableFuture<int[]> delete = client.deleteLater(2, cids);
        peer.advance(50_000_000);

        CompletableFuture<List<RawClient.Got>> get = client.getLater(cids);
        peer.advance(50_000_000);

        assertThat(get).isNotDone();
        backup(1).holding = false;
        backup(1).answerAll();
        client.await(delete);
        assertThat(client.await(get).getFirst().result()).isEqualTo(-ChunkStatus.NOT_FOUND);
    }

    @Test
    void retry_firstAttemptOutstanding_waitsForTheBackupsAsWell() {
        long[] cids = client.create(bytes("old"));
        backup(1).holding = true;
        CompletableFuture<int[]> put = client.putLater(2, cids, bytes("new"));
        CompletableFuture<int[]> retry = client.putLater(2, cids, bytes("new"));
        peer.advance(50_000_000);

        assertThat(retry).isNotDone();
        backup(1).holding = false;
        backup(1).answerAll();
        assertThat(client.await(put)).containsOnly(ChunkStatus.OK);
        assertThat(client.await(retry)).containsOnly(ChunkStatus.OK);
        assertThat(backup(0).copy(ZONE).last).isEqualTo(2);
    }

    @Test
    void change_backupSilent_isAnsweredOnceItIsDropped() {
        long[] cids = client.create(bytes("old"));
        backup(0).machine.kill();
        long begun = peer.world.nowNanos();

        assertThat(client.put(cids, bytes("new"))).containsOnly(ChunkStatus.OK);

        assertThat(peer.world.nowNanos() - begun).isBetween(TIMEOUT_NANOS, 2 * TIMEOUT_NANOS);
        assertThat(peer.superPeer.zone().backups()).containsExactly(BACKUPS[1], BACKUPS[2]);
        assertThat(peer.superPeer.changes.getFirst().dropped()).containsExactly(BACKUPS[0]);
        settle();
        client.put(cids, bytes("newer"));
        assertThat(backup(1).copy(ZONE).epoch).isEqualTo(peer.superPeer.zone().epoch());
        assertThat(backup(1).copy(ZONE).members).containsExactly(BACKUPS[1], BACKUPS[2]);
        assertThat(backup(1).replay(ZONE)).isEqualTo(backup(2).replay(ZONE)).containsValue("newer");
    }

    @Test
    void change_twoBackupsSilentForAMoment_isAnsweredOnceTheOneThatIsNeededAnswersAgain() {
        long[] cids = client.create(bytes("old"));
        backup(0).silent = true;
        backup(1).silent = true;
        CompletableFuture<int[]> put = client.putLater(2, cids, bytes("new"));
        peer.advance(2 * TIMEOUT_NANOS);
        assertThat(peer.superPeer.zone().backups()).containsExactly(BACKUPS[1], BACKUPS[2]);
        assertThat(put).isNotDone();

        backup(1).silent = false;
        peer.advance(3 * TIMEOUT_NANOS);

        assertThat(put).isDone();
        assertThat(backup(1).copy(ZONE).epoch).isEqualTo(peer.superPeer.zone().epoch());
        assertThat(backup(1).replay(ZONE)).isEqualTo(backup(2).replay(ZONE)).containsValue("new");
        assertThat(client.put(cids, bytes("newer"))).containsOnly(ChunkStatus.OK);
    }

    @Test
    void change_backupSilentWhileNobodyAnswersForTheArc_staysAMemberIfItAnswersBefore() {
        long[] cids = client.create(bytes("old"));
        peer.superPeer.refusal = ErrorReply.retryLater(1_000_000, "nobody leads");
        backup(0).silent = true;
        CompletableFuture<int[]> put = client.putLater(2, cids, bytes("new"));
        peer.advance(TIMEOUT_NANOS + 100_000_000);
        assertThat(put).isNotDone();
        backup(0).silent = false;
        peer.advance(TIMEOUT_NANOS);

        assertThat(client.await(put)).containsOnly(ChunkStatus.OK);
        peer.superPeer.refusal = null;
        settle();
        assertThat(peer.superPeer.changes.getLast().dropped()).isEmpty();
        assertThat(peer.superPeer.zone().backups()).containsExactly(BACKUPS);
    }

    @Test
    void change_openingCutABackupAndItsAnswerWasLost_isNotAnsweredBeforeTheBackupHasItAgain() {
        long[] cids = client.create(bytes("old"));
        backup(1).answer = CopyResult.BUSY;
        backup(2).machine.kill();
        CompletableFuture<int[]> put = client.putLater(2, cids, bytes("new"));
        settle();
        assertThat(backup(0).copy(ZONE).last).isEqualTo(2);
        backup(0).silent = true;
        peer.advance(TIMEOUT_NANOS + 50_000_000);
        assertThat(peer.superPeer.zone().backups()).containsExactly(BACKUPS[0], BACKUPS[1]);
        assertThat(backup(0).copy(ZONE).last).as("what the other one has").isEqualTo(1);

        backup(1).answer = null;
        settle();
        assertThat(backup(1).copy(ZONE).last).isEqualTo(2);
        assertThat(put).isNotDone();

        backup(0).silent = false;
        assertThat(client.await(put)).containsOnly(ChunkStatus.OK);
        assertThat(backup(0).replay(ZONE)).isEqualTo(backup(1).replay(ZONE)).containsValue("new");
        assertThat(peer.superPeer.zone().backups())
                .as("it is not taken for damaged")
                .containsExactly(BACKUPS[0], BACKUPS[1]);
    }

    @Test
    void change_arcDoesNotCommitTheDrop_isNeverAnswered() {
        long[] cids = client.create(bytes("old"));
        backup(0).machine.kill();
        peer.superPeer.keepsMembers = true;

        CompletableFuture<int[]> put = client.putLater(2, cids, bytes("new"));
        peer.advance(3 * TIMEOUT_NANOS);

        assertThat(peer.superPeer.changes).isNotEmpty();
        assertThat(put).isNotDone();
    }

    @Test
    void change_fewerMembersThanTheFloor_isRefusedAndReadsGoOn() {
        long[] cids = client.create(bytes("old"));
        backup(0).machine.kill();
        backup(1).machine.kill();
        CompletableFuture<int[]> put = client.putLater(2, cids, bytes("never acknowledged"));
        peer.advance(4 * TIMEOUT_NANOS);

        assertThat(put).isNotDone();
        // Without the second backup the zone would be below its floor, so it stays in the in-sync set.
        assertThat(peer.superPeer.zone().backupCount()).isEqualTo(2);
        assertThat(client.errorOf(client.putLater(3, cids, bytes("refused")))).isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(client.errorOf(client.createLater(4, 0, bytes("refused")))).isEqualTo(ErrorCode.RETRY_LATER);
        // A client that repeats a waiting request hears why it waits.
        assertThat(client.replyOf(client.putLater(2, cids, bytes("never acknowledged")))
                        .message())
                .contains("backups that it needs to take writes");
        long[] absent = {cids[0] + 1000};
        assertThat(client.get(absent).getFirst().result()).isEqualTo(-ChunkStatus.NOT_FOUND);
        assertThat(peer.sample("granary_storage_refused_below_floor_total")).isEqualTo(3);
    }

    @Test
    void change_backupHasLostItsCopy_isDropped() {
        long[] cids = client.create(bytes("old"));
        backup(1).copies.clear();

        assertThat(client.put(cids, bytes("new"))).containsOnly(ChunkStatus.OK);

        assertThat(peer.superPeer.zone().backups()).containsExactly(BACKUPS[0], BACKUPS[2]);
    }

    @Test
    void zone_backupHasLostItsCopyAndNothingChanges_isDroppedWithinASecond() {
        client.create(bytes("old"));
        settle();
        backup(1).copies.clear();

        peer.advance(1_000_000_000);

        assertThat(peer.superPeer.zone().backups()).containsExactly(BACKUPS[0], BACKUPS[2]);
    }

    @Test
    void zone_backupHasLostChangesAndNothingChanges_isDroppedWithinASecond() {
        client.create(bytes("old"));
        settle();
        backup(1).copy(ZONE).last = 0;

        peer.advance(1_000_000_000);

        assertThat(peer.superPeer.zone().backups()).containsExactly(BACKUPS[0], BACKUPS[2]);
    }

    @Test
    void change_backupFull_isDropped() {
        long[] cids = client.create(bytes("old"));
        backup(1).answer = CopyResult.FULL;

        assertThat(client.put(cids, bytes("new"))).containsOnly(ChunkStatus.OK);

        assertThat(peer.superPeer.zone().backups()).containsExactly(BACKUPS[0], BACKUPS[2]);
    }

    @Test
    void change_backupBusyForAWhile_waitsAndKeepsIt() {
        long[] cids = client.create(bytes("old"));
        backup(1).answer = CopyResult.BUSY;
        CompletableFuture<int[]> put = client.putLater(2, cids, bytes("new"));
        peer.advance(TIMEOUT_NANOS);
        assertThat(put).isNotDone();

        backup(1).answer = null;

        assertThat(client.await(put)).containsOnly(ChunkStatus.OK);
        assertThat(peer.superPeer.changes).isEmpty();
    }

    @Test
    void change_backupKnowsAHigherEpochAndAnotherOwner_isNotAcknowledged() {
        long[] cids = client.create(bytes("old"));
        Placement mine = peer.superPeer.zone();
        backups.forEach(each -> each.copy(ZONE).epoch = mine.epoch() + 1);
        peer.superPeer.zone = new Placement(BACKUPS[0], new int[0], mine.epoch() + 1, ZONE, PlacementState.DEGRADED);

        assertThat(client.errorOf(client.putLater(2, cids, bytes("new")))).isEqualTo(ErrorCode.UNKNOWN_OUTCOME);
        assertThat(client.errorOf(client.putLater(3, cids, bytes("new")))).isEqualTo(ErrorCode.RETRY_LATER);
    }

    @Test
    void change_arcHasDroppedAMemberItself_goesOnInItsEpoch() {
        long[] cids = client.create(bytes("old"));
        peer.superPeer.place(BACKUPS[0], BACKUPS[2]);
        peer.superPeer.zonesMark = 7;
        peer.advance(peer.superPeer.leaseNanos);

        assertThat(client.put(cids, bytes("new"))).containsOnly(ChunkStatus.OK);

        assertThat(backup(0).copy(ZONE).epoch).isEqualTo(2);
        assertThat(backup(1).dropped).containsExactly(ZONE);
        assertThat(backup(0).replay(ZONE)).containsValue("new");
    }

    @Test
    void change_async_isAnsweredAtOnceAndReplicatedSoon() {
        long[] cids = client.create(bytes("old"));
        backup(1).holding = true;
        client.flags = Durability.ASYNC.flags();

        assertThat(client.put(cids, bytes("new"))).containsOnly(ChunkStatus.OK);

        assertThat(backup(1).unanswered).isNotEmpty();
        backup(1).holding = false;
        backup(1).answerAll();
        settle();
        assertThat(backup(1).replay(ZONE)).containsValue("new");
    }

    @Test
    void change_synced_asksBackupsToSync() {
        long[] cids = client.create(bytes("old"));
        int before = backup(0).syncRequests;
        client.flags = Durability.SYNCED.flags();

        assertThat(client.put(cids, bytes("new"))).containsOnly(ChunkStatus.OK);

        assertThat(before).isZero();
        assertThat(backup(0).syncRequests).isEqualTo(1);
    }

    /** A client lock survives a loss of power, so what keeps its earlier holders out must survive it as well. */
    @Test
    void fence_backupHasNotSyncedIt_isNotAnswered() {
        long[] cids = client.create(bytes("locked"));
        backup(1).holdingSyncs = true;
        CompletableFuture<Byte> fence = client.send(
                MessageType.FENCE,
                out -> out.writeIntLE(0).writeIntLE(1).writeLongLE(cids[0]).writeLongLE(7),
                in -> in.skipBytes(Integer.BYTES).readByte());
        settle();

        assertThat(fence).isNotDone();
        assertThat(backup(0).syncRequests).isEqualTo(1);
        backup(1).holdingSyncs = false;
        backup(1).answerAll();
        assertThat(client.await(fence)).isEqualTo((byte) ChunkStatus.OK);
    }

    @Test
    void put_syncedDeleteOutstanding_isNotToldBeforeThatTheChunkIsGone() {
        long[] cids = client.create(bytes("old"));
        client.flags = Durability.SYNCED.flags();
        backup(1).holdingSyncs = true;
        CompletableFuture<int[]> delete = client.deleteLater(2, cids);
        settle();
        client.flags = Durability.ASYNC.flags();
        CompletableFuture<int[]> put = client.putLater(3, cids, bytes("too late"));
        settle();

        assertThat(delete).isNotDone();
        assertThat(put).isNotDone();
        backup(1).holdingSyncs = false;
        backup(1).answerAll();
        assertThat(client.await(delete)).containsOnly(ChunkStatus.OK);
        assertThat(client.await(put)).containsOnly(ChunkStatus.NOT_FOUND);
    }

    @Test
    void put_sameChunkTwiceInOneRequest_lastValueIsReplayed() {
        long[] cids = client.create(bytes("a"), bytes("b"));

        client.put(new long[] {cids[0], cids[1], cids[0]}, bytes("first"), bytes("B"), bytes("second"));

        assertReplay(Map.of(cids[0], "second", cids[1], "B"));
    }

    @Test
    void create_lidOfADeletedChunk_replaysTheNewOne() {
        long[] cids = client.create(bytes("old"));
        client.delete(cids);
        long[] reused = client.create(bytes("new"));
        List<Long> all = new ArrayList<>();
        all.add(reused[0]);

        assertThat(backup(0).replay(ZONE)).containsOnlyKeys(all).containsValue("new");
    }

    @Test
    void change_connectionLost_isSentAgain() {
        long[] cids = client.create(bytes("old"));
        peer.world.network().cutBoth("peer", backup(0).address.host());
        CompletableFuture<int[]> put = client.putLater(2, cids, bytes("new"));
        peer.advance(TIMEOUT_NANOS / 3);
        peer.world.network().healAll();

        assertThat(client.await(put)).containsOnly(ChunkStatus.OK);
        assertReplay(Map.of(cids[0], "new"));
    }

    @Test
    void fill_whileChunksChange_copyHasEverythingAndBecomesAMember() {
        long[] cids = client.create(many("chunk", 3000));
        client.delete(cids[5], cids[2000]);
        backup(0).machine.kill();
        client.put(new long[] {cids[0]}, bytes("before"));
        AnsweringBackup fresh = new AnsweringBackup(peer.world, peer.superPeer, 0x9000);

        client.await(client.call(MessageType.FILL_COPY, peer.superPeer.fillOrder(fresh)));
        for (int i = 0; i < 20; i++) {
            client.put(new long[] {cids[10 * i], cids[2900]}, bytes("during " + i), bytes("last " + i));
            client.delete(cids[10 * i + 1]);
            client.create(bytes("new " + i));
        }
        peer.advanceUntil(() -> peer.superPeer.zone().backupCount() == 3);
        client.put(new long[] {cids[3]}, bytes("after"));
        settle();

        assertThat(peer.superPeer.zone().backups()).containsExactly(BACKUPS[1], BACKUPS[2], 0x9000);
        assertThat(fresh.copy(ZONE).filled).isTrue();
        assertThat(fresh.copy(ZONE).base).isNotEmpty();
        assertThat(fresh.replay(ZONE)).isEqualTo(backup(1).replay(ZONE)).hasSize(3000 - 2 - 20 + 20);
    }

    /**
     * Chunks that arrive by a migration are logged before they are owned: a copy that begins in between must have them.
     */
    @Test
    void fill_chunksOfAMigrationHaveComeAndAreNotCommitted_copyHasThem() {
        int creator = 0x9000;
        int foreign = creator << 15 | 1;
        long first = Cid.of(creator, 10);
        peer.superPeer.zone =
                new Placement(AnsweringSuperPeer.STORAGE_NID, BACKUPS, 1, foreign, PlacementState.IN_SYNC);
        migrate(0, Map.of(first, "came", first + 2, "too"));
        AnsweringBackup fresh = new AnsweringBackup(peer.world, peer.superPeer, 0xF000);
        peer.superPeer.place(BACKUPS[1], BACKUPS[2]);
        // The order has an epoch that the peer does not know yet: it learns it, and begins.
        client.await(client.call(MessageType.FILL_COPY, peer.superPeer.fillOrder(fresh)));
        migrate(1, Map.of(first + 1, "later"));

        peer.advanceUntil(() -> peer.superPeer.zone().backupCount() == 3);
        settle();

        Map<Long, String> all = Map.of(first, "came", first + 1, "later", first + 2, "too");
        assertThat(backup(1).replay(foreign)).isEqualTo(all);
        assertThat(fresh.replay(foreign)).isEqualTo(all);
    }

    /** Sends a step of a migration of chunks that another peer has created, until it is taken. */
    private void migrate(int step, Map<Long, String> chunks) {
        long start = chunks.keySet().stream().min(Cid::compare).orElseThrow() & -1L << 3;
        MigrationData header =
                new MigrationData(Cid.nid(start), 1, start, start + 7, 0xB000, peer.superPeer.epoch, step, 0);
        for (int attempt = 0; attempt < 10; attempt++) {
            CompletableFuture<Boolean> taken = client.send(
                    MessageType.MIGRATION_DATA, out -> writeStep(header, new TreeMap<>(chunks), out), in -> true);
            peer.advanceUntil(taken::isDone);
            if (!taken.isCompletedExceptionally()) {
                return;
            }
            settle();
        }
        throw new AssertionError("the step is not taken");
    }

    private static void writeStep(MigrationData header, Map<Long, String> chunks, ByteBuf out) {
        header.writeTo(out);
        out.writeIntLE(chunks.size());
        chunks.keySet().forEach(out::writeLongLE);
        chunks.values().forEach(value -> out.writeIntLE(bytes(value).length));
        chunks.values().forEach(value -> out.writeBytes(bytes(value)));
        // No completion records, no floor of tokens, no tokens.
        out.writeIntLE(0).writeLongLE(0).writeIntLE(0);
    }

    @Test
    void fill_floorWasMissed_writesGoOnOnceTheCopyIsThere() {
        long[] cids = client.create(bytes("old"));
        backup(0).machine.kill();
        backup(1).machine.kill();
        CompletableFuture<int[]> put = client.putLater(2, cids, bytes("held"));
        peer.advance(4 * TIMEOUT_NANOS);
        assertThat(put).isNotDone();
        AnsweringBackup fresh = new AnsweringBackup(peer.world, peer.superPeer, 0x9000);

        client.await(client.call(MessageType.FILL_COPY, peer.superPeer.fillOrder(fresh)));

        assertThat(client.await(put)).containsOnly(ChunkStatus.OK);
        settle();
        assertThat(peer.superPeer.zone().backups()).containsExactly(BACKUPS[2], 0x9000);
        client.sequence = 2;
        client.put(cids, bytes("newer"));
        assertThat(fresh.replay(ZONE)).isEqualTo(backup(2).replay(ZONE)).containsValue("newer");
    }

    @Test
    void fill_targetDies_isGivenUpAndNothingWaits() {
        long[] cids = client.create(many("chunk", 3000));
        backup(0).machine.kill();
        client.put(new long[] {cids[0]}, bytes("before"));
        AnsweringBackup fresh = new AnsweringBackup(peer.world, peer.superPeer, 0x9000);
        client.await(client.call(MessageType.FILL_COPY, peer.superPeer.fillOrder(fresh)));
        peer.advance(30_000_000);
        fresh.machine.kill();

        assertThat(client.put(new long[] {cids[1]}, bytes("meanwhile"))).containsOnly(ChunkStatus.OK);
        peer.advance(20 * TIMEOUT_NANOS);

        assertThat(peer.superPeer.zone().backups()).containsExactly(BACKUPS[1], BACKUPS[2]);
        assertThat(client.put(new long[] {cids[1]}, bytes("afterwards"))).containsOnly(ChunkStatus.OK);
    }

    /** After a loss of power a backup may come back at another address than the one in the order to fill. */
    @Test
    void fill_backupServesElsewhereThanOrdered_copyIsFilledThere() {
        long[] cids = client.create(many("chunk", 100));
        backup(0).machine.kill();
        client.put(new long[] {cids[0]}, bytes("before"));
        AnsweringBackup fresh = new AnsweringBackup(peer.world, peer.superPeer, 0x9000);
        peer.world.node("former").start(world -> {});
        FillCopy order = peer.superPeer.fillOrder(fresh);
        HostAddress former = new HostAddress("former", fresh.address.port());

        client.await(client.call(
                MessageType.FILL_COPY,
                new FillCopy(order.zone(), order.epoch(), order.ownerEpoch(), order.targetNid(), former)));

        peer.advanceUntil(() -> peer.superPeer.zone().backupCount() == 3);
        assertThat(fresh.replay(ZONE)).isEqualTo(backup(1).replay(ZONE)).hasSize(100);
    }

    @Test
    void fill_clusterOfOneGetsASecondPeer_writesAreNeverRefused() {
        NodeFixture alone = new NodeFixture();
        alone.superPeer.place();
        alone.ready();
        RawClient user = alone.client();
        long[] cids = user.create(many("chunk", 100));
        AnsweringBackup fresh = new AnsweringBackup(alone.world, alone.superPeer, 0x9000);
        alone.superPeer.wantedCopies = 1;
        alone.advance(alone.superPeer.leaseNanos);
        user.put(new long[] {cids[0]}, bytes("without a copy"));

        user.await(user.call(MessageType.FILL_COPY, alone.superPeer.fillOrder(fresh)));
        alone.advanceUntil(() -> alone.superPeer.zone().backupCount() == 1);
        user.put(new long[] {cids[1]}, bytes("with one"));
        alone.advance(50_000_000);

        assertThat(fresh.replay(ZONE)).hasSize(100).containsEntry(cids[0], "without a copy");
        assertThat(fresh.replay(ZONE)).containsEntry(cids[1], "with one");
        alone.close();
    }

    @Test
    void renewal_numberOfCopiesIsNotKnownYet_writesGoOnAsBefore() {
        NodeFixture alone = new NodeFixture();
        alone.superPeer.place();
        alone.ready();
        RawClient user = alone.client();
        long[] cids = user.create(bytes("first"));
        alone.superPeer.wantedCopies = WantedCopies.UNKNOWN;
        alone.advance(alone.superPeer.leaseNanos);

        user.put(cids, bytes("second"));
        assertThat(user.get(cids).getFirst().payload()).isEqualTo(bytes("second"));
        alone.close();
    }

    private static byte[][] many(String what, int count) {
        byte[][] values = new byte[count][];
        for (int i = 0; i < count; i++) {
            values[i] = bytes(what + " " + i);
        }
        return values;
    }
}
