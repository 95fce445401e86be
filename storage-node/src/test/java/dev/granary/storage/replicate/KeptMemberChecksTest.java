package dev.granary.storage.replicate;

import static dev.granary.storage.replicate.LoneOwner.B;
import static dev.granary.storage.replicate.LoneOwner.MILLI;
import static dev.granary.storage.replicate.LoneOwner.ZONE;
import static dev.granary.storage.replicate.LoneOwner.placement;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.overlay.PlacementState;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class KeptMemberChecksTest {

    private final LoneOwner owner = new LoneOwner();

    @AfterEach
    void close() {
        owner.close();
    }

    /** Seed 200002023 of the simulator: what waited for these backups took the room of all zones for ever. */
    @Test
    void round_arcHasClosedAZoneWhoseOnlyMemberFailed_theZoneEndsAndNothingWaits() {
        owner.wantedCopies = 2;
        owner.run(() -> owner.replication().wantCopies(2));
        owner.run(() -> owner.replication().open(placement(1, PlacementState.DEGRADED, B)));
        owner.world.runFor(50 * MILLI);
        OwnedZone zone = Objects.requireNonNull(owner.replication().zones().byId(ZONE));
        owner.backup(B).kill();
        owner.delete(zone, 1, false);
        owner.world.runFor(2_000 * MILLI);
        assertThat(owner.changes).isEmpty();
        assertThat(owner.replication().pendingBytes()).isPositive();

        owner.placement = null;
        owner.world.runFor(KeptMemberChecks.PERIOD_NANOS);

        assertThat(zone.isEnded()).isTrue();
        assertThat(owner.replication().zones().byId(ZONE)).isNull();
        assertThat(owner.replication().pendingBytes()).isZero();
    }

    @Test
    void round_arcStillHasTheZone_itStaysAndTakesChangesOnceTheMemberIsBack() {
        owner.wantedCopies = 2;
        owner.run(() -> owner.replication().wantCopies(2));
        OwnedZone zone = owner.zone(B);
        owner.backup(B).kill();
        owner.delete(zone, 1, false);
        owner.world.runFor(2 * KeptMemberChecks.PERIOD_NANOS);
        assertThat(owner.lists).isBetween(1, 2);
        assertThat(zone.isEnded()).isFalse();

        owner.backup(B).start();
        owner.world.runFor(2_000 * MILLI);

        assertThat(zone.acked()).isEqualTo(1);
        int lists = owner.lists;
        owner.world.runFor(2 * KeptMemberChecks.PERIOD_NANOS);
        assertThat(owner.lists).as("questions about members that are well").isEqualTo(lists);
    }
}
