package dev.granary.storage.replicate;

import static dev.granary.storage.replicate.LoneOwner.B;
import static dev.granary.storage.replicate.LoneOwner.C;
import static dev.granary.storage.replicate.LoneOwner.MILLI;
import static dev.granary.storage.replicate.LoneOwner.TIMEOUT_NANOS;
import static dev.granary.storage.replicate.LoneOwner.ZONE;
import static dev.granary.storage.replicate.LoneOwner.copy;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.env.Clock;
import dev.granary.net.message.ReplicationMessages.CopyResult;
import dev.granary.net.message.ReplicationMessages.CopyState;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Answers of a backup that has nothing to say by itself: its process has ended, and the test answers in its place. */
class CopyAnswersTest {

    private static final long EPOCH = 1;

    private final LoneOwner owner = new LoneOwner();
    private final OwnedZone zone = owner.zone(B, C);
    private final ZoneCopy copy = copy(zone, B);
    private final AtomicLong now = new AtomicLong();
    private final CopyAnswers answers = new CopyAnswers(
            new Clock() {
                @Override
                public long nanoTime() {
                    return now.get();
                }

                @Override
                public long wallMillis() {
                    return 0;
                }
            },
            TIMEOUT_NANOS,
            owner.replication().changes());

    /** Three batches are on their way to both members. */
    @BeforeEach
    void sendBatches() {
        owner.backup(B).kill();
        owner.backup(C).kill();
        for (int i = 0; i < 3; i++) {
            owner.delete(zone, 1, false);
        }
        assertThat(zone.last()).isEqualTo(3);
    }

    @AfterEach
    void close() {
        owner.close();
    }

    private Shipment.Part part(long epoch, long last) {
        return new Shipment.Part(copy, epoch, 0, 1, last, 0);
    }

    private boolean came(ZoneCopy from, CopyResult result, long epoch, long lastSequence) {
        boolean[] pause = {false};
        owner.run(() -> pause[0] = answers.came(
                new Shipment.Part(from, EPOCH, 0, 1, 3, 0), new CopyState(ZONE, result, epoch, lastSequence)));
        return pause[0];
    }

    private boolean came(CopyResult result, long lastSequence) {
        return came(copy, result, EPOCH, lastSequence);
    }

    private void assertHolds(long acked, long next) {
        assertThat(owner.locked(zone, () -> copy.acked)).isEqualTo(acked);
        assertThat(owner.locked(zone, () -> copy.next)).isEqualTo(next);
    }

    private void assertBroken(boolean expected) {
        assertThat(owner.locked(zone, copy::isBroken)).isEqualTo(expected);
    }

    private void assertFailed(boolean expected) {
        assertThat(owner.locked(zone, copy::isFailed)).isEqualTo(expected);
    }

    /** The reason for which the arc is asked to drop the member now. */
    private String reason() {
        owner.world.runFor(5 * MILLI);
        assertThat(owner.changes).isNotEmpty();
        assertThat(owner.changes.getFirst().dropped()).contains(B);
        return owner.changes.getFirst().reason();
    }

    @Test
    void came_bothMembersHoldEverything_answersThatWaitedAreSent() {
        List<String> sent = new ArrayList<>();
        HeldReply reply = owner.replication()
                .zones()
                .held()
                .hold(() -> true, 8, 1_000 * MILLI, refusal -> sent.add(refusal == null ? "OK" : "refused"));
        owner.run(() -> {
            zone.await(2, false, reply);
            reply.begun();
        });
        assertThat(came(CopyResult.OK, 3)).isFalse();
        assertHolds(3, 4);
        assertThat(zone.acked()).isZero();
        assertThat(sent).isEmpty();

        came(copy(zone, C), CopyResult.OK, EPOCH, 2);

        assertThat(zone.acked()).isEqualTo(2);
        assertThat(sent).containsExactly("OK");
    }

    @Test
    void came_moreThanWasEverSent_countsUpToTheLastBatch() {
        came(CopyResult.OK, 99);
        assertHolds(3, 4);
    }

    @Test
    void came_gap_isSentAgainFromThere() {
        assertThat(came(CopyResult.GAP, 1)).isFalse();
        assertHolds(1, 2);
        assertFailed(false);
    }

    @Test
    void came_gapBehindWhichItHadMore_copyIsOfNoUse() {
        came(CopyResult.OK, 2);
        came(CopyResult.GAP, 1);
        assertBroken(true);
        assertThat(reason()).isEqualTo("has lost changes that it had");
    }

    @Test
    void came_busy_asksForAPauseAndIsTooSlowAfterFourTimeouts() {
        waitingSince(0);
        now.set(4 * TIMEOUT_NANOS - 1);
        assertThat(came(CopyResult.BUSY, 0)).isTrue();
        assertHolds(0, 1);
        assertFailed(false);
        now.set(4 * TIMEOUT_NANOS);
        assertThat(came(CopyResult.BUSY, 0)).isTrue();
        assertFailed(true);
        assertBroken(false);
        assertThat(reason()).isEqualTo("is too slow");
    }

    @Test
    void came_higherEpochIsKnown_asksForThePlacement() {
        came(copy, CopyResult.FENCED, 2, 0);
        owner.world.runFor(5 * MILLI);
        assertThat(owner.lists).isEqualTo(1);
        assertThat(owner.changes).isEmpty();
        assertFailed(false);
    }

    @Test
    void came_fencedByNoHigherEpoch_copyIsOfNoUse() {
        came(copy, CopyResult.FENCED, EPOCH, 0);
        assertThat(owner.lists).isZero();
        assertBroken(true);
        assertThat(reason()).isEqualTo("knows another epoch");
    }

    @ParameterizedTest
    @CsvSource({"UNKNOWN_ZONE, has lost its copy", "FULL, has no room on its disk", "FAILED, cannot keep its log"})
    void came_backupCannotKeepTheCopy_isToBeDropped(CopyResult result, String reason) {
        assertThat(came(result, 0)).isFalse();
        assertBroken(true);
        assertThat(reason()).isEqualTo(reason);
    }

    @Test
    void came_answerFromBeforeTheCopyWasOpenedAgain_changesNothing() {
        owner.run(() -> {
            assertThat(answers.came(part(EPOCH - 1, 3), new CopyState(ZONE, CopyResult.BUSY, EPOCH, 3)))
                    .isFalse();
            answers.came(part(EPOCH - 1, 3), new CopyState(ZONE, CopyResult.FAILED, EPOCH, 3));
            answers.silent(part(EPOCH - 1, 3));
            answers.synced(part(EPOCH - 1, 0), new CopyState(ZONE, CopyResult.OK, EPOCH, 3));
        });
        assertHolds(0, 4);
        assertFailed(false);
    }

    @Test
    void checked_idleCopyHasLess_copyIsOfNoUse() {
        came(CopyResult.OK, 3);
        owner.run(() -> answers.checked(part(EPOCH, 3), new CopyState(ZONE, CopyResult.OK, EPOCH, 3)));
        assertFailed(false);
        owner.run(() -> answers.checked(part(EPOCH, 3), new CopyState(ZONE, CopyResult.OK, EPOCH, 2)));
        assertBroken(true);
    }

    @Test
    void synced_backupHasEverything_countsAsSyncedAndOtherwiseIsOfNoUse() {
        came(CopyResult.OK, 3);
        assertThat(synced(CopyResult.BUSY, 3)).isFalse();
        assertThat(synced(CopyResult.OK, 3)).isTrue();
        assertThat(owner.locked(zone, () -> copy.synced)).isEqualTo(3);
        assertThat(synced(CopyResult.OK, 2)).isFalse();
        assertBroken(true);
        assertThat(reason()).isEqualTo("has lost changes that it had");
    }

    private boolean synced(CopyResult result, long lastSequence) {
        boolean[] done = {false};
        owner.run(() -> done[0] = answers.synced(part(EPOCH, 3), new CopyState(ZONE, result, EPOCH, lastSequence)));
        return done[0];
    }

    @Test
    void syncFailed_diskIsSlow_memberIsToBeDroppedAfterTwentySeconds() {
        now.set(100);
        owner.locked(zone, () -> {
            copy.beginSync(100);
            return copy;
        });
        now.set(100 + 20_000 * MILLI - 1);
        owner.run(() -> answers.syncFailed(part(EPOCH, 3), null));
        assertFailed(false);
        now.incrementAndGet();
        owner.run(() -> answers.syncFailed(part(EPOCH, 3), new IllegalStateException("no room")));
        assertFailed(true);
        assertThat(reason()).isEqualTo("does not sync: no room");
    }

    @Test
    void silent_backupThatAnsweredNothing_isToBeDroppedAtOnceAndComesBackWithAnAnswer() {
        owner.run(() -> answers.silent(part(EPOCH, 3)));
        assertFailed(true);
        assertBroken(false);
        came(CopyResult.OK, 3);
        assertFailed(false);
    }

    @Test
    void failed_request_isSentAgainAndTheMemberDroppedAfterTheTimeout() {
        waitingSince(0);
        now.set(TIMEOUT_NANOS - 1);
        owner.run(() -> answers.failed(part(EPOCH, 3), null));
        assertHolds(0, 1);
        assertFailed(false);
        now.set(TIMEOUT_NANOS);
        owner.run(() -> answers.failed(part(EPOCH, 3), null));
        assertFailed(true);
        assertThat(reason()).isEqualTo("does not answer");
    }

    private void waitingSince(long nanos) {
        owner.locked(zone, () -> {
            copy.waiting = true;
            copy.waitingSinceNanos = nanos;
            return copy;
        });
    }
}
