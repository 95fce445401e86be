package dev.granary.storage;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.Durability;
import dev.granary.net.message.MessageType;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Backups whose disks sync slowly, and answers to syncs that never come. */
class SlowBackupDisksTest {

    private static final int ZONE = AnsweringSuperPeer.STORAGE_NID << 15 | 1;
    private static final int[] BACKUPS = {0xA000, 0xC000, 0xE000};
    private static final long TIMEOUT_NANOS = 300_000_000;
    private static final long SECOND_NANOS = 1_000_000_000;

    private final NodeFixture peer = new NodeFixture();
    private final List<AnsweringBackup> backups = new ArrayList<>();

    /** A change that is sent while a copy is being filled. */
    private CompletableFuture<int[]> putting = new CompletableFuture<>();

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

    private CompletableFuture<int[]> putSynced(long sequence, long cid, String value) {
        client.flags = Durability.SYNCED.flags();
        CompletableFuture<int[]> put = client.putLater(sequence, new long[] {cid}, bytes(value));
        client.flags = 0;
        return put;
    }

    private CompletableFuture<Byte> fence(long cid, long token) {
        return client.send(
                MessageType.FENCE,
                out -> out.writeIntLE(0).writeIntLE(1).writeLongLE(cid).writeLongLE(token),
                in -> in.skipBytes(Integer.BYTES).readByte());
    }

    private String read(long cid) {
        return new String(client.get(cid).getFirst().payload(), UTF_8);
    }

    /** The answer to a later change must not count as the answer to the sync that was lost. */
    @Test
    void change_answerToASyncIsLostAfterALaterChangeWasAnswered_isSyncedAndShownAfterAll() {
        long[] cids = client.create(bytes("one"), bytes("two"));
        backup(1).holdingSyncs = true;
        CompletableFuture<int[]> synced = putSynced(2, cids[0], "ONE");
        peer.advance(TIMEOUT_NANOS / 10);
        client.sequence = 2;
        assertThat(client.put(new long[] {cids[1]}, bytes("TWO"))).containsOnly(ChunkStatus.OK);

        backup(1).unanswered.clear();
        backup(1).holdingSyncs = false;
        peer.advance(30 * SECOND_NANOS);

        CompletableFuture<int[]> retry = putSynced(2, cids[0], "ONE");
        assertThat(client.await(retry)).containsOnly(ChunkStatus.OK);
        assertThat(read(cids[0])).isEqualTo("ONE");
        assertThat(synced).isDone();
        assertThat(peer.superPeer.zone().backups()).containsExactly(BACKUPS);
    }

    @Test
    void change_syncTakesFourSeconds_waitsForItAndKeepsTheBackup() {
        long[] cids = client.create(bytes("one"), bytes("two"));
        backup(1).holdingSyncs = true;
        CompletableFuture<int[]> synced = putSynced(2, cids[0], "ONE");
        peer.advance(4 * SECOND_NANOS);

        long begun = peer.world.nowNanos();
        client.sequence = 2;
        assertThat(client.put(new long[] {cids[1]}, bytes("TWO"))).containsOnly(ChunkStatus.OK);
        assertThat(read(cids[1])).isEqualTo("TWO");
        assertThat(peer.world.nowNanos() - begun)
                .as("what need not be synced does not wait for it")
                .isLessThan(TIMEOUT_NANOS / 4);

        backup(1).holdingSyncs = false;
        backup(1).answerAll();
        assertThat(client.await(putSynced(2, cids[0], "ONE"))).containsOnly(ChunkStatus.OK);
        assertThat(synced).isDone();
        assertThat(peer.superPeer.changes).isEmpty();
    }

    @Test
    void change_backupDiesWhileItSyncs_isAnsweredOnceItIsDropped() {
        long[] cids = client.create(bytes("one"));
        backup(1).holdingSyncs = true;
        CompletableFuture<int[]> synced = putSynced(2, cids[0], "ONE");
        peer.advance(2 * SECOND_NANOS);
        assertThat(peer.superPeer.changes).isEmpty();
        backup(1).machine.kill();
        peer.advance(3 * TIMEOUT_NANOS);

        assertThat(client.await(putSynced(2, cids[0], "ONE"))).containsOnly(ChunkStatus.OK);
        assertThat(synced).isDone();
        assertThat(peer.superPeer.zone().backups()).containsExactly(BACKUPS[0], BACKUPS[2]);
    }

    @Test
    void change_backupFallsSilentWhileItSyncs_isAnsweredOnceItIsDropped() {
        long[] cids = client.create(bytes("one"));
        backup(1).holdingSyncs = true;
        CompletableFuture<int[]> synced = putSynced(2, cids[0], "ONE");
        peer.advance(2 * SECOND_NANOS);
        backup(1).silent = true;
        peer.advance(3 * TIMEOUT_NANOS);

        assertThat(client.await(putSynced(2, cids[0], "ONE"))).containsOnly(ChunkStatus.OK);
        assertThat(synced).isDone();
        assertThat(peer.superPeer.zone().backups()).containsExactly(BACKUPS[0], BACKUPS[2]);
    }

    @Test
    void change_diskNeverComesBackFromASync_backupIsDropped() {
        long[] cids = client.create(bytes("one"));
        backup(1).holdingSyncs = true;
        var _ = putSynced(2, cids[0], "ONE");
        peer.advance(30 * SECOND_NANOS);

        assertThat(client.await(putSynced(2, cids[0], "ONE"))).containsOnly(ChunkStatus.OK);
        assertThat(peer.superPeer.zone().backups()).containsExactly(BACKUPS[0], BACKUPS[2]);
    }

    /**
     * A backup that must open its copy again waits for its disk. A slow answer does not mean that the backup is gone.
     */
    @Test
    void open_memberTakesFourSecondsToOpenItsCopy_staysAMember() {
        long[] cids = client.create(bytes("one"));
        backup(1).holdingOpenings = true;
        peer.superPeer.place(BACKUPS);
        peer.superPeer.zonesMark = 7;
        peer.advance(peer.superPeer.leaseNanos);
        CompletableFuture<int[]> put = client.putLater(2, cids, bytes("ONE"));
        peer.advance(SECOND_NANOS);
        assertThat(put).isNotDone();
        peer.advance(2 * SECOND_NANOS);
        assertThat(backup(1).unanswered).isNotEmpty();

        backup(1).holdingOpenings = false;
        backup(1).answerAll();
        assertThat(client.await(client.putLater(2, cids, bytes("ONE")))).containsOnly(ChunkStatus.OK);
        assertThat(peer.superPeer.zone().backups()).containsExactly(BACKUPS);
        assertThat(peer.superPeer.changes).isEmpty();
    }

    /** Taking a client lock does not change the contents of any chunk, so reads need not wait for it. */
    @Test
    void get_fenceIsNotSyncedYet_doesNotWait() {
        long[] cids = client.create(bytes("locked"), bytes("other"));
        backups.forEach(each -> each.holdingSyncs = true);
        CompletableFuture<Byte> fence = fence(cids[0], 7);
        peer.advance(TIMEOUT_NANOS / 10);
        long begun = peer.world.nowNanos();

        assertThat(read(cids[0])).isEqualTo("locked");
        assertThat(read(cids[1])).isEqualTo("other");

        assertThat(peer.world.nowNanos() - begun).isLessThan(TIMEOUT_NANOS / 4);
        assertThat(fence).isNotDone();
    }

    @Test
    void get_anotherChunkIsBeingSynced_doesNotWait() {
        long[] cids = client.create(bytes("one"), bytes("two"));
        client.put(new long[] {cids[1]}, bytes("TWO"));
        backup(1).holdingSyncs = true;
        CompletableFuture<int[]> synced = putSynced(3, cids[0], "ONE");
        peer.advance(TIMEOUT_NANOS / 10);
        CompletableFuture<List<RawClient.Got>> hidden = client.getLater(cids[0]);
        long begun = peer.world.nowNanos();

        assertThat(read(cids[1])).isEqualTo("TWO");

        assertThat(peer.world.nowNanos() - begun).isLessThan(TIMEOUT_NANOS / 4);
        assertThat(hidden).as("what is to be synced is not shown before").isNotDone();
        assertThat(synced).isNotDone();
    }

    /** A name is given after such a fence: it must not survive a loss of power that its chunk does not survive. */
    @Test
    void fence_withoutAToken_waitsForTheSyncOfTheChunkAndHidesNothing() {
        long[] cids = client.create(bytes("one"), bytes("other"));
        backups.forEach(each -> each.holdingSyncs = true);

        CompletableFuture<Byte> fence = fence(cids[0], 0);
        peer.advance(TIMEOUT_NANOS / 10);
        assertThat(fence).as("no backup has synced the chunk").isNotDone();
        assertThat(read(cids[0])).isEqualTo("one");
        assertThat(read(cids[1])).isEqualTo("other");

        backups.forEach(each -> {
            each.holdingSyncs = false;
            each.answerAll();
        });
        assertThat(client.await(fence)).isEqualTo((byte) ChunkStatus.OK);
        int asked = backup(0).syncRequests;
        assertThat(client.await(fence(cids[1], 0))).isEqualTo((byte) ChunkStatus.OK);
        assertThat(backup(0).syncRequests)
                .as("what is synced is not synced again")
                .isEqualTo(asked);
    }

    /** Fills a backup that has synced what it was filled with, but has what came after that only in memory. */
    private AnsweringBackup fillWithoutItsLastChange(long[] cids, long sequence) {
        backup(0).machine.kill();
        client.put(new long[] {cids[0]}, bytes("before"));
        AnsweringBackup fresh = new AnsweringBackup(peer.world, peer.superPeer, 0xF000);
        fresh.holdingFilled = true;
        fresh.holdingSyncs = true;
        client.await(client.call(MessageType.FILL_COPY, peer.superPeer.fillOrder(fresh)));
        peer.advanceUntil(() -> !fresh.unanswered.isEmpty());
        Runnable filled = fresh.unanswered.removeFirst();
        putting = putSynced(sequence, cids[0], "synced");
        peer.advance(TIMEOUT_NANOS / 10);
        assertThat(fresh.replay(ZONE)).as("the new backup has it in memory").containsEntry(cids[0], "synced");
        filled.run();
        peer.advance(TIMEOUT_NANOS / 2);
        return fresh;
    }

    @Test
    void change_newBackupHasItInMemoryWhenItIsFilled_isAnsweredOnceItIsOnThatDiskToo() {
        long[] cids = client.create(bytes("one"));
        backup(1).holdingSyncs = true;
        AnsweringBackup fresh = fillWithoutItsLastChange(cids, 3);

        backup(1).holdingSyncs = false;
        backup(1).answerAll();
        peer.advance(TIMEOUT_NANOS / 2);
        assertThat(putting).as("answers wait for the new backup").isNotDone();

        fresh.holdingSyncs = false;
        fresh.answerAll();
        assertThat(client.await(putting)).containsOnly(ChunkStatus.OK);
        peer.advanceUntil(() -> peer.superPeer.zone().backupCount() == 3);
    }

    /** If all lost their power after that, something would be lost that was promised to be on all disks. */
    @Test
    void change_answeredBeforeTheNewBackupHasSyncedIt_isOnThatDiskBeforeItBecomesAMember() {
        long[] cids = client.create(bytes("one"));
        AnsweringBackup fresh = fillWithoutItsLastChange(cids, 3);

        assertThat(client.await(putting)).as("by the other members").containsOnly(ChunkStatus.OK);
        peer.advance(10 * TIMEOUT_NANOS);
        assertThat(peer.superPeer.zone().backups()).containsExactly(BACKUPS[1], BACKUPS[2]);

        fresh.holdingSyncs = false;
        fresh.answerAll();
        peer.advanceUntil(() -> peer.superPeer.zone().backupCount() == 3);
    }
}
