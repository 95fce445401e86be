package dev.granary.microraft;

import static dev.granary.microraft.OneNode.THREE;
import static dev.granary.microraft.OneNode.TWO;
import static org.assertj.core.api.Assertions.assertThat;

import io.microraft.exception.NotLeaderException;
import io.microraft.model.message.AppendEntriesRequest;
import org.junit.jupiter.api.Test;

/** Rounds of queries: change 1. */
class QueriesTest {

    private static long roundOf(OneNode one) {
        return one.sent(AppendEntriesRequest.class).getLast().getQuerySequenceNumber();
    }

    @Test
    void query_whileARoundIsUnderWay_isAnsweredByARoundThatBeganAfterIt() {
        OneNode one = OneNode.leading();
        var first = one.query("first");
        long firstRound = roundOf(one);
        var second = one.query("second");
        var third = one.query("third");

        one.success(TWO, 1, one.lastIndex(), firstRound);
        assertThat(first).isCompleted();
        assertThat(second).as("these acks may be older than the question").isNotDone();
        assertThat(third).isNotDone();
        long secondRound = roundOf(one);
        assertThat(secondRound).isGreaterThan(firstRound);

        one.success(THREE, 1, one.lastIndex(), firstRound);
        assertThat(second).as("an ack of the round before").isNotDone();

        one.success(TWO, 1, one.lastIndex(), secondRound);
        assertThat(second).isCompleted();
        assertThat(third).isCompleted();
        assertThat(one.machine().run()).containsExactly("first", "second", "third");
    }

    @Test
    void leader_isReplaced_queriesOfBothRoundsFail() {
        OneNode one = OneNode.leading();
        var first = one.query("first");
        var second = one.query("second");

        one.heartbeatOf(TWO, 2);

        assertThat(first).isCompletedExceptionally();
        assertThat(first.exceptionNow()).isInstanceOf(NotLeaderException.class);
        assertThat(second).isCompletedExceptionally();
        assertThat(second.exceptionNow()).isInstanceOf(NotLeaderException.class);
    }
}
