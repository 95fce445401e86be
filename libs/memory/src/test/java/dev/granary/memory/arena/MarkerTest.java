package dev.granary.memory.arena;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MarkerTest {

    @Test
    void paddingBytes_eachLength_isReadBackAndNeverTakenForAMarker() {
        for (int bytes = 1; bytes < Marker.MAX_ALIGNMENT_BYTES; bytes++) {
            int last = Marker.padding(bytes);
            assertThat(last).isBetween(0, 255);
            assertThat(Marker.isAllocated(Marker.right(last))).isFalse();
            assertThat(Marker.paddingBytes(last)).isEqualTo(bytes);
        }
    }

    @Test
    void paddingBytes_markersOfAllocatedBlocks_isZero() {
        for (int left = 0; left < 16; left++) {
            for (int right : new int[] {1, 2, 3, 4, Marker.TABLE, Marker.OTHER}) {
                assertThat(Marker.paddingBytes(Marker.of(left, right))).isZero();
            }
        }
    }
}
