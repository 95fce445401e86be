package dev.granary.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MigrationMessages.DrainPeer;
import dev.granary.net.message.MigrationMessages.MigrationData;
import dev.granary.net.message.MigrationMessages.RunMigration;
import dev.granary.net.message.MigrationMessages.RunMigrationReply;
import dev.granary.net.message.RecoveryMessages.Holdings;
import dev.granary.net.message.RecoveryMessages.ReportHoldings;
import dev.granary.overlay.Cid;
import dev.granary.overlay.HostAddress;
import dev.granary.storage.migrate.Migrations;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which migrations from and to a storage peer {@link Migrations} begin. The other side is never there. */
class MigrationsTest {

    private static final int NID = AnsweringSuperPeer.STORAGE_NID;
    private static final int OTHER = 0x4000;
    private static final HostAddress NOBODY = new HostAddress("nobody", 7500);
    private static final int CHUNKS = 10;

    private final NodeFixture peer = new NodeFixture();

    @AfterEach
    void close() {
        peer.close();
        assertThat(peer.failures).isEmpty();
    }

    private RawClient started() {
        peer.ready();
        RawClient client = peer.client();
        byte[][] payloads = new byte[CHUNKS][8];
        assertThat(client.create(payloads)[0]).isEqualTo(Cid.of(NID, 1));
        return client;
    }

    private static RunMigration order(long number, int creator, long firstLid, long lastLid, long sourceEpoch) {
        return new RunMigration(
                creator, number, Cid.of(creator, firstLid), Cid.of(creator, lastLid), sourceEpoch, OTHER, 1, NOBODY);
    }

    private static RunMigrationReply run(RawClient client, RunMigration order) {
        return client.await(client.call(MessageType.RUN_MIGRATION, order));
    }

    /** The migrations that the peer says to be under way. */
    private static List<Holdings.Move> moves(RawClient client) {
        ReportHoldings ask = new ReportHoldings(NodeFixture.SUPER_PEER, 0);
        return client.await(client.call(MessageType.REPORT_HOLDINGS, ask)).moves();
    }

    private static void assertRefused(RawClient client, RunMigration order, String why) {
        RunMigrationReply reply = run(client, order);
        assertThat(reply.failed()).isTrue();
        assertThat(reply.note()).contains(why);
    }

    @Test
    void run_outOfDateOrNotOfThisPeer_isRefusedAndNothingBegins() {
        RawClient client = started();
        assertRefused(client, order(1, NID, 1, 2, 2), "is another incarnation now");
        assertRefused(client, order(2, NID, 3, 2, 1), "not of one creator");
        assertRefused(client, order(3, NID, 1, Migrations.MAX_LIDS + 1, 1), "has more than 131072 LIDs");
        RunMigration ofTwo = new RunMigration(NID, 4, Cid.of(OTHER, 1), Cid.of(NID, 1), 1, OTHER, 1, NOBODY);
        assertRefused(client, ofTwo, "not of one creator");
        assertRefused(client, order(5, NID, 1, CHUNKS + 100_000, 1), "beyond the chunks that there are");
        assertRefused(client, order(6, OTHER, 1, 2, 1), "does not own the whole range");
        assertThat(moves(client)).isEmpty();
        assertThat(client.get(Cid.of(NID, 1)).getFirst().result()).isEqualTo(8);
    }

    @Test
    void run_repeatedOrder_isTheSameMigration() {
        RawClient client = started();
        for (int i = 0; i < 3; i++) {
            assertThat(run(client, order(1, NID, 1, 2, 1)).failed()).isFalse();
            assertThat(moves(client)).singleElement().satisfies(move -> assertThat(move.number())
                    .isEqualTo(1));
        }
    }

    @Test
    void run_rangeIsLeavingAlready_isNotBegunYet() {
        RawClient client = started();
        run(client, order(1, NID, 1, 3, 1));
        assertThat(run(client, order(2, NID, 3, 5, 1))).isEqualTo(new RunMigrationReply(false, 0, 0, ""));
        assertThat(moves(client)).hasSize(1);
    }

    @Test
    void run_moreThanFourAtOnce_theFifthIsNotBegunYet() {
        RawClient client = started();
        for (int i = 1; i <= 5; i++) {
            assertThat(run(client, order(i, NID, i, i, 1)).failed()).isFalse();
        }
        assertThat(moves(client)).extracting(Holdings.Move::number).containsExactly(1L, 2L, 3L, 4L);
    }

    @Test
    void run_targetIsNotThere_givesUpAndTellsTheSameOutcomeFromThenOn() {
        RawClient client = started();
        run(client, order(1, NID, 1, 2, 1));
        peer.advanceUntil(() -> run(client, order(1, NID, 1, 2, 1)).failed());
        RunMigrationReply outcome = run(client, order(1, NID, 1, 2, 1));
        assertThat(outcome.failed()).isTrue();
        assertThat(outcome.note()).isNotEmpty();
        assertThat(moves(client)).isEmpty();
        assertThat(client.delete(Cid.of(NID, 1))).as("the chunks stay here").containsExactly(0);
    }

    private static CompletableFuture<Boolean> send(RawClient client, MigrationData header) {
        return client.send(
                MessageType.MIGRATION_DATA,
                out -> {
                    header.writeTo(out);
                    out.writeIntLE(0).writeIntLE(0).writeLongLE(0).writeIntLE(0);
                },
                in -> true);
    }

    private static MigrationData data(int creator, long firstLid, long lastLid, long targetEpoch, int step, int flags) {
        return new MigrationData(
                creator, 1, Cid.of(creator, firstLid), Cid.of(creator, lastLid), OTHER, targetEpoch, step, flags);
    }

    @Test
    void take_notTheBeginningOfAMigrationToThisIncarnation_isNotKnown() {
        RawClient client = started();
        for (MigrationData unknown : List.of(
                data(OTHER, 1, 5, 1, 1, 0),
                data(OTHER, 1, 5, 2, 0, 0),
                data(OTHER, 1, 5, 1, 0, MigrationData.FLAG_READ))) {
            assertThat(client.errorOf(send(client, unknown))).isEqualTo(ErrorCode.NOT_FOUND);
        }
        assertThat(moves(client)).isEmpty();
    }

    @Test
    void take_rangeThatCannotCome_isABadRequest() {
        RawClient client = started();
        for (MigrationData wrong : List.of(
                data(NID, 1, 5, 1, 0, 0),
                data(OTHER, 5, 4, 1, 0, 0),
                data(OTHER, 1, Migrations.MAX_LIDS + 1, 1, 0, 0))) {
            assertThat(client.errorOf(send(client, wrong))).isEqualTo(ErrorCode.BAD_REQUEST);
        }
        assertThat(moves(client)).isEmpty();
        assertThat(client.get(Cid.of(NID, 1)).getFirst().result()).isEqualTo(8);
    }

    /** Without a lease this incarnation may have been replaced: what it takes would be lost at once. */
    @Test
    void take_noLease_comesLater() {
        RawClient client = started();
        peer.cutSuperPeer();
        peer.advance(2 * peer.superPeer.leaseNanos);
        assertThat(client.errorOf(send(client, data(OTHER, 1, 5, 1, 0, 0)))).isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(moves(client)).isEmpty();
    }

    @Test
    void drain_ofThisIncarnation_nothingComesUntilItIsOver() {
        RawClient client = started();
        client.await(client.call(MessageType.DRAIN_PEER, new DrainPeer(2, true)));
        assertThat(client.create(new byte[8]))
                .as("another incarnation was meant")
                .hasSize(1);
        client.await(client.call(MessageType.DRAIN_PEER, new DrainPeer(1, true)));
        assertThat(client.errorOf(send(client, data(OTHER, 1, 5, 1, 0, 0)))).isEqualTo(ErrorCode.DRAINING);
        assertThat(client.errorOf(client.createLater(500, 0, new byte[8]))).isEqualTo(ErrorCode.DRAINING);
        client.await(client.call(MessageType.DRAIN_PEER, new DrainPeer(1, false)));
        assertThat(client.await(client.createLater(501, 0, new byte[8]))).hasSize(1);
    }

    @Test
    void requests_itDoesNotServeYet_comeLater() {
        peer.superPeer.unanswered.add(MessageType.OPEN_LEASE.code());
        RawClient client = peer.start().client();
        assertThat(client.errorOf(client.call(MessageType.RUN_MIGRATION, order(1, NID, 1, 2, 1))))
                .isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(client.errorOf(client.call(MessageType.DRAIN_PEER, new DrainPeer(1, true))))
                .isEqualTo(ErrorCode.RETRY_LATER);
    }
}
