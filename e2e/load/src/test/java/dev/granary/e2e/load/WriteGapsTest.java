package dev.granary.e2e.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WriteGapsTest {

    private final WriteGaps gaps = new WriteGaps(2);

    @Test
    void longest_oneClientWaitedWhileTheOtherWrote_isThatOfTheOneThatWaited() {
        gaps.begin(1000);
        gaps.acknowledged(0, 1010);
        gaps.acknowledged(1, 1300);
        gaps.acknowledged(0, 1310);
        gaps.acknowledged(0, 1320);
        assertThat(gaps.longestNanos(1330)).isEqualTo(300);
    }

    @Test
    void longest_clientThatStillWaits_countsUpToNow() {
        gaps.begin(1000);
        gaps.acknowledged(0, 1500);
        assertThat(gaps.longestNanos(1600)).isEqualTo(600);
    }

    @Test
    void begin_afterALongGap_forgetsIt() {
        gaps.begin(1000);
        gaps.acknowledged(0, 5000);
        gaps.begin(6000);
        gaps.acknowledged(0, 6010);
        gaps.acknowledged(1, 6020);
        assertThat(gaps.longestNanos(6020)).isEqualTo(20);
    }
}
