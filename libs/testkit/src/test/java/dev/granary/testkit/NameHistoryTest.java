package dev.granary.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.testkit.NameHistory.Change;
import dev.granary.testkit.NameHistory.Kind;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NameHistoryTest {

    private long nowNanos;
    private final NameHistory history = new NameHistory(() -> nowNanos);

    private Change begin(Kind kind, long value) {
        return history.begin("c", kind, "n", value);
    }

    private void saw(Kind kind, long value, long seen) {
        begin(kind, value).saw(seen);
    }

    private void assertCaught() {
        assertThatThrownBy(history::check)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("name n:");
    }

    @Test
    void check_answersOfOneVariable_arePossible() {
        saw(Kind.GET, 0, 0);
        saw(Kind.PUT, 5, 0);
        begin(Kind.PUT_IF_ABSENT, 6).wasAbsent(false);
        saw(Kind.GET, 0, 5);
        saw(Kind.REMOVE, 0, 5);
        saw(Kind.REMOVE, 0, 0);
        begin(Kind.PUT_IF_ABSENT, 6).wasAbsent(true);
        Change open = begin(Kind.PUT, 7);
        saw(Kind.GET, 0, 7);
        saw(Kind.GET, 0, 7);
        begin(Kind.PUT, 8).refused();
        assertThatCode(history::check).doesNotThrowAnyException();
        assertThat(history.answered())
                .isEqualTo(Map.of(Kind.PUT, 1, Kind.PUT_IF_ABSENT, 2, Kind.REMOVE, 2, Kind.GET, 4));
        open.saw(6);
        assertThatCode(history::check).doesNotThrowAnyException();
    }

    @Test
    void check_manyChangesOfUnknownOutcome_isDecided() {
        for (int i = 0; i < 60; i++) {
            begin(i % 2 == 0 ? Kind.REMOVE : Kind.PUT, i % 2 == 0 ? 0 : 5);
        }
        saw(Kind.PUT, 6, 5);
        saw(Kind.GET, 0, 0);
        saw(Kind.PUT, 6, 5);
        assertThatCode(history::check).doesNotThrowAnyException();
        saw(Kind.GET, 0, 7);
        assertCaught();
    }

    @Test
    void check_acknowledgedNameThatIsNotThere_isCaught() {
        saw(Kind.PUT, 5, 0);
        saw(Kind.GET, 0, 0);
        assertCaught();
    }

    @Test
    void check_removedNameThatComesBack_isCaught() {
        saw(Kind.PUT, 5, 0);
        saw(Kind.REMOVE, 0, 5);
        saw(Kind.GET, 0, 5);
        assertCaught();
    }

    @Test
    void check_putThatIsCarriedOutTwice_isCaught() {
        Change put = begin(Kind.PUT, 5);
        saw(Kind.GET, 0, 5);
        saw(Kind.REMOVE, 0, 5);
        saw(Kind.GET, 0, 5);
        put.saw(0);
        assertCaught();
    }

    @Test
    void check_twoWhoFoundTheNameAbsent_areCaught() {
        begin(Kind.PUT_IF_ABSENT, 5).wasAbsent(true);
        begin(Kind.PUT_IF_ABSENT, 6).wasAbsent(true);
        assertCaught();
    }

    @Test
    void check_rollbackOfWhatWasAnsweredAfterTheMomentThatIsKept_isPossible() {
        saw(Kind.PUT, 5, 0);
        nowNanos = 10;
        saw(Kind.PUT, 6, 5);
        saw(Kind.PUT, 7, 6);
        history.rollback(5).done();
        saw(Kind.GET, 0, 5);
        saw(Kind.GET, 0, 5);
        assertThatCode(history::check).doesNotThrowAnyException();
    }

    @Test
    void check_rollbackOfWhatWasAnsweredBeforeTheMomentThatIsKept_isCaught() {
        saw(Kind.PUT, 5, 0);
        nowNanos = 10;
        saw(Kind.PUT, 6, 5);
        history.rollback(5).done();
        saw(Kind.GET, 0, 0);
        assertCaught();
    }

    @Test
    void check_rollbackOfWhatWasReadBeforeTheMomentThatIsKept_isCaught() {
        saw(Kind.PUT, 5, 0);
        begin(Kind.PUT, 6);
        saw(Kind.GET, 0, 6);
        nowNanos = 10;
        history.rollback(5).done();
        saw(Kind.GET, 0, 5);
        assertCaught();
    }

    @Test
    void check_twoStatesAfterOneRollback_isCaught() {
        nowNanos = 10;
        saw(Kind.PUT, 5, 0);
        saw(Kind.PUT, 6, 5);
        history.rollback(5).done();
        saw(Kind.GET, 0, 5);
        saw(Kind.GET, 0, 0);
        assertCaught();
    }
}
