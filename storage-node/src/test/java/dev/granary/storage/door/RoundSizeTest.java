package dev.granary.storage.door;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RoundSizeTest {

    private final RoundSize size = new RoundSize();

    @Test
    void fullRounds_ofSmallReplies_growToTheMost() {
        for (int requests = RoundSize.FIRST; requests <= RoundSize.MOST; requests *= 2) {
            assertThat(size.requests()).isEqualTo(requests);
            size.ended(requests, 10L * requests);
        }
        assertThat(size.requests()).isEqualTo(RoundSize.MOST);
    }

    @Test
    void roundsThatAreNotFull_ofSmallReplies_changeNothing() {
        size.ended(RoundSize.FIRST - 1, 10);
        assertThat(size.requests()).isEqualTo(RoundSize.FIRST);
    }

    @Test
    void round_ofLargeReplies_shrinksTheNextToAMebibyte() {
        size.ended(8, 8L * (100 << 10));
        assertThat(size.requests()).isEqualTo(10);
        size.ended(1, 16 << 20);
        assertThat(size.requests()).isEqualTo(1);
        size.ended(1, 5);
        assertThat(size.requests()).isEqualTo(2);
    }

    @Test
    void round_withoutReplies_isNoDivisionByZero() {
        size.ended(RoundSize.FIRST, 0);
        assertThat(size.requests()).isEqualTo(2 * RoundSize.FIRST);
    }
}
