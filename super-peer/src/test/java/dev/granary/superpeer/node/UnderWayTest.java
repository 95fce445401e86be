package dev.granary.superpeer.node;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class UnderWayTest {

    private final UnderWay work = new UnderWay(3);

    private int looksUntilGivenUp() {
        int looks = 1;
        while (!work.givesUp()) {
            looks++;
        }
        return looks;
    }

    @Test
    void givesUp_noAnswer_afterTheLooksAndTheAnswerCountsNoMore() {
        long piece = work.begin();
        assertThat(looksUntilGivenUp()).isEqualTo(4);
        assertThat(work.isBusy()).isFalse();

        long next = work.begin();
        assertThat(work.end(piece)).isFalse();
        assertThat(work.goesOn(piece)).isFalse();
        assertThat(work.isBusy()).isTrue();
        assertThat(work.end(next)).isTrue();
        assertThat(work.isBusy()).isFalse();
    }

    @Test
    void givesUp_pieceComesFurther_hasAllLooksAgain() {
        long piece = work.begin();
        assertThat(work.givesUp()).isFalse();
        assertThat(work.givesUp()).isFalse();
        assertThat(work.goesOn(piece)).isTrue();
        assertThat(looksUntilGivenUp()).isEqualTo(4);
    }

    @Test
    void givesUp_nothingUnderWay_never() {
        work.end(work.begin());
        for (int i = 0; i < 10; i++) {
            assertThat(work.givesUp()).isFalse();
        }
        long forgotten = work.begin();
        work.forget();
        assertThat(work.end(forgotten)).isFalse();
        assertThat(work.givesUp()).isFalse();
    }
}
