package dev.granary.testkit;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.testkit.KeyHistory.Call;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Histories of keys as {@link KeyHistory}, {@link KeyCall}, {@link KeyCommand} and {@link KeyState} judge them. */
class KeyHistoryTest {

    private static final long MILLI = 1_000_000;
    private static final String NIL = "$-1";

    private long nowNanos;
    private final KeyHistory history = new KeyHistory(() -> nowNanos);

    private Call begin(String... command) {
        return history.begin("client", "tag", List.of(List.of(command)));
    }

    private void done(String reply, String... command) {
        begin(command).done(List.of(reply));
    }

    private void isExplained() {
        assertThatCode(() -> history.check(0)).doesNotThrowAnyException();
    }

    private void isWrong() {
        ThrowingCallable check = () -> history.check(0);
        assertThatThrownBy(check)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("keys of tag: no order");
    }

    @Test
    void commands_oneAfterTheOther_haveTheRepliesOfAMap() {
        done(NIL, "GET", "k");
        done("+OK", "SET", "k", "v");
        done("$v", "GET", "k");
        done(NIL, "SET", "k", "w", "NX");
        done(":3", "APPEND", "k", "xy");
        done("-ERR value is not an integer or out of range", "INCR", "k");
        done("$vxy", "GETDEL", "k");
        done(":0", "DEL", "k");
        done(":1", "INCR", "k");
        done(":2", "INCR", "k");
        done("-WRONGTYPE Operation against a key", "HSET", "k", "f", "v");
        done(":1", "DEL", "k");
        done(":1", "HSET", "k", "f", "v");
        done(":0", "HSET", "k", "f", "w");
        done("$w", "HGET", "k", "f");
        done(NIL, "HGET", "k", "g");
        done("-WRONGTYPE Operation against a key", "GET", "k");
        isExplained();
    }

    @Test
    void get_ofAnOlderValue_isWrong() {
        done("+OK", "SET", "k", "v");
        done("+OK", "SET", "k", "w");
        done("$v", "GET", "k");
        isWrong();
    }

    @Test
    void increment_withoutAnAnswer_happenedOnceOrNever() {
        done(":1", "INCR", "k");
        begin("INCR", "k");
        done("$1", "GET", "k");
        done("$2", "GET", "k");
        isExplained();
        done(":4", "INCR", "k");
        isWrong();
    }

    @Test
    void set_thatWasRefused_changesNothing() {
        begin("SET", "k", "v").refused();
        done("$v", "GET", "k");
        isWrong();
    }

    @Test
    void set_withoutRoom_changesNothing() {
        done("-OOM command not allowed", "SET", "k", "v");
        done(NIL, "GET", "k");
        isExplained();
    }

    @Test
    void sets_ofOneCallWithoutAnAnswer_mayLackRoomEachForItself() {
        history.roomMayLack();
        done("+OK", "SET", "{t}a", "old");
        history.begin("client", "tag", List.of(List.of("SET", "{t}b", "v"), List.of("SET", "{t}a", "w")));
        done("$v", "GET", "{t}b");
        done("$old", "GET", "{t}a");
        isExplained();
        done("$x", "GET", "{t}b");
        isWrong();
    }

    @Test
    void keyThatExpires_isThereBeforeItsTimeAndGoneAfterwards() {
        done("+OK", "SET", "k", "v", "PX", "100");
        nowNanos = 90 * MILLI;
        done("$v", "GET", "k");
        nowNanos = 110 * MILLI;
        done(NIL, "GET", "k");
        isExplained();
    }

    @Test
    void keyThatExpires_beforeItsTime_isWrong() {
        done("+OK", "SET", "k", "v", "PX", "100");
        nowNanos = 90 * MILLI;
        done(NIL, "GET", "k");
        isWrong();
    }

    @Test
    void keyThatExpires_afterItsTime_isWrong() {
        done("+OK", "SET", "k", "v", "PX", "100");
        nowNanos = 110 * MILLI;
        done("$v", "GET", "k");
        isWrong();
    }

    @Test
    void keyThatExpires_whileClocksDrift_isThereOrNotAroundItsTime() {
        nowNanos = 10_000 * MILLI;
        done("+OK", "SET", "k", "v", "PX", "1000");
        nowNanos = 10_950 * MILLI;
        done(NIL, "GET", "k");
        done("$v", "GET", "k");
        nowNanos = 11_050 * MILLI;
        done("$v", "GET", "k");
        assertThatCode(() -> history.check(4_000)).doesNotThrowAnyException();
        nowNanos = 11_200 * MILLI;
        done("$v", "GET", "k");
        assertThatThrownBy(() -> history.check(4_000)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void keyThatExpires_setWithoutAnAnswer_countsFromItsFirstSight() {
        begin("SET", "k", "v", "PX", "100");
        nowNanos = 500 * MILLI;
        done("$v", "GET", "k");
        isExplained();
        nowNanos = 700 * MILLI;
        done("$v", "GET", "k");
        isWrong();
    }

    @Test
    void transaction_whoseKeyNobodyHasChanged_isCarriedOut() {
        Call watch = history.beginWatch("client", "tag", List.of("k", "l"));
        watch.done(List.of());
        Call transaction =
                history.beginTransaction("client", "tag", watch, List.of(List.of("INCR", "k"), List.of("INCR", "l")));
        transaction.done(List.of(":1", ":1"));
        done(":2", "INCR", "l");
        isExplained();
    }

    @Test
    void transaction_whoseKeyHasChanged_isWrong() {
        Call watch = history.beginWatch("client", "tag", List.of("k"));
        watch.done(List.of());
        done("+OK", "SET", "k", "v");
        history.beginTransaction("client", "tag", watch, List.of(List.of("SET", "k", "w"), List.of("GET", "l")))
                .done(List.of("+OK", NIL));
        isWrong();
    }

    @Test
    void transaction_whoseKeyHasExpired_isWrong() {
        done("+OK", "SET", "k", "v", "PX", "100");
        Call watch = history.beginWatch("client", "tag", List.of("k"));
        watch.done(List.of());
        nowNanos = 200 * MILLI;
        history.beginTransaction("client", "tag", watch, List.of(List.of("INCR", "l")))
                .done(List.of(":1"));
        isWrong();
    }

    @Test
    void transaction_ofWhichAnotherSeesHalf_isWrong() {
        history.begin("client", "tag", List.of(List.of("SET", "k", "v"), List.of("SET", "l", "v")))
                .done(List.of("+OK", "+OK"));
        history.begin("client", "tag", List.of(List.of("SET", "k", "w"), List.of("SET", "l", "w")));
        history.begin("other", "tag", List.of(List.of("GET", "k"), List.of("GET", "l")))
                .done(List.of("$w", "$v"));
        isWrong();
    }

    @Test
    void rollback_undoesTheLastChangesOnly() {
        done("+OK", "SET", "k", "v");
        done("+OK", "SET", "k", "w");
        done("+OK", "SET", "l", "w");
        history.rollback().done();
        done(NIL, "GET", "l");
        done("$w", "GET", "k");
        isExplained();
        done("$v", "GET", "k");
        isWrong();
    }

    @Test
    void memory_thatIsGone_mayTakeAllKeysWithIt() {
        KeyHistory.Loss memory = history.begunMemory();
        done("+OK", "SET", "k", "v");
        done(NIL, "GET", "k");
        isWrong();
        memory.happened();
        isExplained();
        done("$v", "GET", "k");
        isWrong();
    }
}
