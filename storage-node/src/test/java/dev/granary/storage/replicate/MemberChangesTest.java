package dev.granary.storage.replicate;

import static dev.granary.storage.replicate.LoneOwner.B;
import static dev.granary.storage.replicate.LoneOwner.C;
import static dev.granary.storage.replicate.LoneOwner.MILLI;
import static dev.granary.storage.replicate.LoneOwner.NID;
import static dev.granary.storage.replicate.LoneOwner.ZONE;
import static dev.granary.storage.replicate.LoneOwner.copy;
import static dev.granary.storage.replicate.LoneOwner.placement;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.ZoneMessages.ChangeCopies;
import dev.granary.overlay.PlacementState;
import dev.granary.storage.backup.Owner;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MemberChangesTest {

    private static final long SECOND = 1_000 * MILLI;

    private final LoneOwner owner = new LoneOwner();
    private final MemberChanges changes = owner.replication().changes();

    @AfterEach
    void close() {
        owner.close();
    }

    private OwnedZone zoneWithFloorOfOne(int... members) {
        owner.wantedCopies = 2;
        owner.run(() -> owner.replication().wantCopies(2));
        return owner.zone(members);
    }

    private long openEpochOf(OwnedZone zone, int nid) {
        return owner.locked(zone, () -> copy(zone, nid).openEpoch);
    }

    private boolean isAsking(OwnedZone zone) {
        boolean[] asking = {false};
        owner.run(() -> asking[0] = changes.isAsking(zone));
        return asking[0];
    }

    private static List<Integer> membersOf(OwnedZone zone) {
        return Arrays.stream(zone.placement().backups()).boxed().toList();
    }

    @Test
    void copyFailed_memberIsSilent_nothingIsAcknowledgedWithoutItBeforeTheArcHasCommittedThat() {
        OwnedZone zone = zoneWithFloorOfOne(B, C);
        owner.arcRefusal = ErrorReply.of(ErrorCode.RETRY_LATER, "nobody leads the arc");
        owner.backup(C).kill();
        owner.delete(zone, 1, false);
        owner.world.runFor(2 * SECOND);
        assertThat(owner.changes).hasSizeGreaterThan(10);
        ChangeCopies asked = owner.changes.getFirst();
        assertThat(asked)
                .isEqualTo(new ChangeCopies(
                        ZONE, NID, LoneOwner.INCARNATION_EPOCH, 1, List.of(C), List.of(), asked.reason()));
        assertThat(asked.reason()).startsWith("does not answer");
        assertThat(zone.acked()).isZero();
        assertThat(isAsking(zone)).isTrue();

        owner.arcRefusal = null;
        owner.world.runFor(200 * MILLI);

        assertThat(zone.acked()).isEqualTo(1);
        assertThat(membersOf(zone)).containsExactly(B);
        assertThat(openEpochOf(zone, B)).isEqualTo(2);
        assertThat(isAsking(zone)).isFalse();
    }

    @Test
    void change_theOnlyMemberIsSilent_staysAndWritesAreRefused() {
        OwnedZone zone = zoneWithFloorOfOne(B);
        owner.backup(B).kill();
        owner.delete(zone, 1, false);
        owner.world.runFor(2 * SECOND);
        assertThat(owner.changes).isEmpty();
        assertThat(zone.refusal()).isNotNull();

        owner.backup(B).start();
        owner.world.runFor(2 * SECOND);

        assertThat(zone.refusal()).isNull();
        assertThat(zone.acked()).isEqualTo(1);
    }

    @Test
    void change_memberAnswersAgainBeforeTheArc_isNotDropped() {
        OwnedZone zone = zoneWithFloorOfOne(B, C);
        owner.arcRefusal = ErrorReply.of(ErrorCode.RETRY_LATER, "nobody leads the arc");
        owner.backup(C).machine().pause(SECOND);
        owner.delete(zone, 1, false);
        owner.world.runFor(900 * MILLI);
        assertThat(owner.changes.getLast().dropped()).containsExactly(C);
        owner.world.runFor(2 * SECOND);
        assertThat(owner.changes.getLast().dropped()).isEmpty();
        owner.arcRefusal = null;
        owner.world.runFor(SECOND);
        assertThat(zone.copyOn(C)).isNotNull();
        assertThat(zone.acked()).isEqualTo(1);
    }

    @Test
    void change_arcDoesNotDropTheMember_isAskedAgainFiveTimesASecond() {
        OwnedZone zone = zoneWithFloorOfOne(B, C);
        owner.arcKeeps = true;
        owner.backup(C).kill();
        owner.delete(zone, 1, false);
        owner.world.runFor(2 * SECOND);
        assertThat(owner.changes).hasSizeBetween(4, 10);
        assertThat(zone.acked()).isZero();
        owner.arcKeeps = false;
        owner.world.runFor(SECOND);
        assertThat(membersOf(zone)).containsExactly(B);
    }

    @Test
    void fenced_anotherOwnerIsCommitted_theZoneEnds() {
        OwnedZone zone = owner.zone(B, C);
        new Owner(owner.world).seal(owner.backup(B), ZONE, 7);
        owner.placement = null;
        owner.delete(zone, 1, false);
        owner.world.runFor(100 * MILLI);
        assertThat(owner.lists).isEqualTo(1);
        assertThat(zone.isEnded()).isTrue();
        assertThat(owner.replication().zones().byId(ZONE)).isNull();
        assertThat(owner.changes).isEmpty();
    }

    @Test
    void fenced_arcHasRaisedTheEpochOnly_membersAreOpenedAgainAndTakeWhatWasPending() {
        OwnedZone zone = owner.zone(B, C);
        new Owner(owner.world).seal(owner.backup(B), ZONE, 7);
        owner.placement = placement(8, PlacementState.IN_SYNC, B, C);
        owner.delete(zone, 1, false);
        owner.world.runFor(200 * MILLI);
        assertThat(zone.isEnded()).isFalse();
        assertThat(zone.placement().epoch()).isEqualTo(8);
        assertThat(openEpochOf(zone, B)).isEqualTo(8);
        assertThat(openEpochOf(zone, C)).isEqualTo(8);
        assertThat(zone.acked()).isEqualTo(1);
    }

    @Test
    void adopt_lowerEpoch_changesNothing() {
        OwnedZone zone = owner.zone(B, C);
        owner.run(() -> changes.adopt(zone, placement(1, PlacementState.IN_SYNC, B)));
        assertThat(membersOf(zone)).containsExactly(B, C);
        owner.run(() -> changes.adopt(zone, placement(2, PlacementState.IN_SYNC, B)));
        assertThat(membersOf(zone)).containsExactly(B);
        assertThat(zone.copyOn(C)).isNull();
        owner.world.runFor(50 * MILLI);
        assertThat(openEpochOf(zone, B)).isEqualTo(2);
        assertThat(owner.backup(C).life().log().zoneCount())
                .as("was told to drop it")
                .isZero();
    }

    @Test
    void adopt_memberThatWasNotFilledHere_isDroppedAgain() {
        OwnedZone zone = zoneWithFloorOfOne(B);
        owner.placement = placement(2, PlacementState.IN_SYNC, B, C);
        owner.run(() -> changes.adopt(zone, Objects.requireNonNull(owner.placement)));
        owner.world.runFor(200 * MILLI);
        assertThat(owner.changes).first().satisfies(change -> assertThat(change.dropped())
                .containsExactly(C));
        assertThat(membersOf(zone)).containsExactly(B);
    }

    /** ADR 0126. */
    @Test
    void change_arcHasClosedTheZone_onlyAZoneWithoutChunksEnds() {
        owner.wantedCopies = 2;
        owner.run(() -> owner.replication().wantCopies(2));
        owner.run(() -> owner.replication().open(placement(1, PlacementState.IN_SYNC, B, C)));
        owner.world.runFor(50 * MILLI);
        OwnedZone empty = Objects.requireNonNull(owner.replication().zones().byId(ZONE));
        owner.arcRefusal = ErrorReply.of(ErrorCode.NOT_FOUND, "no such zone");
        owner.backup(C).kill();
        owner.delete(empty, 1, false);
        owner.world.runFor(SECOND);
        assertThat(empty.isEnded()).isTrue();
        assertThat(owner.changes).hasSize(1);
    }

    @Test
    void change_arcDoesNotKnowAZoneWithChunks_isAskedAgain() {
        OwnedZone zone = zoneWithFloorOfOne(B, C);
        owner.arcRefusal = ErrorReply.of(ErrorCode.NOT_FOUND, "no such zone");
        owner.backup(C).kill();
        owner.delete(zone, 1, false);
        owner.world.runFor(SECOND);
        assertThat(zone.isEnded()).isFalse();
        assertThat(owner.changes).hasSizeGreaterThan(2);
    }

    @Test
    void change_zoneIsAloneAndNoCopiesAreWanted_takesWritesOnceTheArcHasCommittedThat() {
        owner.wantedCopies = 1;
        owner.run(() -> owner.replication().wantCopies(1));
        owner.run(() -> owner.replication()
                .add(new ZoneGrant(placement(1, PlacementState.DEGRADED), List.of(), 0, false, true)));
        OwnedZone zone = Objects.requireNonNull(owner.replication().zones().byId(ZONE));
        owner.placement = placement(1, PlacementState.DEGRADED);
        assertThat(zone.refusal()).isNotNull();

        owner.wantedCopies = 0;
        owner.run(() -> owner.replication().wantCopies(0));
        assertThat(zone.refusal()).isNotNull();
        owner.world.runFor(50 * MILLI);

        assertThat(owner.changes).hasSize(1);
        assertThat(zone.placement().epoch()).isEqualTo(2);
        assertThat(zone.refusal()).isNull();
    }
}
