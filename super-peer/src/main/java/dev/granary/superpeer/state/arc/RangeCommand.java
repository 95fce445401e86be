package dev.granary.superpeer.state.arc;

import dev.granary.net.message.PlanMessages.PlanKind;
import dev.granary.overlay.Cid;
import dev.granary.overlay.Nid;
import dev.granary.schema.Code;
import dev.granary.schema.I32;
import dev.granary.schema.RecordTypes;
import dev.granary.schema.U16;
import dev.granary.superpeer.state.ArcCommand;
import dev.granary.superpeer.state.Move;
import dev.granary.superpeer.state.Plan;
import java.util.List;

/**
 * Changes the owners of ranges.
 *
 * <pre>
 *  32 begin migration   startCid i64, endCidInclusive i64, source u16, sourceEpoch i64, target u16, targetEpoch i64
 *  33 commit migration  creator u16, number i64, source u16, sourceEpoch i64
 *  34 abort migration   creator u16, number i64, note
 *  35 fence peer        nid u16, epoch i64
 *  36 start plan        home u16, kind u8, nid u16, moves list
 *  37 add moves         home u16, number i64, moves list
 *  38 end move          home u16, number i64, index i32, state u8
 *  39 end plan          home u16, number i64, state u8, note
 *   move     startCid i64, endCidInclusive i64, target u16, chunks i64, bytes i64, state u8
 * </pre>
 */
public sealed interface RangeCommand extends ArcCommand {

    /** All of them by their types. */
    RecordTypes<RangeCommand> TYPES = RecordTypes.of("arc command", RangeCommand.class);

    @Override
    default int type() {
        return TYPES.codeOf(this);
    }

    /** Begins a migration of a range from its owner to another storage peer. */
    @Code(32)
    record BeginMigration(
            long startCid,
            long endCidInclusive,
            @U16 int sourceNid,
            long sourceEpoch,
            @U16 int targetNid,
            long targetEpoch)
            implements RangeCommand {}

    /**
     * Commits a migration, as the target has all chunks: the target becomes the owner, unless the migration has ended
     * before.
     */
    @Code(33)
    record CommitMigration(
            @U16 int creatorNid, long number, @U16 int sourceNid, long sourceEpoch) implements RangeCommand {}

    /** Aborts a running migration. */
    @Code(34)
    record AbortMigration(@U16 int creatorNid, long number, String note) implements RangeCommand {}

    /**
     * Fences the incarnations of a storage peer below this epoch: what they owned of other creators is lost, unless it
     * has copies.
     */
    @Code(35)
    record FencePeer(@U16 int nid, long epoch) implements RangeCommand {}

    /** Starts a rebalance plan. */
    @Code(36)
    record StartPlan(@U16 int homeNid, PlanKind kind, @U16 int nid, List<Move> moves) implements RangeCommand {
        public StartPlan {
            moves = List.copyOf(moves);
        }
    }

    /** Adds moves to a running plan. */
    @Code(37)
    record AddMoves(@U16 int homeNid, long number, List<Move> moves) implements RangeCommand {
        public AddMoves {
            moves = List.copyOf(moves);
        }
    }

    /** Ends a move of a plan. */
    @Code(38)
    record EndMove(@U16 int homeNid, long number, @I32 int index, Move.State state) implements RangeCommand {}

    /** Ends a plan. */
    @Code(39)
    record EndPlan(@U16 int homeNid, long number, Plan.State state, String note) implements RangeCommand {}

    /** What a peer's end means for a part that moves meanwhile is found out by its new arc as well. */
    @Override
    default int position() {
        return switch (this) {
            case BeginMigration begin -> Cid.nid(begin.startCid);
            case CommitMigration commit -> commit.creatorNid;
            case AbortMigration abort -> abort.creatorNid;
            case FencePeer fence -> Nid.NONE;
            case StartPlan start -> start.homeNid;
            case AddMoves add -> add.homeNid;
            case EndMove end -> end.homeNid;
            case EndPlan end -> end.homeNid;
        };
    }
}
