package dev.granary.microraft;

import static dev.granary.microraft.OneNode.THREE;
import static dev.granary.microraft.OneNode.TWO;
import static org.assertj.core.api.Assertions.assertThat;

import io.microraft.RaftNodeStatus;
import io.microraft.exception.IndeterminateStateException;
import io.microraft.exception.NotLeaderException;
import io.microraft.model.message.AppendEntriesRequest;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The first failure of the store or the state machine is the last thing that a node does: change 7. */
class FailureTest {

    /** Whatever comes now, nothing is written, applied, sent or answered. */
    private static void assertHasEnded(OneNode one) {
        one.store().setFails(false);
        one.machine().setFails(false);
        one.forgetSent();
        List<String> writes = List.copyOf(one.store().writes());
        List<Object> run = List.copyOf(one.machine().run());
        one.askForVote(THREE, one.term() + 5);
        one.heartbeatOf(TWO, one.term() + 6);
        one.pass(OneNode.LONG_MILLIS);
        one.beat();
        assertThat(one.propose("late")).isCompletedExceptionally();
        assertThat(one.query("late")).isCompletedExceptionally();
        assertThat(one.sent()).isEmpty();
        assertThat(one.store().writes()).isEqualTo(writes);
        assertThat(one.machine().run()).isEqualTo(run);
        assertThat(one.node().getStatus()).isEqualTo(RaftNodeStatus.TERMINATED);
        assertThat(one.failures()).hasSize(1);
    }

    @Test
    void store_failsAtAVote_theVoteIsNeverSent() {
        OneNode one = OneNode.started();
        one.forgetSent();
        one.store().setFails(true);

        one.askForVote(THREE, 3);

        assertThat(one.sent()).isEmpty();
        assertThat(one.failures()).containsExactly("the log failed");
        assertHasEnded(one);
    }

    @Test
    void store_failsOnALeader_whatIsUnderWayFailsAndNothingIsSent() {
        OneNode one = OneNode.leading();
        var query = one.query("question");
        var first = one.propose("first");
        one.forgetSent();
        one.store().setFails(true);

        var second = one.propose("second");

        assertThat(one.sent()).isEmpty();
        assertThat(first.exceptionNow()).isInstanceOf(IndeterminateStateException.class);
        assertThat(second).isCompletedExceptionally();
        assertThat(query.exceptionNow()).isInstanceOf(NotLeaderException.class);
        assertThat(one.failures()).containsExactly("the log failed");
        assertHasEnded(one);
    }

    /**
     * The only member makes itself the leader again in a heartbeat: what ends it there is told, and not thrown as well.
     */
    @Test
    void store_failsInAHeartbeat_isToldOnce() {
        OneNode one = OneNode.alone();
        one.heartbeatOf(TWO, one.term() + 1);
        one.pass(OneNode.LONG_MILLIS);
        one.store().setFails(true);

        one.beat();

        assertThat(one.failures()).containsExactly("the log failed");
        assertHasEnded(one);
    }

    @Test
    void stateMachine_failsAtACommand_nodeEndsAndNobodyIsAnswered() {
        OneNode one = OneNode.leading();
        var first = one.propose("first");
        var second = one.propose("second");
        long last = one.lastIndex();
        one.forgetSent();
        one.machine().setFails(true);

        one.success(TWO, 1, last, 0);

        assertThat(first.exceptionNow()).isInstanceOf(IndeterminateStateException.class);
        assertThat(second.exceptionNow()).isInstanceOf(IndeterminateStateException.class);
        assertThat(one.failures()).containsExactly("the state machine could not apply command " + (last - 1));
        assertThat(one.sent()).isEmpty();
        assertHasEnded(one);
    }

    @Test
    void stateMachine_cannotGiveItsState_nodeEnds() {
        OneNode one = OneNode.leading();
        one.machine().setFails(true);

        assertThat(one.takeSnapshot()).isCompletedExceptionally();

        assertThat(one.failures()).containsExactly("the state machine could not give its state at 1");
        assertHasEnded(one);
    }

    @Test
    void stateMachine_cannotTakeAState_nodeEndsAndDoesNotSayThatItHasIt() {
        OneNode one = OneNode.started();
        one.receive(OneNode.snapshot(9, null));
        one.forgetSent();
        one.machine().setFails(true);

        one.receive(OneNode.snapshot(9, "state"));

        assertThat(one.failures()).containsExactly("the state machine could not take a state at 9");
        assertThat(one.sent()).isEmpty();
        assertHasEnded(one);
    }

    /** A question that cannot be answered is the business of who asks. */
    @Test
    void stateMachine_failsAtAQuery_nodeGoesOn() {
        OneNode one = OneNode.leading();
        var query = one.query("question");
        long round = one.sent(AppendEntriesRequest.class).getLast().getQuerySequenceNumber();
        one.machine().setFails(true);
        one.success(TWO, 1, one.lastIndex(), round);
        one.machine().setFails(false);

        assertThat(query).isCompletedExceptionally();
        assertThat(one.failures()).isEmpty();
        var command = one.propose("command");
        one.success(TWO, 1, one.lastIndex(), round);
        assertThat(command).isCompleted();
    }
}
