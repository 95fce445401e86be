package dev.granary.memory.page;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PageNumbersTest {

    private static final int LEAF = PageTable.LEAF_PAGES;

    @Test
    void take_someLidsAreReserved_givesThePagesThatHaveOne() {
        PageNumbers numbers = new PageNumbers(1);
        numbers.reserve(513);
        assertThat(numbers.take()).isZero();
        assertThat(numbers.take()).isEqualTo(1);
        assertThat(numbers.take()).isEqualTo(PageNumbers.NONE);
        assertThat(numbers.next()).isEqualTo(2);
        assertThat(numbers.lidMark()).isEqualTo(513);
        numbers.reserve(10);
        assertThat(numbers.endLid()).isEqualTo(513);
    }

    @Test
    void takeLeaf_firstLidIsInside_givesTheRestOfALeafOnceItIsWhole() {
        PageNumbers numbers = new PageNumbers(3 * 512 + 5);
        numbers.reserve(2L * LEAF * 512 + 1);
        // The first page has LIDs that may never be given.
        assertThat(numbers.takeLeaf()).isEqualTo(PageNumbers.NONE);
        assertThat(numbers.take()).isEqualTo(3);
        assertThat(numbers.takeLeaf()).isEqualTo(4);
        assertThat(numbers.takeLeaf()).isEqualTo(LEAF);
        assertThat(numbers.takeLeaf()).isEqualTo(PageNumbers.NONE);
        assertThat(numbers.take()).isEqualTo(2L * LEAF);
        assertThat(numbers.lidMark()).isEqualTo(2L * LEAF * 512 + 1);
    }

    @Test
    void lidMark_pageIsUsedBeforeItIsHandedOut_isBehindItAndNeverFalls() {
        PageNumbers numbers = new PageNumbers(512 + 70);
        numbers.reserve(512 + 100);
        assertThat(numbers.lidMark()).isEqualTo(512 + 70);
        numbers.given(1);
        assertThat(numbers.lidMark()).isEqualTo(512 + 100);
        numbers.reserve(10 * 512);
        assertThat(numbers.lidMark()).isEqualTo(2 * 512);
        numbers.given(4);
        numbers.given(2);
        assertThat(numbers.lidMark()).isEqualTo(5 * 512);
        // The pages before are still to be handed out.
        for (long number = 1; number <= 5; number++) {
            assertThat(numbers.take()).isEqualTo(number);
        }
        assertThat(numbers.lidMark()).isEqualTo(6 * 512);
    }

    @Test
    void restorePage_lidsThatMayBeGiven_areBelowTheMark() {
        PageNumbers numbers = new PageNumbers(512 + 70);
        numbers.restore(1, 3 * 512);
        numbers.restorePage(0);
        numbers.restorePage(7);
        assertThat(numbers.lidMark()).isEqualTo(512 + 70);
        numbers.restorePage(1);
        assertThat(numbers.lidMark()).isEqualTo(2 * 512);
    }

    @Test
    void takeRun_manyPages_areConsecutiveOrNotTakenAtAll() {
        PageNumbers numbers = new PageNumbers(512);
        numbers.reserve(10 * 512 + 100);
        assertThat(numbers.takeRun(3, 3 * 512)).isEqualTo(1);
        assertThat(numbers.takeRun(7, 6 * 512 + 101)).isEqualTo(PageNumbers.NONE);
        assertThat(numbers.next()).isEqualTo(4);
        assertThat(numbers.takeRun(7, 6 * 512 + 100)).isEqualTo(4);
        assertThat(numbers.take()).isEqualTo(PageNumbers.NONE);

        PageNumbers partial = new PageNumbers(513);
        partial.reserve(10 * 512);
        assertThat(partial.takeRun(1, 1)).isEqualTo(PageNumbers.PARTIAL);
        assertThat(partial.take()).isEqualTo(1);
        assertThat(partial.takeRun(1, 1)).isEqualTo(2);
    }

    @Test
    void usable_limitsInsideAPage_areTheLidsBetween() {
        PageNumbers numbers = new PageNumbers(512 + 70);
        numbers.reserve(3 * 512 + 130);
        for (long number = 0; number < 5; number++) {
            long now = 0;
            for (int i = 0; i < Page.SLOTS; i++) {
                long lid = number * 512 + i;
                boolean usable = lid >= 512 + 70 && lid < 3 * 512 + 130;
                assertThat((numbers.usable(number, i >>> 6) >>> (i & 63) & 1) == 1)
                        .as("LID %d", lid)
                        .isEqualTo(usable);
                now += usable ? 1 : 0;
            }
            assertThat(numbers.usableNow(number)).isEqualTo(now);
            assertThat(numbers.isWhole(number)).isEqualTo(number == 2);
            assertThat(numbers.isOpenEnded(number)).isEqualTo(number >= 3);
        }
        assertThat(numbers.slots(1)).isEqualTo(512 - 70);
        assertThat(numbers.slots(2)).isEqualTo(512);
        assertThat(numbers.slots(4)).isEqualTo(512);
    }

    @Test
    void restore_numbersOfADump_areNotGivenAgain() {
        PageNumbers numbers = new PageNumbers(1);
        numbers.restore(7, 20 * 512);
        assertThat(numbers.take()).isEqualTo(7);
        numbers.restore(3, 5);
        assertThat(numbers.take()).isEqualTo(8);
        assertThat(numbers.endLid()).isEqualTo(20 * 512);

        PageNumbers higher = new PageNumbers(100 * 512);
        higher.restore(7, 20 * 512);
        assertThat(higher.next()).isEqualTo(100);
        assertThat(higher.lidMark()).isEqualTo(100 * 512);
        assertThat(higher.take()).isEqualTo(PageNumbers.NONE);
    }
}
