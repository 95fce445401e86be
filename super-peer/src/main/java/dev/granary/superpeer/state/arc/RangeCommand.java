package dev.granary.superpeer.state.arc;

import dev.granary.net.message.PlanMessages.PlanKind;
import dev.granary.overlay.Cid;
import dev.granary.overlay.Nid;
import dev.granary.superpeer.state.ArcCommand;
import dev.granary.superpeer.state.Fields;
import dev.granary.superpeer.state.Move;
import dev.granary.superpeer.state.Plan;
import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * What changes who owns which range.
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

    /** A range of one owner shall get another one. */
    record BeginMigration(
            long startCid, long endCidInclusive, int sourceNid, long sourceEpoch, int targetNid, long targetEpoch)
            implements RangeCommand {}

    /** The target holds everything: it becomes the owner, unless the migration has ended before. */
    record CommitMigration(int creatorNid, long number, int sourceNid, long sourceEpoch) implements RangeCommand {}

    /** A migration that runs is given up. */
    record AbortMigration(int creatorNid, long number, String note) implements RangeCommand {}

    /** Incarnations of a storage peer below this epoch serve nothing any more: what they owned of others is lost. */
    record FencePeer(int nid, long epoch) implements RangeCommand {}

    /** Moves are planned. */
    record StartPlan(int homeNid, PlanKind kind, int nid, List<Move> moves) implements RangeCommand {
        public StartPlan {
            moves = List.copyOf(moves);
        }
    }

    /** A plan that runs gets more moves. */
    record AddMoves(int homeNid, long number, List<Move> moves) implements RangeCommand {
        public AddMoves {
            moves = List.copyOf(moves);
        }
    }

    /** A move of a plan has ended. */
    record EndMove(int homeNid, long number, int index, Move.State state) implements RangeCommand {}

    /** A plan has ended. */
    record EndPlan(int homeNid, long number, Plan.State state, String note) implements RangeCommand {}

    @Override
    default int type() {
        return switch (this) {
            case BeginMigration begin -> 32;
            case CommitMigration commit -> 33;
            case AbortMigration abort -> 34;
            case FencePeer fence -> 35;
            case StartPlan start -> 36;
            case AddMoves add -> 37;
            case EndMove end -> 38;
            case EndPlan end -> 39;
        };
    }

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

    @Override
    default void writeFields(ByteBuf out) {
        switch (this) {
            case BeginMigration begin -> {
                out.writeLongLE(begin.startCid).writeLongLE(begin.endCidInclusive);
                out.writeShortLE(begin.sourceNid).writeLongLE(begin.sourceEpoch);
                out.writeShortLE(begin.targetNid).writeLongLE(begin.targetEpoch);
            }
            case CommitMigration commit -> {
                out.writeShortLE(commit.creatorNid).writeLongLE(commit.number);
                out.writeShortLE(commit.sourceNid).writeLongLE(commit.sourceEpoch);
            }
            case AbortMigration abort -> {
                out.writeShortLE(abort.creatorNid).writeLongLE(abort.number);
                Fields.writeText(out, abort.note);
            }
            case FencePeer fence -> out.writeShortLE(fence.nid).writeLongLE(fence.epoch);
            case StartPlan start -> {
                out.writeShortLE(start.homeNid).writeByte(start.kind.code()).writeShortLE(start.nid);
                writeMoves(out, start.moves);
            }
            case AddMoves add -> {
                out.writeShortLE(add.homeNid).writeLongLE(add.number);
                writeMoves(out, add.moves);
            }
            case EndMove end ->
                out.writeShortLE(end.homeNid)
                        .writeLongLE(end.number)
                        .writeIntLE(end.index)
                        .writeByte(end.state.code());
            case EndPlan end -> {
                out.writeShortLE(end.homeNid).writeLongLE(end.number).writeByte(end.state.code());
                Fields.writeText(out, end.note);
            }
        }
    }

    private static void writeMoves(ByteBuf out, List<Move> moves) {
        out.writeIntLE(moves.size());
        moves.forEach(move -> move.write(out));
    }

    /**
     * Reads what {@link #writeFields} wrote.
     *
     * @throws IllegalArgumentException when the type is unknown
     */
    static RangeCommand read(int type, ByteBuf in) {
        return switch (type) {
            case 32 ->
                new BeginMigration(
                        in.readLongLE(),
                        in.readLongLE(),
                        in.readUnsignedShortLE(),
                        in.readLongLE(),
                        in.readUnsignedShortLE(),
                        in.readLongLE());
            case 33 ->
                new CommitMigration(
                        in.readUnsignedShortLE(), in.readLongLE(), in.readUnsignedShortLE(), in.readLongLE());
            case 34 -> new AbortMigration(in.readUnsignedShortLE(), in.readLongLE(), Fields.readText(in));
            case 35 -> new FencePeer(in.readUnsignedShortLE(), in.readLongLE());
            case 36 ->
                new StartPlan(
                        in.readUnsignedShortLE(),
                        PlanKind.ofCode(in.readUnsignedByte()),
                        in.readUnsignedShortLE(),
                        Fields.readList(in, Move::read));
            case 37 -> new AddMoves(in.readUnsignedShortLE(), in.readLongLE(), Fields.readList(in, Move::read));
            case 38 ->
                new EndMove(
                        in.readUnsignedShortLE(),
                        in.readLongLE(),
                        in.readIntLE(),
                        Move.State.ofCode(in.readUnsignedByte()));
            case 39 ->
                new EndPlan(
                        in.readUnsignedShortLE(),
                        in.readLongLE(),
                        Plan.State.ofCode(in.readUnsignedByte()),
                        Fields.readText(in));
            default -> throw new IllegalArgumentException("arc command of the unknown type " + type);
        };
    }
}
