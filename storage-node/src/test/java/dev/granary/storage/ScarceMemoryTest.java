package dev.granary.storage;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Changes that find no buffers, and changes that end half-way: memory and logs stay equal. */
class ScarceMemoryTest {

    private static final int ZONE = AnsweringSuperPeer.STORAGE_NID << 15 | 1;
    private static final int[] BACKUPS = {0xA000, 0xC000};
    private static final long MILLI = 1_000_000;

    private final NodeFixture peer = new NodeFixture();
    private final List<AnsweringBackup> backups = new ArrayList<>();

    @SuppressWarnings("NullAway.Init") // before each test
    private RawClient client;

    private long[] cids = {};

    @BeforeEach
    void startWithTwoBackups() {
        for (int nid : BACKUPS) {
            backups.add(new AnsweringBackup(peer.world, peer.superPeer, nid));
        }
        peer.superPeer.wantedCopies = 2;
        peer.superPeer.place(BACKUPS);
        peer.ready();
        client = peer.client();
        cids = client.create(bytes("one"), bytes("two"));
    }

    @AfterEach
    void close() {
        peer.close();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private void assertLogs(Map<Long, String> expected) {
        peer.advance(50 * MILLI);
        backups.forEach(backup -> assertThat(backup.replay(ZONE)).isEqualTo(expected));
    }

    @Test
    void change_noBufferForItsBatch_isRefusedAndChangesNothing() {
        long lidMark = peer.memory().lidMark();
        peer.transport().buffersLeft = 0;

        assertThat(client.errorOf(client.putLater(2, cids, bytes("ONE"), bytes("TWO"))))
                .isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(client.errorOf(client.deleteLater(3, cids))).isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(client.errorOf(client.createLater(4, 0, bytes("more")))).isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(client.get(cids[0]).getFirst().payload()).isEqualTo(bytes("one"));
        assertThat(peer.memory().lidMark()).isEqualTo(lidMark);

        peer.transport().buffersLeft = Integer.MAX_VALUE;
        assertThat(client.await(client.putLater(2, cids, bytes("ONE"), bytes("TWO"))))
                .containsOnly(ChunkStatus.OK);
        assertLogs(Map.of(cids[0], "ONE", cids[1], "TWO"));
    }

    /** Changes have small answers, so they go on. */
    @Test
    void get_moreIsUnsentThanThereIsRoom_isRefusedUntilItIsSent() {
        peer.transport().unsentBytes = 300 << 20;
        peer.advance(10 * MILLI);

        assertThat(client.errorOf(client.getLater(cids))).isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(peer.sample("granary_memory_plan_used_bytes", "area", "direct", "share", "outbound-frames"))
                .isEqualTo(300 << 20);
        client.sequence = 1;
        assertThat(client.put(cids, bytes("ONE"), bytes("TWO"))).containsOnly(ChunkStatus.OK);

        peer.transport().unsentBytes = 0;
        peer.advance(10 * MILLI);
        assertThat(client.get(cids[0]).getFirst().payload()).isEqualTo(bytes("ONE"));
    }

    /** A chunk that occurs twice in a request ends a batch; no room is reserved for the second batch beforehand. */
    @Test
    void change_noBufferForItsSecondBatch_isLoggedAllTheSame() {
        peer.transport().buffersLeft = 1;
        CompletableFuture<int[]> put =
                client.putLater(2, new long[] {cids[0], cids[1], cids[0]}, bytes("ONE"), bytes("TWO"), bytes("1"));
        peer.advance(20 * MILLI);
        peer.transport().buffersLeft = Integer.MAX_VALUE;

        assertThat(client.await(put)).containsOnly(ChunkStatus.OK);
        assertLogs(Map.of(cids[0], "1", cids[1], "TWO"));
    }

    /** Each request to a backup takes one of a few places, even if it could not be made. */
    @Test
    void change_noBuffersForRequestsToBackups_isSentOnceThereAreSome() {
        peer.transport().buffersLeft = 1;
        CompletableFuture<int[]> put = client.putLater(2, cids, bytes("ONE"), bytes("TWO"));
        peer.advance(200 * MILLI);
        assertThat(put).isNotDone();

        peer.transport().buffersLeft = Integer.MAX_VALUE;
        assertThat(client.await(put)).containsOnly(ChunkStatus.OK);
        assertThat(peer.superPeer.changes).isEmpty();
        assertLogs(Map.of(cids[0], "ONE", cids[1], "TWO"));
    }

    @Test
    void adopt_noBuffersForWhatIsSentAgain_goesOnInTheNewEpoch() {
        backups.forEach(backup -> backup.holding = true);
        CompletableFuture<int[]> put = client.putLater(2, cids, bytes("ONE"), bytes("TWO"));
        peer.advance(20 * MILLI);
        peer.superPeer.place(BACKUPS);
        peer.superPeer.zonesMark = 7;
        peer.transport().buffersLeft = 8;
        peer.advance(peer.superPeer.leaseNanos / 2);
        peer.transport().buffersLeft = Integer.MAX_VALUE;
        backups.forEach(backup -> backup.holding = false);
        backups.forEach(AnsweringBackup::answerAll);

        peer.advance(2_000 * MILLI);
        assertThat(client.await(client.putLater(2, cids, bytes("ONE"), bytes("TWO"))))
                .containsOnly(ChunkStatus.OK);
        assertThat(put).isDone();
        assertThat(backups.getFirst().copy(ZONE).epoch)
                .isEqualTo(peer.superPeer.zone().epoch());
        assertLogs(Map.of(cids[0], "ONE", cids[1], "TWO"));
    }

    /** When a delete of many chunks ends with an error, what it has deleted must not come back from the logs. */
    @Test
    void delete_endsHalfWay_whatIsDeletedIsDeletedInTheLogs() {
        peer.afterDeletes = () -> {
            peer.afterDeletes = () -> {};
            throw new IllegalStateException("half-way");
        };

        assertThat(client.errorOf(client.deleteLater(2, cids))).isEqualTo(ErrorCode.INTERNAL);

        assertThat(client.get(cids[0]).getFirst().result()).isEqualTo(-ChunkStatus.NOT_FOUND);
        assertLogs(Map.of());
    }
}
