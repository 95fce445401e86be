package dev.granary.simulation.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Owners that know their zones as the arc has committed them, and owners that do not. */
class ZoneViewsTest {

    private static final int OWNER = 0x2000;
    private static final int ZONE = BackupZone.id(OWNER, 3);

    private static Map<String, List<Placement>> arc(PlacementState state, int... backups) {
        return Map.of("super-1", List.of(new Placement(OWNER, backups, 4, ZONE, state)));
    }

    private static Map<Integer, Map<Integer, Set<Integer>>> owner(Integer... backups) {
        return Map.of(OWNER, Map.of(ZONE, Set.of(backups)));
    }

    @Test
    void differences_sameBackupsInAnotherOrder_none() {
        assertThat(ZoneViews.differences(arc(PlacementState.IN_SYNC, 0x6000, 0x4000), owner(0x4000, 0x6000)))
                .isEmpty();
    }

    @Test
    void differences_ownerHasForgottenABackup_namesZoneArcAndBoth() {
        assertThat(ZoneViews.differences(arc(PlacementState.IN_SYNC, 0x4000, 0x6000), owner(0x4000)))
                .containsExactly("zone 0x2000/3 has backups [0x4000, 0x6000] in the arc at super-1, "
                        + "and its owner 0x2000 replicates it to [0x4000]");
    }

    @Test
    void differences_ownerDoesNotKnowTheZone_saysSo() {
        assertThat(ZoneViews.differences(arc(PlacementState.DEGRADED, 0x4000), Map.of(OWNER, Map.of())))
                .containsExactly(
                        "zone 0x2000/3 has backups [0x4000] in the arc at super-1, and its owner 0x2000 does not know it");
        assertThat(ZoneViews.differences(arc(PlacementState.DEGRADED, 0x4000), Map.of()))
                .hasSize(1);
    }

    @Test
    void differences_zoneWithoutAnOwner_none() {
        assertThat(ZoneViews.differences(arc(PlacementState.RECOVERING, 0x4000), Map.of()))
                .isEmpty();
    }
}
