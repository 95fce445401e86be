package dev.granary.overlay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class PlacementTest {

    @Test
    void equals_sameValues_isTrueAndSoIsTheHash() {
        Placement left = new Placement(2, new int[] {4, 6}, 7, 3, PlacementState.DEGRADED);
        Placement right = new Placement(2, new int[] {4, 6}, 7, 3, PlacementState.DEGRADED);
        assertThat(left).isEqualTo(right).hasSameHashCodeAs(right);
        assertThat(left).hasToString("owner 0x0002, backups [0x0004, 0x0006], epoch 7, zone 3, DEGRADED");
    }

    @Test
    void equals_oneValueDiffers_isFalse() {
        Placement placement = new Placement(2, new int[] {4, 6}, 7, 3, PlacementState.IN_SYNC);
        assertThat(placement)
                .isNotEqualTo(new Placement(8, new int[] {4, 6}, 7, 3, PlacementState.IN_SYNC))
                .isNotEqualTo(new Placement(2, new int[] {6, 4}, 7, 3, PlacementState.IN_SYNC))
                .isNotEqualTo(new Placement(2, new int[] {4, 6}, 8, 3, PlacementState.IN_SYNC))
                .isNotEqualTo(new Placement(2, new int[] {4, 6}, 7, 4, PlacementState.IN_SYNC))
                .isNotEqualTo(new Placement(2, new int[] {4, 6}, 7, 3, PlacementState.DEGRADED));
    }

    @Test
    void backups_arraysGivenAndReturned_areCopies() {
        int[] given = {4, 6};
        Placement placement = new Placement(2, given, 1, 0, PlacementState.IN_SYNC);
        given[0] = 8;
        placement.backups()[1] = 8;
        assertThat(placement.backups()).containsExactly(4, 6);
        assertThat(placement.backupCount()).isEqualTo(2);
        assertThat(placement.backup(1)).isEqualTo(6);
    }

    @Test
    void placement_impossibleValues_areRefused() {
        assertThatThrownBy(() -> Placement.unreplicated(1, 1)).hasMessageContaining("not a storage peer");
        assertThatThrownBy(() -> Placement.unreplicated(0, 1)).hasMessageContaining("needs an owner");
        assertThatThrownBy(() -> Placement.unreplicated(2, 0)).hasMessageContaining("epoch 0");
        assertThatThrownBy(() -> Placement.unreplicated(2, 1L << 32)).hasMessageContaining("beyond 4294967295");
        assertThatThrownBy(() -> new Placement(2, new int[] {4, 4}, 1, 0, PlacementState.IN_SYNC))
                .hasMessageContaining("twice");
        assertThatThrownBy(() -> new Placement(2, new int[] {2}, 1, 0, PlacementState.IN_SYNC))
                .hasMessageContaining("itself");
        assertThatThrownBy(() -> new Placement(2, new int[4], 1, 0, PlacementState.IN_SYNC))
                .hasMessageContaining("at most 3");
        assertThatThrownBy(() -> new Placement(2, new int[0], 1, -1, PlacementState.IN_SYNC))
                .hasMessageContaining("zone -1");
        assertThat(new Placement(0, new int[] {4}, 2, 0, PlacementState.RECOVERING).owner())
                .isZero();
    }

    @Test
    void stateCodes_allStates_readBack() {
        for (PlacementState state : PlacementState.values()) {
            assertThat(PlacementState.ofCode(state.code())).isEqualTo(state);
        }
        assertThatThrownBy(() -> PlacementState.ofCode(99)).hasMessageContaining("99");
    }

    @Test
    void range_endsOfOneCreator_containsWhatLiesBetween() {
        Placement placement = Placement.unreplicated(0x8000, 1);
        CidRange range = new CidRange(Cid.of(0x8000, 5), Cid.of(0x8000, 9), placement);
        assertThat(range.size()).isEqualTo(5);
        assertThat(range.contains(Cid.of(0x8000, 4))).isFalse();
        assertThat(range.contains(Cid.of(0x8000, 5))).isTrue();
        assertThat(range.contains(Cid.of(0x8000, 9))).isTrue();
        assertThat(range.contains(Cid.of(0x8000, 10))).isFalse();
        assertThat(range.contains(Cid.of(0x4000, 7))).isFalse();
        assertThatThrownBy(() -> new CidRange(Cid.of(2, 1), Cid.of(4, 1), placement))
                .hasMessageContaining("one creator");
        assertThatThrownBy(() -> new CidRange(Cid.of(2, 0), Cid.of(2, 1), placement))
                .hasMessageContaining("below LID 1");
        assertThatThrownBy(() -> new CidRange(Cid.of(2, 2), Cid.of(2, 1), placement))
                .hasMessageContaining("ends before");
    }
}
