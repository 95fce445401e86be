package dev.granary.testkit;

import static dev.granary.testkit.SimulatedPair.MILLI;
import static dev.granary.testkit.SimulatedPair.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** One direction of a connection, beside those that the connection has itself. */
class SimulatedStreamTest {

    private final SimulatedPair pair = new SimulatedPair();
    private final SimulatedNetwork network = pair.network;
    private final SimulatedStream stream = new SimulatedStream(network, pair.atA(), pair.atB());

    @Test
    void send_goodLink_arrivesWithinItsLatency() {
        send("one");
        assertThat(stream.unreadBytes()).isEqualTo(3);
        pair.simulation.runFor(MILLI);
        assertThat(pair.told).containsExactly("b got one");
        assertThat(stream.unreadBytes()).isZero();
        assertThat(stream.isHolding()).isFalse();
        assertThat(stream.isOf("a", "b")).isTrue();
        assertThat(stream.isOf("b", "a")).isFalse();
    }

    @Test
    void send_badLink_keepsTheOrder() {
        network.setConditions(new LinkConditions(50_000, 5 * MILLI, 0.3, 200 * MILLI, 0));
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            send("frame " + i);
            expected.add("b got frame " + i);
        }
        pair.simulation.runFor(10 * SECOND);
        assertThat(pair.told).isEqualTo(expected);
        assertThat(network.stalls()).isBetween(10L, 60L);
    }

    @Test
    void resume_linkWasCut_sendsWhatWaited() {
        network.cut("a", "b");
        send("one");
        stream.end();
        pair.simulation.runFor(SECOND);
        assertThat(pair.told).isEmpty();
        assertThat(stream.isHolding()).isTrue();
        assertThat(network.blocked("a", "b")).isEqualTo(2);
        network.heal("a", "b");
        assertThat(stream.isHolding()).isFalse();
        pair.simulation.runFor(MILLI);
        assertThat(pair.told).containsExactly("b got one", "b closed");
    }

    @Test
    void send_linkIsCutForLong_senderGivesUp() {
        network.cut("a", "b");
        send("one");
        pair.simulation.runFor(SimulatedNetwork.RETRANSMIT_LIMIT_NANOS - 1);
        assertThat(pair.told).isEmpty();
        pair.simulation.runFor(MILLI);
        assertThat(pair.told).containsExactly("a broken: connection to b timed out");
        network.healAll();
        pair.simulation.runFor(SECOND);
        assertThat(pair.told).hasSize(1);
    }

    @Test
    void resumeAtRetransmission_theLongerItWaited_theLaterItComes() {
        // It is tried after 0.2, 0.6, and 1.4 s.
        network.cutWithBackOff("a", "b");
        send("one");
        pair.simulation.runFor(700 * MILLI);
        network.heal("a", "b");
        pair.simulation.runFor(650 * MILLI);
        assertThat(pair.told).isEmpty();
        pair.simulation.runFor(100 * MILLI);
        assertThat(pair.told).containsExactly("b got one");
    }

    @Test
    void stall_forAWhile_holdsUpThisStreamOnly() {
        stream.stall(300 * MILLI);
        send("held up");
        SimulatedStream other = new SimulatedStream(network, pair.atA(), pair.atB());
        other.send("other".getBytes(StandardCharsets.UTF_8));
        pair.simulation.runFor(200 * MILLI);
        assertThat(pair.told).containsExactly("b got other");
        assertThat(network.heldFrames()).isEqualTo(1);
        pair.simulation.runFor(110 * MILLI);
        assertThat(pair.told).containsExactly("b got other", "b got held up");
    }

    @Test
    void endStall_beforeItsTime_letsWhatWaitedGo() {
        stream.stall(10 * SECOND);
        send("held up");
        pair.simulation.runFor(MILLI);
        assertThat(pair.told).isEmpty();
        network.healAll();
        pair.simulation.runFor(MILLI);
        assertThat(pair.told).containsExactly("b got held up");
    }

    @Test
    void close_whatWaits_isDroppedUnlessTheMachineGoesOnTrying() {
        network.cut("a", "b");
        send("dropped");
        stream.close();
        assertThat(stream.isHolding()).isFalse();
        network.heal("a", "b");
        network.cutWithBackOff("a", "b");
        send("kept");
        stream.close();
        assertThat(stream.isHolding()).isTrue();
        network.healAll();
        pair.simulation.runFor(SECOND);
        assertThat(pair.told).containsExactly("b got kept");
        network.cut("a", "b");
        send("dropped, too");
        stream.drop();
        assertThat(stream.isHolding()).isFalse();
    }

    @Test
    void send_linkResetsEverything_endsTheConnection() {
        network.setConditions("a", "b", new LinkConditions(50_000, 60_000, 0, 0, 1));
        send("one");
        pair.simulation.runFor(SECOND);
        assertThat(pair.told).containsExactlyInAnyOrder("a broken: connection reset", "b broken: connection reset");
    }

    @Test
    void resetAfterNextFrame_frameIsTakenFirst_thenTheConnectionEnds() {
        network.resetAfterNextFrame("a", "b");
        send("one");
        pair.simulation.runFor(SECOND);
        assertThat(pair.told)
                .hasSize(3)
                .startsWith("b got one")
                .contains("a broken: connection reset", "b broken: connection reset");
        assertThat(network.resetsAfterFrames()).isEqualTo(1);
    }

    @Test
    void send_receiverIsPaused_takesItAfterwardsInOrder() {
        pair.b.pause(SECOND);
        send("one");
        send("two");
        pair.simulation.runFor(SECOND / 2);
        assertThat(pair.told).isEmpty();
        pair.simulation.runFor(SECOND);
        assertThat(pair.told).containsExactly("b got one", "b got two");
    }

    private void send(String text) {
        stream.send(text.getBytes(StandardCharsets.UTF_8));
    }
}
