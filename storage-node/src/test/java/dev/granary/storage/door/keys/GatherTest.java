package dev.granary.storage.door.keys;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.storage.keyed.GroupReply;
import dev.granary.storage.keyed.GroupReply.Outcome;
import io.netty.buffer.ByteBuf;
import org.junit.jupiter.api.Test;

/** Calls to several slot groups for one request: {@link Gather}, and {@link ScanCommand}, which asks one by one. */
class GatherTest {

    private final ScriptedCaller caller = new ScriptedCaller();

    private void sum(int groups) {
        Gather.run(
                caller,
                0,
                groups,
                replies -> {
                    for (ByteBuf reply : replies) {
                        caller.reply().out().writeBytes(reply, reply.readerIndex(), reply.readableBytes());
                    }
                    caller.done();
                },
                "DBSIZE");
    }

    @Test
    void run_repliesInAnyOrder_areThereInTheOrderOfTheCalls() {
        sum(40);
        assertThat(caller.waiting()).isEqualTo(16);
        while (caller.waiting() > 0) {
            caller.answerLast(call -> ScriptedCaller.done(":" + call.group() + "\r\n"));
        }
        StringBuilder expected = new StringBuilder();
        for (int i = 0; i < 40; i++) {
            expected.append(':').append(i).append("\r\n");
        }
        assertThat(caller.written()).isEqualTo(expected.toString());
        caller.assertNothingIsLeft();
    }

    @Test
    void run_aFailure_endsWithItAndBeginsNoMore() {
        sum(40);
        caller.answerLast(call -> GroupReply.not(Outcome.REFUSED, "not now"));
        caller.answerLast(call -> GroupReply.not(Outcome.UNKNOWN, "lost"));
        caller.answerLast(call -> ScriptedCaller.done("-OOM no room\r\n"));
        while (caller.waiting() > 0) {
            caller.answerLast(call -> ScriptedCaller.done(":1\r\n"));
        }
        assertThat(caller.calls()).isEqualTo(16);
        // That nobody knows what became of a part counts more than that another one was refused.
        assertThat(caller.written()).isEqualTo("-ERR outcome unknown: lost\r\n");
        caller.assertNothingIsLeft();
    }

    @Test
    void run_anErrorInAReply_isTheReply() {
        sum(2);
        caller.answerLast(call -> ScriptedCaller.done(":1\r\n"));
        caller.answerLast(call -> ScriptedCaller.done("-OOM no room\r\n"));
        assertThat(caller.written()).isEqualTo("-OOM no room\r\n");
        caller.assertNothingIsLeft();
    }

    @Test
    void scan_cursorsOfGroups_carryTheGroup() {
        caller.compose("SCAN", "0", "COUNT", "3");
        caller.answerLast(call -> ScriptedCaller.done("*2\r\n$1\r\n0\r\n*1\r\n$1\r\na\r\n"));
        assertThat(caller.lastRequest()).isEqualTo("*4\r\n$4\r\nSCAN\r\n$1\r\n0\r\n$5\r\nCOUNT\r\n$1\r\n3\r\n");
        caller.answerLast(call -> ScriptedCaller.done("*2\r\n$15\r\n281474976710655\r\n*2\r\n$1\r\nb\r\n$1\r\nc\r\n"));
        assertThat(caller.written())
                .isEqualTo("*2\r\n$17\r\n72057594037927681\r\n*3\r\n$1\r\na\r\n$1\r\nb\r\n$1\r\nc\r\n");
        caller.compose("SCAN", "72057594037927681");
        assertThat(caller.lastGroup()).isEqualTo(1);
        assertThat(caller.lastRequest()).isEqualTo("*2\r\n$4\r\nSCAN\r\n$15\r\n281474976710655\r\n");
        caller.answerLast(call -> GroupReply.not(Outcome.REFUSED, "not now"));
        assertThat(caller.written()).isEqualTo("-TRYAGAIN not now\r\n");
        caller.assertNothingIsLeft();
    }

    @Test
    void scan_emptyGroups_endsAReplyAfterSome() {
        caller.compose("SCAN", "0");
        int calls = 0;
        while (caller.waiting() > 0) {
            caller.answerLast(call -> ScriptedCaller.done("*2\r\n$1\r\n0\r\n*0\r\n"));
            calls++;
        }
        assertThat(calls).isEqualTo(64);
        assertThat(caller.written()).isEqualTo("*2\r\n$2\r\n64\r\n*0\r\n");
        caller.compose("SCAN", "255");
        caller.answerLast(call -> ScriptedCaller.done("*2\r\n$1\r\n0\r\n*0\r\n"));
        assertThat(caller.written()).isEqualTo("*2\r\n$1\r\n0\r\n*0\r\n");
        assertThat(caller.lastGroup()).isEqualTo(255);
        caller.assertNothingIsLeft();
    }
}
