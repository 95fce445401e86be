package dev.granary.memory.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.memory.MemoryFromSystem;
import dev.granary.memory.ReservationException;
import dev.granary.memory.SystemMemoryConfig;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class VmbTest {

    private static final long MEBIBYTE = 1 << 20;
    private static final SystemMemoryConfig PLAIN =
            SystemMemoryConfig.defaults().withHugePages(false);

    private int openBefore;

    @BeforeEach
    void count() {
        openBefore = Vmb.openCount();
    }

    @AfterEach
    void nothingStays() {
        assertThat(Vmb.openCount()).isEqualTo(openBefore);
    }

    @Test
    void open_largeReservation_takesMemoryAsItIsTouched() {
        try (Vmb vmb = new Vmb(8 * MEBIBYTE, PLAIN.withMaxCapacityBytes(1L << 40))) {
            assertThat(vmb.maxCapacityBytes()).isEqualTo(1L << 40);
            assertThat(vmb.fromSystem().residentBytes()).isZero();
            vmb.setByte((1L << 40) - 1, 5);
            vmb.setByte(0, 6);
            MemoryFromSystem figures = vmb.fromSystem();
            assertThat(figures.reservedBytes()).isEqualTo(1L << 40);
            assertThat(figures.residentBytes()).isBetween(2 * 4096L, 2 * 65536L);
            assertThat(figures.lockedBytes()).isZero();
            vmb.giveBack((1L << 40) - MEBIBYTE, 1L << 40);
            assertThat(vmb.getByte((1L << 40) - 1)).isZero();
            assertThat(vmb.getByte(0)).isEqualTo(6);
        }
    }

    @Test
    void open_hugePages_areCountedWhereTheKernelGivesThem() {
        try (Vmb vmb = new Vmb(16 * MEBIBYTE, SystemMemoryConfig.defaults().withPreTouch(true))) {
            MemoryFromSystem figures = vmb.fromSystem();
            System.out.println("huge pages: " + figures);
            assertThat(figures.hugePagesAsked()).isTrue();
            assertThat(figures.residentBytes()).isBetween(16 * MEBIBYTE, 18 * MEBIBYTE);
            assertThat(figures.hugePageBytes()).isBetween(0L, figures.residentBytes());
            assertThat(figures.hugePageBytes() % (2 * MEBIBYTE)).isZero();
        }
    }

    @Test
    void open_lockInMemory_locksOrTellsHowToAllowIt() {
        SystemMemoryConfig config = PLAIN.withLockInMemory(true);
        try (Vmb vmb = new Vmb(64 * MEBIBYTE, config)) {
            vmb.zero(0, 4 * MEBIBYTE);
            assertThat(vmb.fromSystem().lockedBytes()).isEqualTo(4 * MEBIBYTE);
            vmb.giveBack(0, 2 * MEBIBYTE);
            assertThat(vmb.fromSystem().lockedBytes()).isEqualTo(2 * MEBIBYTE);
        } catch (ReservationException e) {
            System.out.println("locking is refused here: " + e.getMessage());
            assertThat(e).hasMessageContaining("ulimit -l").hasMessageContaining("limit, which is");
        }
    }

    @Test
    void lock_beyondEveryLimit_isRefusedWithTheLimit() {
        assertThatThrownBy(() -> PosixMemory.lock(0x1000, 1L << 46))
                .isInstanceOf(ReservationException.class)
                .hasMessageContaining("ulimit -l")
                .hasMessageContaining(ProcessLimits.lockedMemory());
        assertThat(ProcessLimits.lockedMemory()).matches("\\d+ B|unlimited");
    }

    @Test
    void open_preTouch_tellsItsProgressAndTakesAll() {
        List<Long> progress = new ArrayList<>();
        SystemMemoryConfig config = PLAIN.withPreTouch(true).withProgress((touched, total) -> {
            assertThat(total).isEqualTo(200 * MEBIBYTE);
            progress.add(touched);
        });
        try (Vmb vmb = new Vmb(200 * MEBIBYTE, config)) {
            assertThat(progress).hasSize(4).isSorted().endsWith(200 * MEBIBYTE);
            assertThat(vmb.fromSystem().residentBytes()).isEqualTo(200 * MEBIBYTE);
        }
    }

    @Test
    void open_progressThatFails_leavesNothingBehind() {
        SystemMemoryConfig config = PLAIN.withPreTouch(true).withProgress((touched, total) -> {
            throw new IllegalStateException("stop");
        });
        assertThatThrownBy(() -> new Vmb(300 * MEBIBYTE, config)).hasMessage("stop");
    }

    @Test
    void touch_memoryWithContents_leavesThem() {
        try (Vmb vmb = new Vmb(MEBIBYTE, PLAIN.withPreTouch(true))) {
            vmb.setRelease(4096, 77);
            vmb.take(MEBIBYTE);
            assertThat(vmb.getAcquire(4096)).isEqualTo(77);
        }
    }

    @Test
    void open_numaNode_isTakenIfItExistsElseRefusedWithThoseThatDo() {
        try (Vmb vmb = new Vmb(MEBIBYTE, PLAIN.withNumaNode(0))) {
            vmb.setByte(0, 1);
            assertThat(vmb.getByte(0)).isEqualTo(1);
        }
        assertThatThrownBy(() -> new Vmb(MEBIBYTE, PLAIN.withNumaNode(1000)))
                .hasMessageContaining("no NUMA node 1000")
                .hasMessageContaining("{0");
    }

    @Test
    void parse_listsOfNodes_asTheKernelWritesThem() {
        assertThat(NumaNodes.parse("0\n").toString()).isEqualTo("{0}");
        assertThat(NumaNodes.parse("0-2,5,8-9\n").toString()).isEqualTo("{0, 1, 2, 5, 8, 9}");
    }

    @Test
    void config_impossibleNumbers_areRefused() {
        assertThatThrownBy(() -> PLAIN.withNumaNode(-2)).hasMessageContaining("numaNode");
        assertThatThrownBy(() -> PLAIN.withMaxCapacityBytes(-1)).hasMessageContaining("maxCapacityBytes");
        assertThatThrownBy(() -> PLAIN.withMaxCapacityBytes(1L << 44)).hasMessageContaining("maxCapacityBytes");
        assertThatThrownBy(() -> new Vmb(2 * MEBIBYTE, PLAIN.withMaxCapacityBytes(MEBIBYTE)))
                .hasMessageContaining("less than the capacity");
    }

    @Test
    void access_outside_isRefused() {
        try (Vmb vmb = new Vmb(MEBIBYTE, PLAIN.withMaxCapacityBytes(2 * MEBIBYTE))) {
            vmb.setByte(2 * MEBIBYTE - 1, 1);
            assertThatThrownBy(() -> vmb.getByte(2 * MEBIBYTE)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> vmb.getAcquire(-8)).isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void open_moreAddressSpaceThanThereIs_isRefused() {
        assertThatThrownBy(() -> PosixMemory.reserve(1L << 60))
                .isInstanceOf(ReservationException.class)
                .hasMessageContaining("address space");
    }
}
