package dev.granary.microraft;

import static dev.granary.microraft.OneNode.ELECTION_MILLIS;
import static dev.granary.microraft.OneNode.ELECTION_SPREAD_MILLIS;
import static dev.granary.microraft.OneNode.LONG_MILLIS;
import static dev.granary.microraft.OneNode.QUORUM_MILLIS;
import static dev.granary.microraft.OneNode.THREE;
import static dev.granary.microraft.OneNode.TWO;
import static org.assertj.core.api.Assertions.assertThat;

import io.microraft.RaftRole;
import io.microraft.model.message.PreVoteRequest;
import io.microraft.model.message.VoteResponse;
import io.microraft.report.RaftNodeObserver.Event;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Elections: changes 3 to 6, and 12. */
class ElectionTest {

    /** A follower whose leader, the second member, has been silent for too long. */
    private static OneNode withoutLeader() {
        OneNode one = OneNode.started();
        one.heartbeatOf(TWO, 1);
        one.pass(LONG_MILLIS);
        one.forgetSent();
        return one;
    }

    @Test
    void preVote_leaderOfTheTermIsHeardAgain_nextSilenceIsNoticed() {
        OneNode one = withoutLeader();
        one.beat();
        assertThat(one.hasAskedForPreVotes()).isTrue();

        one.heartbeatOf(TWO, 1);
        one.forgetSent();
        one.beat();
        assertThat(one.hasAskedForPreVotes()).as("it has a leader").isFalse();

        one.pass(LONG_MILLIS);
        one.beat();
        assertThat(one.hasAskedForPreVotes()).as("the leader is gone again").isTrue();
        assertThat(one.events()).containsExactly(Event.PRE_VOTE_ENDED_BY_THE_LEADER);
    }

    @Test
    void preVote_leaderOfTheTermSendsASnapshot_nextSilenceIsNoticed() {
        OneNode one = withoutLeader();
        one.beat();

        one.receive(OneNode.snapshot(9, null));
        one.forgetSent();

        one.pass(LONG_MILLIS);
        one.beat();
        assertThat(one.hasAskedForPreVotes()).isTrue();
        assertThat(one.events()).containsExactly(Event.PRE_VOTE_ENDED_BY_THE_LEADER);
    }

    @Test
    void preVote_refusedByALaterTerm_isAskedForInTheTermAfterThat() {
        OneNode one = OneNode.started();
        one.forgetSent();

        one.refusePreVote(THREE, 7);
        assertThat(one.term()).isEqualTo(7);
        assertThat(one.events()).containsExactly(Event.LATER_TERM_FOLLOWED);

        one.beat();
        assertThat(one.sent(PreVoteRequest.class)).hasSize(2).allSatisfy(asked -> assertThat(asked.getTerm())
                .isEqualTo(8));
    }

    @Test
    void preVote_refusedForAnotherReason_termStays() {
        OneNode one = OneNode.started();

        one.refusePreVote(THREE, 1);

        assertThat(one.term()).isZero();
        assertThat(one.events()).isEmpty();
    }

    @Test
    void voteRequest_inANewTerm_followerWaitsForAnElectionBeforeItAsks() {
        OneNode one = withoutLeader();

        one.askForVote(THREE, 2);
        assertThat(one.sent(VoteResponse.class)).hasSize(1).allMatch(VoteResponse::isGranted);
        one.beat();
        one.pass(ELECTION_MILLIS - 1);
        one.beat();
        assertThat(one.hasAskedForPreVotes())
                .as("the election of another is under way")
                .isFalse();

        one.pass(ELECTION_SPREAD_MILLIS + 1);
        one.beat();
        assertThat(one.hasAskedForPreVotes())
                .as("the time of an election is over")
                .isTrue();
        assertThat(one.events()).containsExactly(Event.OTHERS_ELECTION_AWAITED);
    }

    @Test
    void voteRequests_fourWithoutALeader_followerAsksAtOnceAfterTheLast() {
        OneNode one = withoutLeader();
        for (int term = 2; term <= 4; term++) {
            one.askForVote(THREE, term);
            one.beat();
            assertThat(one.hasAskedForPreVotes()).as("term %d", term).isFalse();
            one.pass(LONG_MILLIS);
        }

        one.askForVote(THREE, 5);
        one.beat();

        assertThat(one.hasAskedForPreVotes()).isTrue();
    }

    @Test
    void voteRequests_withALeaderInBetween_areWaitedForAgain() {
        OneNode one = withoutLeader();
        for (int term = 2; term <= 4; term++) {
            one.askForVote(THREE, term);
        }
        one.heartbeatOf(THREE, 4);
        one.beat();
        one.pass(LONG_MILLIS);

        one.askForVote(TWO, 5);
        one.beat();

        assertThat(one.hasAskedForPreVotes()).isFalse();
    }

    @Test
    void electionTimeout_ofManyElections_isDrawnFromTheWholeSpread() {
        List<Long> drawn = new ArrayList<>();
        for (long seed = 1; seed <= 100; seed++) {
            OneNode one = new OneNode(seed);
            one.start();
            drawn.add(one.scheduled().getLast().delayMillis());
        }
        Collections.sort(drawn);
        assertThat(drawn.getFirst()).isBetween(ELECTION_MILLIS, ELECTION_MILLIS + ELECTION_SPREAD_MILLIS / 10);
        assertThat(drawn.getLast())
                .isBetween(ELECTION_MILLIS + ELECTION_SPREAD_MILLIS * 9 / 10, ELECTION_MILLIS + ELECTION_SPREAD_MILLIS);
    }

    @Test
    void leader_noResponseForLongerThanALeaderMayBeSilent_stillLeads() {
        OneNode one = OneNode.leading();

        one.pass(QUORUM_MILLIS - 1);
        one.beat();

        assertThat(one.report().getRole()).isEqualTo(RaftRole.LEADER);
    }

    @Test
    void leader_noResponseForTheTimeoutOfAQuorum_stepsDown() {
        OneNode one = OneNode.leading();

        one.pass(QUORUM_MILLIS);
        one.beat();

        assertThat(one.report().getRole()).isEqualTo(RaftRole.FOLLOWER);
    }
}
