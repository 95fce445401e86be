package dev.granary.storage.replicate;

import static dev.granary.storage.replicate.LoneOwner.B;
import static dev.granary.storage.replicate.LoneOwner.C;
import static dev.granary.storage.replicate.LoneOwner.MILLI;
import static dev.granary.storage.replicate.LoneOwner.ZONE;
import static dev.granary.storage.replicate.LoneOwner.copy;
import static dev.granary.storage.replicate.LoneOwner.placement;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.storage.backup.Owner;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@link CopyOpenings}, as an owner uses them. */
class CopyOpeningsTest {

    private static final long SECOND = 1_000 * MILLI;

    private final LoneOwner owner = new LoneOwner();

    @AfterEach
    void close() {
        owner.close();
    }

    private long openEpochOf(OwnedZone zone, int nid) {
        return owner.locked(zone, () -> copy(zone, nid).openEpoch);
    }

    private void raiseEpoch(OwnedZone zone, long epoch) {
        Placement raised = placement(epoch, PlacementState.IN_SYNC, B, C);
        owner.placement = raised;
        owner.run(() -> owner.replication().changes().adopt(zone, raised));
    }

    @Test
    void open_newZone_bothBackupsTakeItsBatches() {
        OwnedZone zone = owner.zone(B, C);
        assertThat(openEpochOf(zone, B)).isEqualTo(1);
        assertThat(openEpochOf(zone, C)).isEqualTo(1);
        owner.delete(zone, 1, false);
        owner.world.runFor(50 * MILLI);
        assertThat(zone.acked()).isEqualTo(1);
        assertThat(owner.changes).isEmpty();
    }

    @Test
    void open_backupIsAwayForAMoment_isTriedAgainAndTheMemberStays() {
        OwnedZone zone = owner.zone(B, C);
        owner.backup(C).machine().pause(200 * MILLI);
        raiseEpoch(zone, 2);
        owner.world.runFor(50 * MILLI);
        assertThat(openEpochOf(zone, B)).isEqualTo(2);
        assertThat(openEpochOf(zone, C))
                .as("not before the backup has answered")
                .isZero();

        owner.world.runFor(SECOND);

        assertThat(openEpochOf(zone, C)).isEqualTo(2);
        assertThat(owner.changes).isEmpty();
    }

    @Test
    void open_backupStaysSilent_countsAsFailedButIsAskedUntilItAnswers() {
        OwnedZone zone = owner.zone(B, C);
        owner.arcKeeps = true;
        owner.backup(C).kill();
        raiseEpoch(zone, 2);
        owner.world.runFor(2 * SECOND);
        assertThat(owner.locked(zone, () -> copy(zone, C).isFailed())).isTrue();
        assertThat(owner.changes).isNotEmpty().allSatisfy(asked -> {
            assertThat(asked.dropped()).containsExactly(C);
            assertThat(asked.reason()).startsWith("does not answer");
        });
        assertThat(openEpochOf(zone, C)).isZero();

        owner.backup(C).start();
        owner.world.runFor(2 * SECOND);

        assertThat(openEpochOf(zone, C)).isEqualTo(2);
    }

    @Test
    void open_backupHasNoLogAnyMore_isNotOpenedAndTheArcDropsIt() {
        owner.wantedCopies = 2;
        owner.run(() -> owner.replication().wantCopies(2));
        OwnedZone zone = owner.zone(B, C);
        owner.delete(zone, 1, false);
        owner.world.runFor(50 * MILLI);
        assertThat(zone.acked()).isEqualTo(1);
        owner.backup(C).kill();
        owner.backup(C).machine().disk().replace();
        owner.backup(C).start();
        raiseEpoch(zone, 2);
        owner.world.runFor(SECOND);

        assertThat(owner.changes).first().satisfies(asked -> assertThat(asked.dropped())
                .containsExactly(C));
        assertThat(zone.copyOn(C)).isNull();
        assertThat(zone.placement().backups()).containsExactly(B);
    }

    @Test
    void open_backupKnowsAHigherEpoch_thePlacementIsAskedFor() {
        OwnedZone zone = owner.zone(B, C);
        new Owner(owner.world).seal(owner.backup(B), ZONE, 7);
        raiseEpoch(zone, 2);
        owner.placement = placement(8, PlacementState.IN_SYNC, B, C);
        owner.world.runFor(200 * MILLI);
        assertThat(owner.lists).isEqualTo(1);
        assertThat(zone.placement().epoch()).isEqualTo(8);
        assertThat(openEpochOf(zone, B)).isEqualTo(8);
        assertThat(openEpochOf(zone, C)).isEqualTo(8);
    }

    @Test
    void open_copyThatIsOpenedAlready_countsOnAsHoldingWhatItHolds() {
        OwnedZone zone = owner.zone(B, C);
        owner.backup(C).machine().pause(100 * MILLI);
        owner.delete(zone, 1, false);
        owner.world.runFor(50 * MILLI);
        assertThat(owner.locked(zone, () -> copy(zone, B).acked)).isEqualTo(1);
        assertThat(owner.locked(zone, () -> copy(zone, C).acked)).isZero();

        owner.run(() -> owner.replication().changes().open(copy(zone, B)));
        owner.world.runFor(SECOND);

        assertThat(owner.locked(zone, () -> copy(zone, B).acked)).isEqualTo(1);
        assertThat(zone.acked()).isEqualTo(1);
        assertThat(owner.changes).isEmpty();
    }

    @Test
    void open_zoneEndsMeanwhile_theAnswerChangesNothing() {
        OwnedZone zone = owner.zone(B, C);
        ZoneCopy late = owner.locked(zone, () -> copy(zone, C));
        raiseEpoch(zone, 2);
        owner.run(() -> owner.replication().zones().end(zone));
        owner.world.runFor(200 * MILLI);
        assertThat(late.openEpoch).isZero();
        assertThat(owner.changes).isEmpty();
    }
}
