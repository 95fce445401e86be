package dev.granary.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.testkit.LockHistory.Wish;
import org.junit.jupiter.api.Test;

class LockHistoryTest {

    private static final long CID = 0x8000000000000001L;

    private final LockHistory history = new LockHistory();
    private boolean firstHolds = true;

    private Wish first() {
        Wish first = history.begin("a", CID);
        first.granted(1, () -> firstHolds);
        return first;
    }

    private void assertCaught(String message) {
        assertThatThrownBy(history::check)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("lock of 0x8000000000000001")
                .hasMessageContaining(message);
    }

    @Test
    void check_oneHolderAfterTheOther_isPossible() {
        Wish first = first();
        first.changed(first.beginChange());
        long lateChange = first.beginChange();
        firstHolds = false;
        Wish second = history.begin("b", CID);
        second.granted(2, () -> true);
        first.changed(lateChange);
        first.fenced();
        second.changed(second.beginChange());
        history.begin("c", CID + 1).granted(2, () -> true);
        assertThatCode(history::check).doesNotThrowAnyException();
        assertThat(history.grants()).isEqualTo(3);
        assertThat(history.refusals()).isEqualTo(1);
    }

    @Test
    void check_twoHoldersAtOnce_isCaught() {
        first();
        history.begin("b", CID).granted(2, () -> true);
        assertCaught("holds the lock");
    }

    @Test
    void check_changeWithAnOldToken_isCaught() {
        Wish first = first();
        firstHolds = false;
        history.begin("b", CID).granted(2, () -> true);
        first.changed(first.beginChange());
        assertCaught("changes the chunk although");
    }

    @Test
    void check_tokensThatDoNotRise_areCaught() {
        first();
        firstHolds = false;
        history.begin("b", CID).granted(1, () -> true);
        assertCaught("is granted the token 1 of");
    }

    @Test
    void check_refusalOfTheOnlyOne_isCaught() {
        first().fenced();
        assertCaught("is refused although");
    }
}
