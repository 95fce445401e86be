package dev.granary.superpeer.state.arc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.MigrationMessages.MigrationState;
import dev.granary.net.message.PlanMessages.PlanKind;
import dev.granary.net.message.RecordBytes;
import dev.granary.overlay.Arc;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Nid;
import dev.granary.overlay.PlacementState;
import dev.granary.superpeer.state.ArcResult;
import dev.granary.superpeer.state.MigrationRecord;
import dev.granary.superpeer.state.Move;
import dev.granary.superpeer.state.Plan;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RangeStateTest {

    private static final int A = 0x8000;
    private static final int B = 0x4000;
    private static final int C = 0xC000;
    private static final Arc ALL = new Arc(Nid.MAX, Nid.MAX);

    private final RangeState state = new RangeState();

    RangeStateTest() {
        state.peerAdded(A, 1);
        state.peerAdded(B, 1);
    }

    @Test
    void commit_begunBefore_makesTheTargetTheOwnerAtTheNextEpoch() {
        MigrationRecord begun = begin(10, 19, A, 1, C, 5);
        assertThat(owner(15)).isEqualTo(A);

        MigrationRecord committed = commit(begun);

        assertThat(committed.state()).isEqualTo(MigrationState.COMMITTED);
        assertThat(committed.epoch()).isEqualTo(2);
        assertThat(range(15).toString()).contains("owner 0xc000").contains("epoch 2");
        assertThat(owner(9)).isEqualTo(A);
        assertThat(owner(20)).isEqualTo(A);
        assertThat(commit(begun)).as("asked once more").isEqualTo(committed);
        assertThat(state.away(A, Cid.firstOf(A), 10)).hasSize(1);
        assertThat(state.strangers()).containsExactly(Map.entry(C, 5L));
    }

    @Test
    void begin_whatCannotBe_isRefused() {
        begin(10, 19, A, 1, C, 5);
        assertRefused(new RangeCommand.BeginMigration(cid(19), cid(25), A, 1, B, 1), "already");
        assertRefused(new RangeCommand.BeginMigration(cid(30), cid(39), B, 1, C, 5), "does not own");
        assertRefused(new RangeCommand.BeginMigration(cid(30), cid(39), A, 1, A, 1), "the same");
        assertRefused(new RangeCommand.BeginMigration(cid(30), cid(39), A, 2, C, 5), "source has restarted");
        assertRefused(new RangeCommand.BeginMigration(cid(39), cid(30), A, 1, C, 5), "not of one owner");
    }

    @Test
    void commit_notBySource_changesNothing() {
        MigrationRecord begun = begin(10, 19, A, 1, C, 5);
        assertThat(state.apply(new RangeCommand.CommitMigration(A, begun.number(), B, 1)))
                .isInstanceOf(RangeResult.NotNow.class);
        assertThat(state.apply(new RangeCommand.CommitMigration(A, begun.number() + 1, A, 1)))
                .isInstanceOf(RangeResult.NotNow.class);
        assertThat(owner(15)).isEqualTo(A);
    }

    @Test
    void abort_running_leavesTheSourceOwnerForGood() {
        MigrationRecord begun = begin(10, 19, A, 1, C, 5);
        state.apply(new RangeCommand.AbortMigration(A, begun.number(), "not wanted"));

        assertThat(commit(begun).state()).isEqualTo(MigrationState.ABORTED);
        assertThat(owner(15)).isEqualTo(A);
        assertThat(begin(15, 15, A, 1, B, 1).number()).isGreaterThan(begun.number());
    }

    @Test
    void fence_targetStartedAnew_losesWhatItHadAndAbortsWhatRuns() {
        commit(begin(10, 19, A, 1, C, 5));
        MigrationRecord running = begin(30, 39, A, 1, C, 5);

        state.apply(new RangeCommand.FencePeer(C, 6));

        CidRange lost = range(15);
        assertThat(lost.placement().state()).isEqualTo(PlacementState.LOST);
        assertThat(lost.placement().epoch()).isEqualTo(3);
        assertThat(commit(running).state()).isEqualTo(MigrationState.ABORTED);
        state.apply(new RangeCommand.FencePeer(C, 6));
        assertThat(state.find(cid(15))).isEqualTo(lost);
    }

    @Test
    void commit_targetsEarlierIncarnationStillCounted_losesWhatThatHad() {
        commit(begin(10, 19, A, 1, C, 5));
        commit(begin(30, 39, A, 1, C, 6));

        assertThat(range(15).placement().state()).isEqualTo(PlacementState.LOST);
        assertThat(owner(35)).isEqualTo(C);
    }

    @Test
    void epochRaised_creatorStartsAnew_keepsWhatOthersHaveAndTakesWhatTheyLost() {
        commit(begin(10, 19, A, 1, C, 5));
        commit(begin(30, 39, A, 1, B, 1));
        state.apply(new RangeCommand.FencePeer(C, 6));

        state.epochRaised(A, 2);

        assertThat(owner(35)).isEqualTo(B);
        assertThat(owner(15)).isEqualTo(A);
        assertThat(range(15).placement().epoch()).isEqualTo(4);
        assertThat(range(1).placement().epoch()).isEqualTo(2);
    }

    @Test
    void plans_oneAtATimeForAPeer_andADrainLastsUntilItIsAborted() {
        Move move = new Move(cid(1), cid(9), B, 9, 90, Move.State.PENDING);
        Plan plan = planned(new RangeCommand.StartPlan(A, PlanKind.DRAIN, A, List.of(move)));
        assertThat(state.apply(new RangeCommand.StartPlan(A, PlanKind.SPREAD, A, List.of())))
                .isInstanceOf(RangeResult.NotNow.class);
        assertThat(state.plans().isDraining(A)).isTrue();

        planned(new RangeCommand.AddMoves(A, plan.number(), List.of(move)));
        planned(new RangeCommand.EndMove(A, plan.number(), 1, Move.State.FAILED));
        planned(new RangeCommand.EndPlan(A, plan.number(), Plan.State.DONE, ""));
        assertThat(state.plans().isDraining(A)).isTrue();
        assertThat(state.apply(new RangeCommand.AddMoves(A, plan.number(), List.of())))
                .isInstanceOf(RangeResult.NotNow.class);

        Plan aborted = planned(new RangeCommand.EndPlan(A, plan.number(), Plan.State.ABORTED, "taken back"));
        assertThat(state.plans().isDraining(A)).isFalse();
        assertThat(aborted.moves()).containsExactly(move, move.in(Move.State.FAILED));
    }

    @Test
    void write_read_givesTheSameState() {
        commit(begin(10, 19, A, 1, C, 5));
        begin(30, 39, A, 1, B, 1);
        planned(new RangeCommand.StartPlan(
                A, PlanKind.MOVE, B, List.of(new Move(cid(1), cid(2), C, 2, 20, Move.State.DONE))));

        RangeState read = new RangeState();
        read.read(bytes(state));

        assertThat(ByteBufUtil.hexDump(bytes(read))).isEqualTo(ByteBufUtil.hexDump(bytes(state)));
        assertThat(read.all()).isEqualTo(state.all());
        read.remove(ALL);
        assertThat(read.all()).isEmpty();
        assertThat(read.migrations().running()).isEmpty();
        assertThat(read.plans().all()).isEmpty();
    }

    @Test
    void read_oneSideKnowsOfANewIncarnation_losesWhatTheFormerHadOnTheOther() {
        commit(begin(10, 19, A, 1, C, 5));
        MigrationRecord running = begin(30, 39, A, 1, C, 5);
        RangeState where = new RangeState();
        where.peerAdded(C, 6);
        ByteBuf told = bytes(where);

        where.read(bytes(state));
        state.read(told);

        for (RangeState each : List.of(where, state)) {
            assertThat(Objects.requireNonNull(each.find(cid(15))).placement().state())
                    .isEqualTo(PlacementState.LOST);
            assertThat(Objects.requireNonNull(each.migrations().find(A, running.number()))
                            .state())
                    .isEqualTo(MigrationState.ABORTED);
        }
    }

    @Test
    void commands_writtenAndRead_areTheSame() {
        Move move = new Move(cid(1), cid(9), B, 9, 90, Move.State.PENDING);
        List<RangeCommand> all = List.of(
                new RangeCommand.BeginMigration(1, 2, 3, 4, 5, 6),
                new RangeCommand.CommitMigration(1, 2, 3, 4),
                new RangeCommand.AbortMigration(1, 2, "ä"),
                new RangeCommand.FencePeer(1, 2),
                new RangeCommand.StartPlan(1, PlanKind.SPREAD, 2, List.of(move)),
                new RangeCommand.AddMoves(1, 2, List.of(move, move)),
                new RangeCommand.EndMove(1, 2, 3, Move.State.DONE),
                new RangeCommand.EndPlan(1, 2, Plan.State.FAILED, "why"));
        int type = 32;
        for (RangeCommand command : all) {
            assertThat(command.type()).isEqualTo(type++);
            ByteBuf out = Unpooled.buffer();
            command.writeFields(out);
            assertThat(RecordBytes.read(RangeCommand.TYPES, command.type(), out))
                    .isEqualTo(command);
            assertThat(out.isReadable()).isFalse();
        }
    }

    private static ByteBuf bytes(RangeState of) {
        ByteBuf out = Unpooled.buffer();
        of.write(ALL, out);
        return out;
    }

    private MigrationRecord begin(
            long startLid, long endLid, int source, long sourceEpoch, int target, long targetEpoch) {
        return migration(
                new RangeCommand.BeginMigration(cid(startLid), cid(endLid), source, sourceEpoch, target, targetEpoch));
    }

    private MigrationRecord commit(MigrationRecord begun) {
        return migration(new RangeCommand.CommitMigration(
                begun.creatorNid(), begun.number(), begun.sourceNid(), begun.sourceEpoch()));
    }

    @AfterEach
    void countByOwner_afterAnyChange_isWhatAWalkFinds() {
        Map<Integer, Long> walked = new TreeMap<>();
        state.all().forEach(range -> walked.merge(range.placement().owner(), 1L, Long::sum));
        assertThat(state.countByOwner()).isEqualTo(walked);
    }

    private MigrationRecord migration(RangeCommand command) {
        state.countByOwner();
        ArcResult result = state.apply(command);
        assertThat(result).isInstanceOf(RangeResult.Migration.class);
        return ((RangeResult.Migration) result).record();
    }

    private Plan planned(RangeCommand command) {
        ArcResult result = state.apply(command);
        assertThat(result).isInstanceOf(RangeResult.Planned.class);
        return ((RangeResult.Planned) result).plan();
    }

    private void assertRefused(RangeCommand command, String why) {
        ArcResult result = state.apply(command);
        assertThat(result).isInstanceOf(RangeResult.NotNow.class);
        assertThat(((RangeResult.NotNow) result).message()).contains(why);
    }

    private int owner(long lid) {
        return range(lid).placement().owner();
    }

    private CidRange range(long lid) {
        return Objects.requireNonNull(state.find(cid(lid)));
    }

    private static long cid(long lid) {
        return Cid.of(A, lid);
    }
}
