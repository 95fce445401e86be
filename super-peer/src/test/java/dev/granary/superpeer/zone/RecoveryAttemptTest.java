package dev.granary.superpeer.zone;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.RecoveryMessages.RunRecoveryReply.Progress;
import dev.granary.net.message.RecoveryMessages.RunRecoveryReply.State;
import dev.granary.net.message.ReplicationMessages.SealedCopies;
import dev.granary.superpeer.state.ZoneMember;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RecoveryAttemptTest {

    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final int A = 0x8000;
    private static final int B = 0x4000;

    private final RecoveryAttempt attempt = new RecoveryAttempt(0, 5);

    private static SealedCopies.Copy whole(int zone) {
        return new SealedCopies.Copy(zone, true, 5, 0, 10, true, true, 6, 0);
    }

    private static SealedCopies.Copy withGap(int zone) {
        return new SealedCopies.Copy(zone, true, 5, 0, 10, false, true, 6, 0);
    }

    private static Progress progress(long chunks) {
        return new Progress(1, 6, State.RUNNING, chunks, 8 * chunks, "reads");
    }

    @Test
    void isSealDue_untilAMemberAnswers_askedAgainAfter200Millis() {
        assertThat(attempt.isSealDue(A, 0)).isTrue();
        attempt.sealAsked(A, 0);
        assertThat(attempt.isSealDue(A, 200 * MILLI - 1)).isFalse();
        assertThat(attempt.isSealDue(A, 200 * MILLI)).isTrue();
        assertThat(attempt.isSealDue(B, 1)).as("each by itself").isTrue();

        attempt.sealed(A, withGap(1), true, 300 * MILLI);

        assertThat(attempt.isSealDue(A, SECOND)).isFalse();
        assertThat(attempt.answers()).containsOnlyKeys(A);
    }

    @Test
    void isGraceOver_oneHasEverything_150MillisAfterTheFirstThatHas() {
        attempt.sealed(A, withGap(1), true, 0);
        assertThat(attempt.isGraceOver(SECOND)).as("nobody has everything").isFalse();

        attempt.sealed(B, whole(1), true, SECOND);
        attempt.sealed(A, whole(1), true, 2 * SECOND);

        assertThat(attempt.isGraceOver(SECOND + 150 * MILLI - 1)).isFalse();
        assertThat(attempt.isGraceOver(SECOND + 150 * MILLI)).isTrue();
    }

    @Test
    void isGraceOver_theOnlyWholeCopyCannotBeRead_isNot() {
        attempt.cannotRead(A, "checksum");
        attempt.sealed(A, whole(1), true, 0);

        assertThat(attempt.isGraceOver(10 * SECOND)).isFalse();
        assertThat(attempt.unreadable()).containsExactly(A);
        assertThat(attempt.note()).isEqualTo("storage peer 0x8000: checksum");
    }

    @Test
    void isGraceOver_onlyASpareCopyIsWhole_isNot() {
        attempt.sealed(A, whole(1), false, 0);

        assertThat(attempt.isGraceOver(10 * SECOND)).isFalse();
        assertThat(attempt.answers()).containsOnlyKeys(A);
    }

    @Test
    void mayGiveUpMembers_aPersonHasSaidSo_aSecondAfterTheEpochBegan() {
        assertThat(attempt.mayGiveUpMembers(10 * SECOND)).isFalse();
        attempt.acceptLoss();
        assertThat(attempt.mayGiveUpMembers(SECOND - 1)).isFalse();
        assertThat(attempt.mayGiveUpMembers(SECOND)).isTrue();

        attempt.begin(10 * SECOND, 6);

        assertThat(attempt.mayGiveUpMembers(10 * SECOND))
                .as("members are asked again")
                .isFalse();
        assertThat(attempt.mayGiveUpMembers(11 * SECOND))
                .as("what a person said holds")
                .isTrue();
    }

    @Test
    void isOrderDue_candidateWasTold_againAfter100Millis() {
        assertThat(attempt.isOrderDue(0)).isTrue();
        assertThat(attempt.turn()).isEqualTo(Long.MIN_VALUE);
        attempt.told(0);
        assertThat(attempt.isOrderDue(100 * MILLI - 1)).isFalse();
        assertThat(attempt.isOrderDue(100 * MILLI)).isTrue();
        assertThat(attempt.isAccepted()).isFalse();

        attempt.heard(progress(0), 50 * MILLI);
        attempt.told(100 * MILLI);

        assertThat(attempt.isAccepted()).as("it knows the spans").isTrue();
        assertThat(attempt.turn()).isEqualTo(100 * MILLI);
    }

    @Test
    void isStalled_chunksStandStill_after30SecondsThoughItAnswers() {
        attempt.told(0);
        attempt.heard(progress(0), SECOND);
        assertThat(attempt.isStalled(100 * SECOND)).as("it waits for its turn").isFalse();

        attempt.heard(progress(7), 2 * SECOND);
        for (int second = 3; second <= 32; second++) {
            attempt.heard(progress(7), second * SECOND);
            assertThat(attempt.isStalled(second * SECOND)).isFalse();
        }

        assertThat(attempt.isStalled(32 * SECOND + 1)).isTrue();
        assertThat(attempt.isSilent(47 * SECOND)).isFalse();
        assertThat(attempt.isSilent(47 * SECOND + 1)).isTrue();
        assertThat(attempt.chunks()).isEqualTo(7);
        assertThat(attempt.bytes()).isEqualTo(56);
    }

    @Test
    void begin_anotherEpoch_forgetsAnswersAndTheCandidateButNotWhoRefused() {
        attempt.sealed(A, whole(1), true, 0);
        attempt.waitFor(List.of(B));
        attempt.told(0);
        attempt.heard(progress(3), 0);
        attempt.refuse(A, 0);

        attempt.begin(SECOND, 6);

        assertThat(attempt.epoch()).isEqualTo(6);
        assertThat(attempt.beganNanos()).isZero();
        assertThat(attempt.answers()).isEmpty();
        assertThat(attempt.waitingFor()).isEmpty();
        assertThat(attempt.isGraceOver(10 * SECOND)).isFalse();
        assertThat(attempt.isAccepted()).isFalse();
        assertThat(attempt.isOrderDue(SECOND)).isTrue();
        assertThat(attempt.chunks()).isZero();
        assertThat(attempt.refused()).containsExactly(A);
    }

    @Test
    void nobodyCan_soonAndLater_whoRefusedIsAskedAgainAfterTwoSeconds() {
        attempt.refuse(A, SECOND);
        attempt.nobodyCan("no storage peer has room for it", 3 * SECOND - 1);
        assertThat(attempt.refused()).containsExactly(A);
        assertThat(attempt.note()).isEqualTo("no storage peer has room for it");

        attempt.nobodyCan("no storage peer has room for it", 3 * SECOND);

        assertThat(attempt.refused()).isEmpty();
    }

    @Test
    void giveUp_ofACandidate_namesIt() {
        attempt.giveUp(new ZoneMember(B, 3), " does not answer");

        assertThat(attempt.note()).isEqualTo("storage peer 0x4000 does not answer");
    }
}
