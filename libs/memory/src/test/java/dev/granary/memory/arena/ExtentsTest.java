package dev.granary.memory.arena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.memory.SystemMemoryConfig;
import dev.granary.memory.os.Vmb;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExtentsTest {

    private static final int EXTENT = 64 << 10;
    private static final long HEADER = 1000;

    private static Vmb vmb(long capacityBytes, long maxCapacityBytes) {
        return new Vmb(
                capacityBytes,
                SystemMemoryConfig.defaults().withHugePages(false).withMaxCapacityBytes(maxCapacityBytes));
    }

    @Test
    void take_oneAndRuns_areTheFirstThatFit() {
        try (Vmb vmb = vmb(1 << 20, 0)) {
            Extents extents = new Extents(vmb, HEADER);
            assertThat(extents.take(EXTENT, 3)).isEqualTo(1);
            assertThat(extents.take(EXTENT - HEADER, 4)).isZero();
            assertThat(extents.start(0)).isEqualTo(HEADER);
            assertThat(extents.take(2 * EXTENT + 1, 5)).isEqualTo(2);
            assertThat(extents.owner(5 * EXTENT - 1)).isEqualTo(5);
            assertThat(extents.owner(5 * EXTENT)).isEqualTo(Extents.NONE);
            extents.release(2);
            assertThat(extents.take(EXTENT, 6)).isEqualTo(2);
            assertThat(extents.take(3 * EXTENT, 6)).isEqualTo(3);
            extents.release(0);
            assertThat(extents.take(EXTENT, 6)).isEqualTo(6);
            assertThat(extents.regionBytes()).isEqualTo(6L * EXTENT);
            assertThat(extents.take(9L * EXTENT, 6)).isEqualTo(7);
            assertThat(extents.take(EXTENT, 6)).isEqualTo(Extents.NONE);
            assertThat(extents.take(10, 6)).isZero();
            assertThat(extents.take(10, 6)).isEqualTo(Extents.NONE);
        }
    }

    @Test
    void setAside_leavesSoMuchLessToTake() {
        try (Vmb vmb = vmb(1 << 20, 0)) {
            Extents extents = new Extents(vmb, HEADER);
            assertThat(extents.take(12L * EXTENT - HEADER, 0)).isZero();
            assertThat(extents.setAside(2 * EXTENT + 1)).isEqualTo(3 * EXTENT);
            assertThat(extents.freeExtents()).isEqualTo(1);
            assertThat(extents.take(2 * EXTENT, 0)).isEqualTo(Extents.NONE);
            assertThat(extents.setAside(5 * EXTENT)).isEqualTo(3 * EXTENT);
            assertThat(extents.restore(12, 2, 0)).isFalse();
            assertThat(extents.take(EXTENT, 0)).isEqualTo(12);
            assertThat(extents.setCapacity(1 << 20)).isZero();
            assertThat(extents.setCapacity(14 * EXTENT)).isEqualTo(2 * EXTENT);
            // Less can be set aside although there is too little.
            assertThat(extents.setAside(EXTENT)).isEqualTo(EXTENT);
            assertThat(extents.excessBytes()).isZero();
            assertThat(extents.setAside(0)).isZero();
            assertThat(extents.asideBytes()).isZero();
        }
    }

    @Test
    void take_runBehindTheHeader_mayNeedOneMore() {
        try (Vmb vmb = vmb(1 << 20, 0)) {
            Extents extents = new Extents(vmb, HEADER);
            assertThat(extents.take(2 * EXTENT, 0)).isZero();
            assertThat(extents.end(0)).isEqualTo(3 * EXTENT);
            extents.release(0);
            assertThat(extents.take(16 * EXTENT, 0)).isEqualTo(Extents.NONE);
            assertThat(extents.take(15 * EXTENT, 0)).isZero();
            extents.release(0);
            assertThat(extents.regionBytes()).isZero();
        }
    }

    @Test
    void setCapacity_lessThanTaken_letsNothingBeTakenUntilEnoughIsReleased() {
        try (Vmb vmb = vmb(1 << 20, 2 << 20)) {
            Extents extents = new Extents(vmb, HEADER);
            List<Integer> taken = new ArrayList<>();
            for (int segment = extents.take(100, 0); segment != Extents.NONE; segment = extents.take(100, 0)) {
                taken.add(segment);
            }
            assertThat(taken).hasSize(16);
            assertThat(extents.setCapacity(10 * EXTENT)).isEqualTo(6 * EXTENT);
            assertThat(vmb.capacityBytes()).isEqualTo(10 * EXTENT);
            for (int segment : List.of(15, 0, 7, 3, 4, 9)) {
                assertThat(extents.take(100, 0)).isEqualTo(Extents.NONE);
                extents.release(segment);
            }
            assertThat(extents.excessBytes()).isZero();
            assertThat(extents.take(100, 0)).isEqualTo(Extents.NONE);
            assertThat(extents.setCapacity(2 << 20)).isZero();
            assertThat(extents.freeExtents()).isEqualTo(22);
            assertThat(extents.take(16L * EXTENT, 1)).isEqualTo(15);
            assertThat(extents.take(2L * EXTENT, 1)).isEqualTo(3);
        }
    }

    @Test
    void setCapacity_outsideTheReservation_isRefused() {
        try (Vmb vmb = vmb(1 << 20, 2 << 20)) {
            Extents extents = new Extents(vmb, HEADER);
            assertThatThrownBy(() -> extents.setCapacity((2 << 20) + 1)).hasMessageContaining("reserved at the start");
            assertThatThrownBy(() -> extents.setCapacity(1000)).isInstanceOf(IllegalArgumentException.class);
            assertThat(vmb.capacityBytes()).isEqualTo(1 << 20);
        }
    }

    @Test
    void release_manyExtents_givesTheirMemoryBack() {
        try (Vmb vmb = vmb(16 << 20, 0)) {
            Extents extents = new Extents(vmb, HEADER);
            int segments = 200;
            for (int i = 0; i < segments; i++) {
                int segment = extents.take(100, 0);
                for (long at = extents.start(segment); at < extents.end(segment); at += 1000) {
                    vmb.setByte(at, 1);
                }
            }
            assertThat(vmb.fromSystem().residentBytes()).isGreaterThanOrEqualTo(segments * (long) EXTENT);
            for (int i = 0; i < segments; i++) {
                extents.release(i);
            }
            // A few stay warm, and are taken first.
            long warm = extents.committedBytes();
            assertThat(warm).isBetween((long) EXTENT, 16L * EXTENT);
            assertThat(vmb.fromSystem().residentBytes()).isBetween(warm - EXTENT, warm + EXTENT);
            assertThat(extents.take(EXTENT, 0)).isLessThan(16);
            extents.giveBackFree();
            assertThat(extents.committedBytes()).isEqualTo(EXTENT);
            assertThat(vmb.fromSystem().residentBytes()).isLessThanOrEqualTo(2L * EXTENT);
            assertThat(vmb.getByte(100L * EXTENT)).isZero();
        }
    }

    @Test
    void preTouchedMemory_releasedAndShrunk_isKeptUntilTheCapacityIsLowered() {
        SystemMemoryConfig config = SystemMemoryConfig.defaults()
                .withHugePages(false)
                .withPreTouch(true)
                .withMaxCapacityBytes(4 << 20);
        try (Vmb vmb = new Vmb(2 << 20, config)) {
            Extents extents = new Extents(vmb, HEADER);
            assertThat(vmb.fromSystem().residentBytes()).isEqualTo(2 << 20);
            int segment = extents.take(10L * EXTENT, 0);
            extents.release(segment);
            extents.giveBackFree();
            assertThat(vmb.fromSystem().residentBytes()).isEqualTo(2 << 20);
            extents.setCapacity(1 << 20);
            assertThat(vmb.fromSystem().residentBytes()).isEqualTo(1 << 20);
            extents.setCapacity(3 << 20);
            assertThat(vmb.fromSystem().residentBytes()).isEqualTo(3 << 20);
            assertThat(extents.committedBytes()).isEqualTo(3 << 20);
        }
    }
}
