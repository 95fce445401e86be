package dev.granary.superpeer.migration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MigrationMessages.AbortMigration;
import dev.granary.net.message.MigrationMessages.AskMigration;
import dev.granary.net.message.MigrationMessages.CommitMigration;
import dev.granary.net.message.MigrationMessages.EndMigration;
import dev.granary.net.message.MigrationMessages.Migrate;
import dev.granary.net.message.MigrationMessages.MigrationReply;
import dev.granary.net.message.MigrationMessages.MigrationState;
import dev.granary.net.message.MigrationMessages.RunMigration;
import dev.granary.net.message.MigrationMessages.RunMigrationReply;
import dev.granary.net.message.RangeMessages.AwayRanges;
import dev.granary.net.message.RangeMessages.RangeList;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.SlotGroup;
import dev.granary.superpeer.LoneArc;
import dev.granary.superpeer.LoneNode;
import dev.granary.superpeer.LoneNode.Answers;
import dev.granary.superpeer.peer.PeerFacts;
import dev.granary.superpeer.state.arc.SlotGroupCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MigrationServiceTest {

    private static final int A = 0x8000;
    private static final int B = 0x4000;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final Migrate TO_B = new Migrate(Cid.of(A, 10), Cid.of(A, 19), B);

    private final LoneArc arc = new LoneArc(0);
    private final MigrationService migrations = new MigrationService(
            arc.lone.node(),
            arc.state,
            arc::commit,
            arc.service,
            arc.arcs,
            new PeerFacts(arc.lone.node(), arc.arcs),
            arc.catalog,
            arc.planner);
    private final Answers source = storagePeer(A);
    private final List<RunMigration> orders = new ArrayList<>();
    private final Map<Integer, EndMigration> ends = new TreeMap<>();
    private RunMigrationReply progress = new RunMigrationReply(false, 1, 8, "");

    MigrationServiceTest() {
        arc.serve(A, source);
        arc.serve(B, storagePeer(B));
        arc.open(A, 1);
        arc.open(B, 1);
        arc.lone.answer(MessageType.MIGRATE, migrations::migrate);
        arc.lone.answer(MessageType.COMMIT_MIGRATION, migrations::commit);
        arc.lone.answer(MessageType.ABORT_MIGRATION, migrations::abort);
        arc.lone.answer(MessageType.ASK_MIGRATION, migrations::ask);
        arc.lone.answer(MessageType.ASK_PEER, migrations::askPeer);
        arc.lone.answer(MessageType.AWAY_RANGES, migrations::awayRanges);
        arc.lone.run(arc::begin);
        arc.lone.runFor(SECOND / 10);
        arc.committed.clear();
    }

    private Answers storagePeer(int nid) {
        return new Answers()
                .to(MessageType.RUN_MIGRATION, order -> {
                    orders.add(order);
                    return progress;
                })
                .to(MessageType.END_MIGRATION, end -> {
                    ends.put(nid, end);
                    return new Empty();
                });
    }

    @AfterEach
    void nothingFailed() {
        assertThat(arc.lone.failures).isEmpty();
    }

    private MigrationReply migrate() {
        return arc.lone.reply(MessageType.MIGRATE, TO_B);
    }

    private MigrationReply ask(long number) {
        return arc.lone.reply(MessageType.ASK_MIGRATION, new AskMigration(A, number));
    }

    private ErrorCode refusal(long startCid, long endCidInclusive, int target) {
        return arc.lone
                .refusal(MessageType.MIGRATE, new Migrate(startCid, endCidInclusive, target))
                .code();
    }

    private int ownerOf(long lid) {
        return Objects.requireNonNull(arc.state.find(Cid.of(A, lid)))
                .placement()
                .owner();
    }

    @Test
    void migrate_chunksOfOneOwner_sourceIsToldUntilItsTargetHasThem() {
        MigrationReply begun = migrate();
        assertThat(begun.state()).isEqualTo(MigrationState.RUNNING);
        arc.lone.runFor(SECOND / 10);
        assertThat(orders)
                .containsExactly(new RunMigration(
                        A, begun.number(), Cid.of(A, 10), Cid.of(A, 19), 1, B, 1, LoneNode.address("p" + B)));
        assertThat(ownerOf(10)).isEqualTo(A);

        CommitMigration commit = new CommitMigration(A, begun.number(), A, 1);
        MigrationReply committed = arc.lone.reply(MessageType.COMMIT_MIGRATION, commit);

        assertThat(committed.state()).isEqualTo(MigrationState.COMMITTED);
        assertThat(ownerOf(10)).isEqualTo(B);
        assertThat(ownerOf(9)).isEqualTo(A);
        assertThat(arc.lone.reply(MessageType.COMMIT_MIGRATION, commit))
                .as("once more")
                .isEqualTo(committed);
        assertThat(ask(begun.number())).isEqualTo(committed);
        RangeList away = arc.lone.reply(MessageType.AWAY_RANGES, new AwayRanges(A, Cid.firstOf(A)));
        assertThat(away.nextCid()).isZero();
        assertThat(away.ranges()).extracting(CidRange::startCid).containsExactly(Cid.of(A, 10));
    }

    @Test
    void migrate_targetOwnsTheChunks_isDoneAlready() {
        assertThat(arc.lone.reply(MessageType.MIGRATE, new Migrate(Cid.of(A, 10), Cid.of(A, 19), A)))
                .isEqualTo(new MigrationReply(A, 0, MigrationState.COMMITTED, 1, ""));
        assertThat(arc.committed).isEmpty();
    }

    /** The answer was late, or two plans have the same move: the request is for the migration that runs. */
    @Test
    void migrate_sameMigrationRuns_isAnsweredWithIt() {
        MigrationReply begun = migrate();
        assertThat(migrate()).isEqualTo(begun);
        assertThat(arc.committed).hasSize(1);
        assertThat(refusal(Cid.of(A, 10), Cid.of(A, 18), B))
                .as("another span of the same chunks")
                .isEqualTo(ErrorCode.RETRY_LATER);
    }

    @Test
    void migrate_whatCannotBeMoved_isRefused() {
        assertThat(refusal(Cid.of(A, 10), Cid.of(B, 19), B)).isEqualTo(ErrorCode.BAD_REQUEST);
        assertThat(refusal(Cid.of(A, 10), Cid.of(A, 9), B)).isEqualTo(ErrorCode.BAD_REQUEST);
        assertThat(refusal(Cid.of(A, 10), Cid.of(A, 10 + MigrationService.MAX_LIDS), B))
                .isEqualTo(ErrorCode.BAD_REQUEST);
        assertThat(refusal(Cid.of(0x2000, 10), Cid.of(0x2000, 19), B)).isEqualTo(ErrorCode.NOT_FOUND);
        assertThat(refusal(Cid.of(A, 10), Cid.of(A, 19), 0x2000))
                .as("there is no such target")
                .isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(arc.committed).isEmpty();
    }

    /** Opens a slot group of A with 131,073 LIDs, one more than a migration of other chunks may have. */
    private CidRange slotGroup() {
        int group = SlotGroup.nid(1);
        arc.state.apply(new SlotGroupCommand.OpenSlotGroup(group, A, 1, List.of(), 0));
        arc.state.apply(new SlotGroupCommand.ExtendSlotGroup(group, A, 1, SlotGroup.FIRST_LIDS + 1, 131_073));
        arc.state.apply(new SlotGroupCommand.ExtendSlotGroup(group, A, 1, 131_073, 131_074));
        return Objects.requireNonNull(arc.state.slotGroup(group));
    }

    @Test
    void migrate_wholeSlotGroup_movesAsItIsNow() {
        CidRange group = slotGroup();
        assertThat(Cid.lid(group.endCidInclusive())).isEqualTo(131_073);
        MigrationReply begun = arc.lone.reply(
                MessageType.MIGRATE, new Migrate(group.startCid(), Cid.lastOf(Cid.nid(group.startCid())), B));
        assertThat(begun.state()).isEqualTo(MigrationState.RUNNING);
        arc.lone.runFor(SECOND / 10);
        assertThat(orders).singleElement().satisfies(order -> {
            assertThat(order.startCid()).isEqualTo(group.startCid());
            assertThat(order.endCidInclusive()).isEqualTo(group.endCidInclusive());
        });
    }

    @Test
    void migrate_partOfASlotGroup_isRefused() {
        CidRange group = slotGroup();
        ErrorReply refusal =
                arc.lone.refusal(MessageType.MIGRATE, new Migrate(group.startCid(), group.endCidInclusive() - 1, B));
        assertThat(refusal.code()).isEqualTo(ErrorCode.BAD_REQUEST);
        assertThat(refusal.message()).contains("the slot group 0x7ffe moves as a whole");
        assertThat(refusal(group.startCid() + 1, group.endCidInclusive(), B)).isEqualTo(ErrorCode.BAD_REQUEST);
        assertThat(arc.committed).isEmpty();
    }

    @Test
    void migrate_someOfItIsMoving_comesLater() {
        migrate();
        assertThat(refusal(Cid.of(A, 19), Cid.of(A, 30), B)).isEqualTo(ErrorCode.RETRY_LATER);
    }

    @Test
    void abort_runningMigration_sourceAndTargetAreTold() {
        long number = migrate().number();
        arc.lone.runFor(SECOND / 10);
        MigrationReply aborted =
                arc.lone.reply(MessageType.ABORT_MIGRATION, new AbortMigration(A, number, "not wanted"));
        assertThat(aborted).isEqualTo(new MigrationReply(A, number, MigrationState.ABORTED, 0, "not wanted"));
        arc.lone.runFor(SECOND);
        EndMigration end = new EndMigration(A, number, false, 0);
        assertThat(ends).containsExactly(Map.entry(B, end), Map.entry(A, end));
        assertThat(ownerOf(10)).isEqualTo(A);
    }

    @Test
    void ask_migrationThatNeverBegan_isAborted() {
        MigrationReply reply = ask(77);
        assertThat(reply.state()).isEqualTo(MigrationState.ABORTED);
        assertThat(reply.note()).isEqualTo("there was no such migration");
    }

    @Test
    void look_sourceGivesUp_migrationIsAbortedWithItsReason() {
        long number = migrate().number();
        arc.lone.run(migrations::begin);
        arc.lone.runFor(SECOND);
        assertThat(orders).as("asked how far it is").hasSizeGreaterThan(3);
        assertThat(ask(number).state()).isEqualTo(MigrationState.RUNNING);
        progress = new RunMigrationReply(true, 1, 8, "no room at the target");
        arc.lone.runFor(SECOND);
        assertThat(ask(number))
                .isEqualTo(new MigrationReply(A, number, MigrationState.ABORTED, 0, "no room at the target"));
    }

    @Test
    void look_sourceIsSilent_migrationIsAbortedAfterFifteenSeconds() {
        source.to(MessageType.RUN_MIGRATION, order -> null);
        long number = migrate().number();
        arc.lone.run(migrations::begin);
        arc.lone.runFor(14 * SECOND);
        assertThat(ask(number).state()).isEqualTo(MigrationState.RUNNING);
        arc.lone.runFor(2 * SECOND);
        assertThat(ask(number).state()).isEqualTo(MigrationState.ABORTED);
        assertThat(ask(number).note()).isEqualTo("source or target does not answer");
    }

    @Test
    void stop_migrationRuns_nobodyIsAskedAnyMore() {
        migrate();
        arc.lone.run(migrations::begin);
        arc.lone.runFor(SECOND);
        arc.lone.run(migrations::stop);
        arc.lone.runFor(SECOND);
        int asked = orders.size();
        arc.lone.runFor(20 * SECOND);
        assertThat(orders).hasSize(asked);
    }

    @Test
    void requests_arcIsNotLedAnyMore_comeLater() {
        arc.lone.run(arc.service::end);
        assertThat(refusal(Cid.of(A, 10), Cid.of(A, 19), B)).isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(arc.lone
                        .refusal(MessageType.ASK_MIGRATION, new AskMigration(A, 1))
                        .code())
                .isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(arc.lone
                        .refusal(MessageType.AWAY_RANGES, new AwayRanges(A, Cid.firstOf(A)))
                        .code())
                .isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(arc.committed).isEmpty();
    }
}
