package dev.granary.microraft;

import static dev.granary.microraft.OneNode.GROUP;
import static dev.granary.microraft.OneNode.MODEL;
import static dev.granary.microraft.OneNode.TWO;
import static org.assertj.core.api.Assertions.assertThat;

import io.microraft.report.RaftNodeObserver.Event;
import org.junit.jupiter.api.Test;

/** Responses of former terms: change 2. */
class ResponsesTest {

    /** Leads in term 3, and has led in term 1. */
    private static OneNode leadingAgain() {
        OneNode one = OneNode.leading();
        one.heartbeatOf(TWO, 2);
        one.pass(OneNode.LONG_MILLIS);
        one.beat();
        one.winElection();
        assertThat(one.term()).isEqualTo(3);
        one.events().clear();
        one.forgetSent();
        return one;
    }

    @Test
    void success_ofAFormerTerm_doesNotCount() {
        OneNode one = leadingAgain();
        var answer = one.propose("command");
        long last = one.lastIndex();

        one.success(TWO, 1, last, 0);
        assertThat(answer).isNotDone();
        assertThat(one.events()).containsExactly(Event.OUTDATED_RESPONSE_DROPPED);

        one.success(TWO, 3, last, 0);
        assertThat(answer).isCompleted();
    }

    @Test
    void failure_ofAFormerTerm_changesNothing() {
        OneNode one = leadingAgain();

        one.receive(MODEL.createAppendEntriesFailureResponseBuilder()
                .setGroupId(GROUP)
                .setSender(TWO)
                .setTerm(1)
                .setExpectedNextIndex(one.lastIndex() + 1)
                .setQuerySequenceNumber(0)
                .setFlowControlSequenceNumber(0)
                .build());

        assertThat(one.events()).containsExactly(Event.OUTDATED_RESPONSE_DROPPED);
        assertThat(one.sent()).isEmpty();
    }

    @Test
    void askingForAPieceOfASnapshot_inAFormerTerm_isNotAnswered() {
        OneNode one = leadingAgain();
        assertThat(one.takeSnapshot()).isCompleted();

        one.receive(MODEL.createInstallSnapshotResponseBuilder()
                .setGroupId(GROUP)
                .setSender(TWO)
                .setTerm(1)
                .setSnapshotIndex(one.lastIndex())
                .setRequestedSnapshotChunkIndex(0)
                .setQuerySequenceNumber(0)
                .setFlowControlSequenceNumber(0)
                .build());

        assertThat(one.events()).containsExactly(Event.OUTDATED_RESPONSE_DROPPED);
        assertThat(one.sent()).isEmpty();
    }
}
