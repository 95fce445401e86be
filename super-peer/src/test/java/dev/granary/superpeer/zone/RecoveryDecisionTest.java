package dev.granary.superpeer.zone;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ReplicationMessages.SealedCopies;
import dev.granary.superpeer.state.SpareCopies;
import dev.granary.superpeer.state.ZoneMember;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RecoveryDecisionTest {

    private static final int A = 0x8000;
    private static final int B = 0x4000;
    private static final int C = 0xC000;
    private static final int D = 0x2000;
    private static final List<ZoneMember> MEMBERS =
            List.of(new ZoneMember(A, 1), new ZoneMember(B, 1), new ZoneMember(C, 1));

    private static SealedCopies.Copy continuous(long lastSequence) {
        return new SealedCopies.Copy(1, true, 5, 0, lastSequence, true, true, 6, 0);
    }

    private static SealedCopies.Copy filledAt(long baseSequence, long lastSequence) {
        return new SealedCopies.Copy(1, true, 5, baseSequence, lastSequence, true, true, 6, 0);
    }

    private static SealedCopies.Copy broken(long epoch, long lastSequence) {
        return new SealedCopies.Copy(1, true, epoch, 0, lastSequence, false, true, 6, 0);
    }

    private static SealedCopies.Copy none() {
        return new SealedCopies.Copy(1, false, 0, 0, 0, false, false, 6, 0);
    }

    private static SealedCopies.Copy neverHad(long incarnationEpoch) {
        return new SealedCopies.Copy(1, false, incarnationEpoch, 0, 0, true, false, 6, 0);
    }

    private static SealedCopies.Copy beingFilled(long lastSequence) {
        return new SealedCopies.Copy(1, true, 5, 0, lastSequence, true, false, 6, 0);
    }

    private static RecoveryDecision decide(Map<Integer, SealedCopies.Copy> answers) {
        return decide(MEMBERS, answers, Set.of(), false, Set.of());
    }

    private static RecoveryDecision decide(
            List<ZoneMember> members,
            Map<Integer, SealedCopies.Copy> answers,
            Set<Integer> unreadable,
            boolean graceOver,
            Set<Integer> givenUp) {
        return RecoveryDecision.decide(members, null, answers, unreadable, graceOver, givenUp);
    }

    @Test
    void decide_allContinuous_whatAllHave() {
        assertThat(decide(Map.of(A, continuous(12), B, continuous(10), C, continuous(11))))
                .isEqualTo(new RecoveryDecision.Recover(10, List.of(A, B, C), false));
    }

    /** The copy was filled while changes waited for a backup without room: these changes cannot be cut off it. */
    @Test
    void decide_copyWasFilledAboveWhatAllHave_itIsNotKept() {
        assertThat(decide(Map.of(A, filledAt(12, 13), B, continuous(10), C, filledAt(10, 12))))
                .isEqualTo(new RecoveryDecision.Recover(10, List.of(B, C), false));
        assertThat(decide(Map.of(A, filledAt(12, 12), B, continuous(12), C, none())))
                .isEqualTo(new RecoveryDecision.Recover(12, List.of(A, B), false));
    }

    @Test
    void decide_oneContinuousOthersSilent_waitsForALittle() {
        Map<Integer, SealedCopies.Copy> answers = Map.of(B, continuous(10));
        assertThat(decide(answers)).isEqualTo(new RecoveryDecision.Wait(List.of(A, C)));
        assertThat(decide(MEMBERS, answers, Set.of(), true, Set.of()))
                .isEqualTo(new RecoveryDecision.Recover(10, List.of(B), false));
    }

    @Test
    void decide_continuousAndBroken_onlyTheContinuousCount() {
        assertThat(decide(Map.of(A, broken(5, 99), B, continuous(10), C, none())))
                .isEqualTo(new RecoveryDecision.Recover(10, List.of(B), false));
    }

    @Test
    void decide_noneContinuousOneSilent_waitsHoweverLong() {
        assertThat(decide(MEMBERS, Map.of(A, broken(5, 9), B, broken(5, 8)), Set.of(), true, Set.of()))
                .isEqualTo(new RecoveryDecision.Wait(List.of(C)));
    }

    @Test
    void decide_noneContinuousAllAnswered_thoseThatHaveTheMost() {
        assertThat(decide(Map.of(A, broken(5, 9), B, broken(4, 99), C, broken(5, 9))))
                .isEqualTo(new RecoveryDecision.Recover(9, List.of(A, C), false));
    }

    @Test
    void decide_copyThatIsBeingFilled_isNone() {
        assertThat(decide(Map.of(A, beingFilled(50), B, continuous(10), C, none())))
                .isEqualTo(new RecoveryDecision.Recover(10, List.of(B), false));
        assertThat(decide(Map.of(A, beingFilled(50), B, none(), C, none()))).isInstanceOf(RecoveryDecision.Lost.class);
    }

    @Test
    void decide_memberThatNeverHadACopy_recoversAnEmptyZoneWhoeverIsSilent() {
        assertThat(decide(Map.of(B, neverHad(1), C, none())))
                .as("A may be gone for good")
                .isEqualTo(new RecoveryDecision.Recover(0, List.of(B), false));
        assertThat(decide(Map.of(A, none(), B, neverHad(1), C, neverHad(1))))
                .isEqualTo(new RecoveryDecision.Recover(0, List.of(B, C), false));
    }

    @Test
    void decide_memberThatHadNoneSinceItStartedAnew_waits() {
        assertThat(decide(Map.of(B, neverHad(2), C, none())))
                .as("nobody knows what it had as a member in its former incarnation")
                .isEqualTo(new RecoveryDecision.Wait(List.of(A)));
    }

    @Test
    void decide_memberThatNeverHadACopyBesideOneThatHas_theCopyCounts() {
        assertThat(decide(Map.of(A, continuous(3), B, neverHad(1), C, none())))
                .isEqualTo(new RecoveryDecision.Recover(3, List.of(A), false));
        assertThat(decide(Map.of(A, broken(5, 9), B, neverHad(1)))).isEqualTo(new RecoveryDecision.Wait(List.of(C)));
    }

    @Test
    void decide_aPersonGivesTheSilentOneUp_whatIsThereCounts() {
        Map<Integer, SealedCopies.Copy> answers = Map.of(A, broken(5, 9), B, none());
        assertThat(decide(MEMBERS, answers, Set.of(), false, Set.of(C)))
                .isEqualTo(new RecoveryDecision.Recover(9, List.of(A), false));
        assertThat(decide(MEMBERS, Map.of(B, none()), Set.of(), false, Set.of(C)))
                .as("a person gave up only C")
                .isEqualTo(new RecoveryDecision.Wait(List.of(A, C)));
    }

    @Test
    void decide_theOnlyAnswerIsUnreadable_waitsForTheOthersHoweverLong() {
        assertThat(decide(MEMBERS, Map.of(B, continuous(10)), Set.of(B), true, Set.of()))
                .isEqualTo(new RecoveryDecision.Wait(List.of(A, C)));
        assertThat(decide(MEMBERS, Map.of(A, none(), B, continuous(10)), Set.of(B), true, Set.of()))
                .isEqualTo(new RecoveryDecision.Wait(List.of(C)));
    }

    @Test
    void decide_oneIsUnreadable_theOtherContinuousOnesCount() {
        assertThat(decide(
                        MEMBERS,
                        Map.of(A, continuous(12), B, continuous(10), C, continuous(11)),
                        Set.of(B),
                        false,
                        Set.of()))
                .isEqualTo(new RecoveryDecision.Recover(11, List.of(A, C), false));
        assertThat(decide(MEMBERS, Map.of(A, continuous(12), B, continuous(10)), Set.of(B), true, Set.of()))
                .isEqualTo(new RecoveryDecision.Recover(12, List.of(A), false));
    }

    @Test
    void decide_theContinuousOneIsUnreadable_whatOthersHaveOnTheirDisksCounts() {
        assertThat(decide(
                        MEMBERS,
                        Map.of(A, broken(5, 9), B, continuous(10), C, broken(5, 8)),
                        Set.of(B),
                        true,
                        Set.of()))
                .isEqualTo(new RecoveryDecision.Recover(9, List.of(A), false));
    }

    @Test
    void decide_allHaveAnsweredAndNoneIsReadable_damageIsAccepted() {
        Map<Integer, SealedCopies.Copy> answers = Map.of(A, broken(5, 9), B, continuous(10), C, none());
        assertThat(decide(MEMBERS, answers, Set.of(A, B), true, Set.of()))
                .isEqualTo(new RecoveryDecision.Recover(10, List.of(B), true));
    }

    @Test
    void decide_theOnlyAnswerIsUnreadableAndAPersonGivesTheOthersUp_damageIsAccepted() {
        assertThat(decide(MEMBERS, Map.of(B, continuous(10)), Set.of(B), true, Set.of(A, C)))
                .isEqualTo(new RecoveryDecision.Recover(10, List.of(B), true));
    }

    private static final SpareCopies SPARES =
            new SpareCopies(10, List.of(new SpareCopies.Spare(C, 4), new SpareCopies.Spare(D, 5)));

    /**
     * Decides with one in-sync backup that cannot read its copy; the recovery before had left out the copies of two
     * others.
     */
    private static RecoveryDecision decideWithSpares(Map<Integer, SealedCopies.Copy> answers, Integer... givenUp) {
        return RecoveryDecision.decide(
                List.of(new ZoneMember(A, 1)), SPARES, answers, Set.of(A), true, Set.of(givenUp));
    }

    @Test
    void decide_onlyMemberIsUnreadable_spareCopiesAreWaitedForAndTakenUpToWhatTheRecoveryTook() {
        assertThat(decideWithSpares(Map.of(A, broken(6, 10)))).isEqualTo(new RecoveryDecision.Wait(List.of(C, D)));
        assertThat(decideWithSpares(Map.of(A, broken(6, 10), C, broken(4, 12))))
                .isEqualTo(new RecoveryDecision.Wait(List.of(D)));
        assertThat(decideWithSpares(Map.of(A, broken(6, 10), C, broken(4, 12), D, broken(5, 10))))
                .isEqualTo(new RecoveryDecision.Recover(10, List.of(C, D), false));
        assertThat(decideWithSpares(Map.of(A, broken(6, 10), C, broken(4, 12), D, broken(5, 9))))
                .isEqualTo(new RecoveryDecision.Recover(10, List.of(C), false));
        assertThat(decideWithSpares(Map.of(A, broken(6, 10), C, broken(4, 8)), D))
                .as("it lacks what had not been synced, but what it has can be read")
                .isEqualTo(new RecoveryDecision.Recover(8, List.of(C), false));
    }

    @Test
    void decide_unreadableMemberHasMoreThanTheRecoveryTook_spareCopiesDoNotCount() {
        assertThat(decideWithSpares(Map.of(A, broken(6, 11), C, broken(4, 12), D, broken(5, 10))))
                .isEqualTo(new RecoveryDecision.Recover(11, List.of(A), true));
    }

    @Test
    void decide_spareCopiesThatAreOfAnotherTimeOrGone_doNotCount() {
        SealedCopies.Copy ofAnEarlierOwner = broken(3, 12);
        SealedCopies.Copy filledWithMore = new SealedCopies.Copy(1, true, 5, 11, 12, false, true, 6, 0);
        assertThat(decideWithSpares(Map.of(A, broken(6, 10), C, ofAnEarlierOwner, D, filledWithMore)))
                .isEqualTo(new RecoveryDecision.Recover(10, List.of(A), true));
        assertThat(decideWithSpares(Map.of(A, broken(6, 10), C, none(), D, beingFilled(10))))
                .isEqualTo(new RecoveryDecision.Recover(10, List.of(A), true));
    }

    @Test
    void decide_spareCopiesAreUnreadableToo_damageOfTheMembersIsAccepted() {
        Map<Integer, SealedCopies.Copy> answers = Map.of(A, broken(6, 10), C, broken(5, 10), D, broken(5, 10));
        assertThat(RecoveryDecision.decide(
                        List.of(new ZoneMember(A, 1)), SPARES, answers, Set.of(A, C, D), true, Set.of()))
                .isEqualTo(new RecoveryDecision.Recover(10, List.of(A), true));
    }

    @Test
    void decide_aMemberCanBeRead_spareCopiesDoNotCount() {
        assertThat(RecoveryDecision.decide(
                        MEMBERS.subList(0, 1), SPARES, Map.of(A, broken(6, 10)), Set.of(), true, Set.of()))
                .isEqualTo(new RecoveryDecision.Recover(10, List.of(A), false));
        assertThat(RecoveryDecision.decide(
                        MEMBERS.subList(0, 2), SPARES, Map.of(A, broken(6, 10)), Set.of(A), true, Set.of()))
                .as("a member may be able to")
                .isEqualTo(new RecoveryDecision.Wait(List.of(B)));
    }

    @Test
    void decide_nobodyHasACopy_isLost() {
        assertThat(decide(Map.of(A, none(), B, none(), C, none()))).isInstanceOf(RecoveryDecision.Lost.class);
    }
}
