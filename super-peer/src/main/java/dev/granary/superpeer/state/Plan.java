package dev.granary.superpeer.state;

import dev.granary.net.message.PlanMessages.PlanKind;
import dev.granary.schema.Coded;
import dev.granary.schema.U16;
import java.util.ArrayList;
import java.util.List;

/**
 * A rebalance plan: moves that belong together and are carried out in their order.
 *
 * @param homeNid the NID whose arc keeps the plan
 * @param number counted by the arc
 * @param kind what the plan is for
 * @param nid the storage peer that is drained or filled
 * @param state how far the plan is
 * @param note for people: why the plan ended in this state, otherwise empty
 * @param moves in the order in which they are carried out
 */
public record Plan(
        @U16 int homeNid, long number, PlanKind kind, @U16 int nid, State state, String note, List<Move> moves) {

    /** How far a plan is. Codes are part of formats. */
    public enum State implements Coded {
        RUNNING(0),
        DONE(1),
        ABORTED(2),
        FAILED(3);

        private final int code;

        State(int code) {
            this.code = code;
        }

        @Override
        public int code() {
            return code;
        }
    }

    public Plan {
        moves = List.copyOf(moves);
    }

    public Plan in(State next, String why) {
        return new Plan(homeNid, number, kind, nid, next, why, moves);
    }

    public Plan withMore(List<Move> more) {
        List<Move> all = new ArrayList<>(moves);
        all.addAll(more);
        return new Plan(homeNid, number, kind, nid, state, note, all);
    }

    public Plan withMove(int index, Move.State next) {
        List<Move> all = new ArrayList<>(moves);
        all.set(index, all.get(index).in(next));
        return new Plan(homeNid, number, kind, nid, state, note, all);
    }
}
