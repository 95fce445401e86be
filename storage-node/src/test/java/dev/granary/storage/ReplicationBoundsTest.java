package dev.granary.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MigrationMessages.MigrationData;
import dev.granary.overlay.Cid;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.storage.replicate.ReplicationBounds;
import dev.granary.storage.replicate.ReplicationConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What waits for backups, and what is in flight to them, stays within its shares of the memory plan. */
class ReplicationBoundsTest {

    private static final int ZONE = AnsweringSuperPeer.STORAGE_NID << 15 | 1;
    private static final int[] BACKUPS = {0xA000, 0xC000};
    private static final int CREATOR = 0x9000;
    private static final int SOURCE = 0xB000;
    private static final long MILLI = 1_000_000;
    private static final int LARGE = 60_000;

    private final NodeFixture peer = new NodeFixture();
    private final List<AnsweringBackup> backups = new ArrayList<>();

    @SuppressWarnings("NullAway.Init") // by each test
    private RawClient client;

    private long[] cids = {};

    /** Starts a peer with two chunks. */
    private void start(long pendingBytes, long largestBytes, long shippedBytes) {
        ReplicationConfig usual = ReplicationConfig.defaults();
        peer.replication = new ReplicationConfig(
                usual.durability(),
                usual.timeoutNanos(),
                usual.requestBytes(),
                usual.requestsInFlight(),
                new ReplicationBounds(pendingBytes, largestBytes, 1 << 20, shippedBytes, 1 << 20));
        for (int nid : BACKUPS) {
            backups.add(new AnsweringBackup(peer.world, peer.superPeer, nid));
        }
        peer.superPeer.wantedCopies = 2;
        peer.superPeer.place(BACKUPS);
        peer.ready();
        client = peer.client();
        cids = client.create(new byte[] {1}, new byte[] {2});
        peer.superPeer.keepsMembers = true;
    }

    @AfterEach
    void close() {
        peer.close();
    }

    private double used(String share) {
        return peer.sample("granary_memory_plan_used_bytes", "area", "direct", "share", share);
    }

    @Test
    void put_moreThanMayWaitForBackups_isRefusedUntilTheyHaveTheRest() {
        start(100_000, 1 << 20, 1 << 20);
        backups.forEach(backup -> backup.silent = true);
        var first = client.putLater(2, new long[] {cids[0]}, new byte[LARGE]);
        peer.advance(20 * MILLI);
        assertThat(used("pending-batches")).isBetween((double) LARGE, 100_000.0);

        assertThat(client.errorOf(client.putLater(3, new long[] {cids[1]}, new byte[LARGE])))
                .isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(used("pending-batches")).isLessThan(100_000);
        assertThat(client.get(cids[1]).getFirst().payload()).hasSize(1);

        backups.forEach(backup -> backup.silent = false);
        peer.advance(2_000 * MILLI);
        assertThat(client.await(client.putLater(3, new long[] {cids[1]}, new byte[LARGE])))
                .containsOnly(ChunkStatus.OK);
        assertThat(first).isDone();
        assertThat(used("pending-batches")).isZero();
    }

    @Test
    void move_bringsMoreThanMayWaitForBackups_isRefusedUntilTheyHaveTheRest() {
        start(100_000, 1 << 20, 1 << 20);
        AnsweringBackup backup = backups.getFirst();
        peer.superPeer.zone = new Placement(
                AnsweringSuperPeer.STORAGE_NID, new int[] {backup.nid}, 1, CREATOR << 15 | 1, PlacementState.IN_SYNC);
        client.errorOf(take(0));
        peer.advance(500 * MILLI);
        backup.silent = true;
        assertThat(client.await(take(0))).isTrue();
        assertThat(used("pending-batches")).isBetween((double) LARGE, 100_000.0);

        assertThat(client.errorOf(take(1))).isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(used("pending-batches")).isLessThan(100_000);
        assertThat(peer.memory().sizeOf(Cid.of(CREATOR, 9)))
                .as("nothing was changed")
                .isNegative();
        assertThat(client.await(take(0))).as("a taken step needs no room").isTrue();

        backup.silent = false;
        peer.advance(2_000 * MILLI);
        assertThat(client.await(take(1))).isTrue();
        peer.advance(2_000 * MILLI);
        assertThat(used("pending-batches")).isZero();
        assertThat(backup.replay(CREATOR << 15 | 1)).hasSize(2);
    }

    /** Sends the peer a step of a migration, with one chunk. */
    private CompletableFuture<Boolean> take(int step) {
        long start = Cid.of(CREATOR, 8);
        MigrationData header = new MigrationData(CREATOR, 1, start, start + 7, SOURCE, peer.superPeer.epoch, step, 0);
        return client.send(
                MessageType.MIGRATION_DATA,
                out -> {
                    header.writeTo(out);
                    out.writeIntLE(1).writeLongLE(start + step).writeIntLE(LARGE);
                    out.writeBytes(new byte[LARGE]);
                    out.writeIntLE(0).writeLongLE(0).writeIntLE(0);
                },
                in -> true);
    }

    @Test
    void put_largerThanMayWaitWhileNothingWaits_isTaken() {
        start(1_000, 1 << 20, 1 << 20);

        assertThat(client.put(new long[] {cids[0]}, new byte[LARGE])).containsOnly(ChunkStatus.OK);
    }

    @Test
    void change_largerThanAllRoom_isRefusedForGoodAndChangesNothing() {
        start(50_000, 50_000, 1 << 20);
        long lidMark = peer.memory().lidMark();

        assertThat(client.errorOf(client.putLater(2, cids, new byte[LARGE / 2], new byte[LARGE / 2])))
                .isEqualTo(ErrorCode.TOO_LARGE);
        assertThat(client.errorOf(client.createLater(3, 0, new byte[LARGE]))).isEqualTo(ErrorCode.TOO_LARGE);
        assertThat(client.errorOf(client.createZeroedLater(4, LARGE / 2, LARGE / 2)))
                .as("the zeros are sent to the backups")
                .isEqualTo(ErrorCode.TOO_LARGE);

        assertThat(client.get(cids[0]).getFirst().payload()).hasSize(1);
        assertThat(peer.memory().lidMark()).isEqualTo(lidMark);
        client.sequence = 10;
        assertThat(client.put(cids, new byte[LARGE / 4], new byte[LARGE / 4])).containsOnly(ChunkStatus.OK);
    }

    @Test
    void put_aBackupIsSilentWithWhatIsOnItsWay_theOtherGetsEverything() {
        start(1 << 20, 1 << 20, 150_000);
        AnsweringBackup silent = backups.getFirst();
        AnsweringBackup other = backups.getLast();
        silent.holding = true;
        List<CompletableFuture<int[]>> puts = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            puts.add(client.putLater(2L + i, new long[] {cids[i % 2]}, new byte[LARGE + i]));
            peer.advance(15 * MILLI);
            assertThat(used("shipments")).isLessThanOrEqualTo(150_000);
        }
        peer.advance(40 * MILLI);

        assertThat(other.copy(ZONE).last).isEqualTo(6);
        assertThat(silent.copy(ZONE).last)
                .as("half of all room is for the others")
                .isEqualTo(2);
        silent.holding = false;
        silent.answerAll();
        puts.forEach(put -> assertThat(client.await(put)).containsOnly(ChunkStatus.OK));
        assertThat(silent.copy(ZONE).last).isEqualTo(6);
        assertThat(used("shipments")).isZero();
    }
}
