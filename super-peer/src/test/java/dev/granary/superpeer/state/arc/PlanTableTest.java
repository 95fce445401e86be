package dev.granary.superpeer.state.arc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.PlanMessages.PlanKind;
import dev.granary.overlay.Arc;
import dev.granary.superpeer.state.ArcResult;
import dev.granary.superpeer.state.Plan;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which plans of an arc run, and what a finished drain still means. */
class PlanTableTest {

    private static final int HOME = 0x4001;
    private static final int PEER = 0x8000;
    private static final int OTHER_PEER = 0x4000;

    private final PlanTable table = new PlanTable();

    private ArcResult start(PlanKind kind, int nid) {
        return table.apply(new RangeCommand.StartPlan(HOME, kind, nid, List.of()));
    }

    private ArcResult end(long number, Plan.State state) {
        return table.apply(new RangeCommand.EndPlan(HOME, number, state, ""));
    }

    private static long number(ArcResult result) {
        return ((RangeResult.Planned) result).plan().number();
    }

    @Test
    void startPlan_besideOneOfTheSamePeer_isRefusedAndChangesNothing() {
        start(PlanKind.DRAIN, PEER);
        assertThat(start(PlanKind.SPREAD, PEER)).isInstanceOf(RangeResult.NotNow.class);
        assertThat(table.all()).hasSize(1);
        assertThat(number(start(PlanKind.SPREAD, OTHER_PEER))).isEqualTo(2);
        assertThat(number(start(PlanKind.MOVE, PEER))).as("moves run beside").isEqualTo(3);
    }

    @Test
    void drain_fromStartToAbort_isToldOfThePeer() {
        assertThat(table.drainOf(PEER)).isEqualTo(PeerInfo.Drain.NONE);
        long number = number(start(PlanKind.DRAIN, PEER));
        assertThat(table.drainOf(PEER)).isEqualTo(PeerInfo.Drain.RUNNING);
        end(number, Plan.State.DONE);
        assertThat(table.drainOf(PEER)).isEqualTo(PeerInfo.Drain.DONE);
        assertThat(table.isDraining(PEER)).isTrue();
        end(number, Plan.State.ABORTED);
        assertThat(table.isDraining(PEER)).isFalse();
        assertThat(end(number, Plan.State.DONE)).as("after the end").isInstanceOf(RangeResult.NotNow.class);
    }

    @Test
    void cameBack_afterADrainThatIsDone_runsItAgain() {
        long number = number(start(PlanKind.DRAIN, PEER));
        end(number, Plan.State.DONE);
        table.cameBack(OTHER_PEER);
        assertThat(table.drainOf(PEER)).isEqualTo(PeerInfo.Drain.DONE);
        table.cameBack(PEER);
        assertThat(table.drainOf(PEER)).isEqualTo(PeerInfo.Drain.RUNNING);
    }

    @Test
    void endPlan_moreThanAreKept_forgetsTheOldestButNoDrain() {
        long drain = number(start(PlanKind.DRAIN, PEER));
        end(drain, Plan.State.DONE);
        long first = number(start(PlanKind.MOVE, OTHER_PEER));
        end(first, Plan.State.DONE);
        for (int i = 0; i < PlanTable.MAX_ENDED; i++) {
            end(number(start(PlanKind.MOVE, OTHER_PEER)), Plan.State.FAILED);
        }
        assertThat(table.find(first)).isNull();
        assertThat(table.find(drain)).isNotNull();
        assertThat(table.all()).hasSize(PlanTable.MAX_ENDED + 1);
    }

    @Test
    void addMoves_toAPlanThatHasEnded_isRefused() {
        long number = number(start(PlanKind.MOVE, PEER));
        end(number, Plan.State.DONE);
        assertThat(table.apply(new RangeCommand.AddMoves(HOME, number, List.of())))
                .isInstanceOf(RangeResult.NotNow.class);
        assertThat(table.apply(new RangeCommand.AddMoves(HOME, 99, List.of()))).isInstanceOf(RangeResult.NotNow.class);
    }

    @Test
    void read_plansWhoseNumbersAreTaken_getOthers() {
        start(PlanKind.DRAIN, PEER);
        PlanTable other = new PlanTable();
        other.apply(new RangeCommand.StartPlan(0x8001, PlanKind.SPREAD, OTHER_PEER, List.of()));
        other.add(table.part(new Arc(0x4000, HOME)));
        assertThat(other.all()).extracting(Plan::number).containsExactly(1L, 2L);
        assertThat(other.isDraining(PEER)).isTrue();
    }
}
