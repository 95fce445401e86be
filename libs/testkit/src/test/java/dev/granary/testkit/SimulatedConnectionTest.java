package dev.granary.testkit;

import static dev.granary.testkit.SimulatedPair.MILLI;
import static dev.granary.testkit.SimulatedPair.SECOND;
import static dev.granary.testkit.SimulatedPair.frame;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;

/** What both ends of a connection see. */
class SimulatedConnectionTest {

    private final SimulatedPair pair = new SimulatedPair();
    private final SimulatedConnection atA = pair.atA();
    private final SimulatedConnection atB = pair.atB();

    @Test
    void send_framesOfBothSides_arriveInTheirOrder() {
        for (int i = 0; i < 5; i++) {
            atA.send(frame("question " + i));
        }
        atB.send(frame("answer"));
        pair.simulation.runFor(SECOND);
        assertThat(pair.told)
                .hasSize(6)
                .contains("a got answer")
                .containsSubsequence(
                        "b got question 0",
                        "b got question 1",
                        "b got question 2",
                        "b got question 3",
                        "b got question 4");
        assertThat(atA.remoteAddress().host()).isEqualTo("b");
        assertThat(atB.remoteAddress().host()).isEqualTo("a");
    }

    @Test
    void send_openOrClosed_frameIsReleased() {
        ByteBuf sent = frame("one");
        atA.send(sent);
        atA.close();
        ByteBuf late = frame("two");
        atA.send(late);
        assertThat(sent.refCnt()).isZero();
        assertThat(late.refCnt()).isZero();
        pair.simulation.runFor(SECOND);
        assertThat(pair.told).contains("b got one").doesNotContain("b got two");
    }

    @Test
    void isWritable_otherSideTakesNothing_onlyUntilMuchIsUnread() {
        pair.b.pause(SECOND);
        atA.send(Unpooled.wrappedBuffer(new byte[1 << 20]));
        assertThat(atA.isWritable()).isFalse();
        assertThat(atA.unreadBytes()).isEqualTo(1 << 20);
        assertThat(atB.isWritable()).isTrue();
        pair.simulation.runFor(SECOND / 2);
        assertThat(atA.isWritable()).isFalse();
        pair.simulation.runFor(SECOND);
        assertThat(atA.isWritable()).isTrue();
        assertThat(atA.unreadBytes()).isZero();
    }

    @Test
    void close_byOneSide_bothLearnItAfterWhatWasSent() {
        atA.send(frame("last"));
        atA.close();
        assertThat(atA.isOpen()).isFalse();
        assertThat(atB.isOpen()).isTrue();
        atA.close();
        pair.simulation.runFor(SECOND);
        assertThat(pair.told).containsExactlyInAnyOrder("a closed", "b got last", "b closed");
        assertThat(pair.told).containsSubsequence("b got last", "b closed");
        assertThat(atA.isClosed()).isTrue();
        assertThat(atB.isClosed()).isTrue();
    }

    @Test
    void close_frameIsOnItsWayToTheCloser_isNotTaken() {
        atB.send(frame("too late"));
        atA.close();
        pair.simulation.runFor(SECOND);
        assertThat(pair.told).containsExactlyInAnyOrder("a closed", "b closed");
    }

    @Test
    void resetBoth_framesOnTheirWay_areLostAndBothSidesKnow() {
        atA.send(frame("lost"));
        atA.resetBoth();
        pair.simulation.runFor(SECOND);
        assertThat(pair.told).containsExactlyInAnyOrder("a broken: connection reset", "b broken: connection reset");
    }

    @Test
    void kill_processDies_itsMachineEndsTheConnection() {
        atA.send(frame("last words"));
        pair.a.kill();
        pair.simulation.runFor(SECOND);
        assertThat(pair.told).containsExactly("b got last words", "b closed");
    }

    @Test
    void powerOff_machineIsGone_otherSideLearnsItByItsOwnFrames() {
        pair.a.powerOff();
        pair.simulation.runFor(SECOND);
        assertThat(pair.told).isEmpty();
        atB.send(frame("anybody there?"));
        pair.simulation.runFor(SimulatedNetwork.RETRANSMIT_LIMIT_NANOS - SECOND);
        assertThat(pair.told).isEmpty();
        pair.simulation.runFor(2 * SECOND);
        assertThat(pair.told).containsExactly("b broken: connection reset by a");
    }

    @Test
    void forget_sideThatAnswers_tellsTheOtherOneAtItsNextFrame() {
        atB.forget(true);
        pair.simulation.runFor(SECOND);
        assertThat(pair.told).containsExactly("b broken: connection reset");
        assertThat(atA.isOpen()).isTrue();
        atA.send(frame("hello"));
        pair.simulation.runFor(10 * MILLI);
        assertThat(pair.told).hasSize(2).contains("a broken: b knows nothing of it");
    }

    @Test
    void forget_sideThatIsSilent_lets_theOtherOneWait() {
        atB.forget(false);
        atA.send(frame("hello"));
        pair.simulation.runFor(SimulatedNetwork.RETRANSMIT_LIMIT_NANOS - SECOND);
        assertThat(pair.told).containsExactly("b broken: connection reset");
        pair.simulation.runFor(2 * SECOND);
        assertThat(pair.told).hasSize(2).contains("a broken: b knows nothing of it");
        assertThat(atB.isForgotten()).isTrue();
    }
}
