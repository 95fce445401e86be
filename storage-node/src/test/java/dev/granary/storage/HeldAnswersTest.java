package dev.granary.storage;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.ErrorCode;
import dev.granary.storage.replicate.ReplicationBounds;
import dev.granary.storage.replicate.ReplicationConfig;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Answers that wait for backups: how long, for whom, and how many bytes of them. */
class HeldAnswersTest {

    private static final int[] BACKUPS = {0xA000, 0xC000};
    private static final long MILLI = 1_000_000;

    private final NodeFixture peer = new NodeFixture();
    private final List<AnsweringBackup> backups = new ArrayList<>();

    @SuppressWarnings("NullAway.Init") // before each test
    private RawClient client;

    private long[] cids = {};

    /** Starts with a change that no backup answers; the arc does not let the owner go on without a backup. */
    @BeforeEach
    void startWithAnUnansweredChange() {
        ReplicationConfig usual = ReplicationConfig.defaults();
        peer.replication = new ReplicationConfig(
                usual.durability(),
                usual.timeoutNanos(),
                usual.requestBytes(),
                usual.requestsInFlight(),
                new ReplicationBounds(1 << 20, 1 << 20, 64 << 10, 1 << 20, 1 << 20));
        for (int nid : BACKUPS) {
            backups.add(new AnsweringBackup(peer.world, peer.superPeer, nid));
        }
        peer.superPeer.wantedCopies = 2;
        peer.superPeer.place(BACKUPS);
        peer.ready();
        client = peer.client();
        cids = client.create("old".getBytes(UTF_8), new byte[20_000]);
        peer.superPeer.keepsMembers = true;
        backups.forEach(backup -> backup.silent = true);
        var _ = client.putLater(2, new long[] {cids[0]}, "new".getBytes(UTF_8));
        peer.advance(20 * MILLI);
    }

    @AfterEach
    void close() {
        peer.close();
    }

    private double heldBytes() {
        peer.advance(60 * MILLI);
        return peer.sample("granary_storage_held_reply_bytes");
    }

    @Test
    void get_backupsDoNotAnswer_isToldToAskAgain() {
        CompletableFuture<?> get = client.getLater(cids[0]);
        peer.advance(400 * MILLI);
        assertThat(get).isNotDone();
        assertThat(heldBytes())
                .isPositive()
                .isEqualTo(peer.sample("granary_memory_plan_used_bytes", "area", "direct", "share", "held-answers"));

        peer.advance(200 * MILLI);
        assertThat(get).isCompletedExceptionally();
        assertThat(client.errorOf(get)).isEqualTo(ErrorCode.RETRY_LATER);
    }

    @Test
    void change_backupsDoNotAnswer_isToldThatItsOutcomeIsNotKnownYet() {
        CompletableFuture<int[]> repeated = client.putLater(2, new long[] {cids[0]}, "new".getBytes(UTF_8));
        peer.advance(2_200 * MILLI);

        assertThat(client.errorOf(repeated)).isEqualTo(ErrorCode.UNKNOWN_OUTCOME);
        assertThat(heldBytes()).isZero();
        backups.forEach(backup -> backup.silent = false);
        peer.advance(2_000 * MILLI);
        assertThat(client.await(client.putLater(2, new long[] {cids[0]}, "new".getBytes(UTF_8))))
                .containsOnly(ChunkStatus.OK);
    }

    @Test
    void get_connectionIsClosed_givesBackWhatItHeld() {
        double before = heldBytes();
        RawClient other = peer.otherClient();
        var _ = other.getLater(cids);
        peer.advance(20 * MILLI);
        assertThat(heldBytes()).isGreaterThan(before + 20_000);

        other.machine().kill();
        peer.advance(50 * MILLI);

        assertThat(heldBytes()).isEqualTo(before);
    }

    @Test
    void get_tooMuchIsHeld_isToldToAskAgainAtOnceAndSoAreChanges() {
        for (int i = 0; i < 3; i++) {
            var _ = client.getLater(cids);
        }
        for (int i = 0; i < 1_000; i++) {
            var _ = client.getLater(cids[0]);
        }
        peer.advance(20 * MILLI);
        assertThat(heldBytes()).isBetween(63.0 * 1024, 64.0 * 1024);

        CompletableFuture<?> get = client.getLater(cids);
        long[] many = new long[2_000];
        Arrays.fill(many, cids[1]);
        byte[][] payloads = new byte[many.length][1];
        CompletableFuture<int[]> put = client.putLater(3, many, payloads);
        peer.advance(20 * MILLI);

        assertThat(client.errorOf(get)).isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(client.errorOf(put)).isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(client.get(cids[1]).getFirst().payload())
                .as("unchanged, and can be read")
                .hasSize(20_000);
    }
}
