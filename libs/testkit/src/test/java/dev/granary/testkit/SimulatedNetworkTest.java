package dev.granary.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.Transport;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NodeRole;
import dev.granary.net.message.RangeMessages.Lookup;
import dev.granary.net.message.StatusText;
import dev.granary.net.rpc.CallTimeoutException;
import dev.granary.net.rpc.ConnectionLostException;
import dev.granary.net.rpc.RpcClient;
import dev.granary.net.rpc.RpcException;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.net.rpc.RpcServer;
import dev.granary.overlay.HostAddress;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The remote calls of libs/net over the simulated network. */
class SimulatedNetworkTest {

    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;
    private static final int NID = 0x8000;
    private static final HostAddress SERVER = new HostAddress("server", 7500);

    private final Simulation simulation = new Simulation(3);
    private final SimulatedNode server = simulation.node("server");
    private final SimulatedNode client = simulation.node("client");
    private final List<Long> served = new ArrayList<>();
    private final List<String> outcomes = new ArrayList<>();
    private @Nullable RpcClient calls;

    @Test
    void call_goodNetwork_isAnsweredWithinItsLatency() {
        startBoth();
        call(1, SECOND);
        assertThat(simulation.runUntil(() -> outcomes.size() == 1, SECOND)).isTrue();
        assertThat(outcomes).containsExactly("1 ok");
        assertThat(simulation.nowNanos()).isLessThan(5 * MILLI);
    }

    @Test
    void call_badNetwork_everyCallEndsOneWay() {
        startBoth();
        simulation.network().setConditions(new LinkConditions(50_000, 5 * MILLI, 0.01, 200 * MILLI, 0.005));
        for (int i = 0; i < 2_000; i++) {
            call(i, 150 * MILLI);
            simulation.runFor(2 * MILLI);
        }
        simulation.runFor(5 * SECOND);
        assertThat(outcomes).hasSize(2_000);
        assertThat(outcomes).anyMatch(outcome -> outcome.endsWith("ok"));
        assertThat(outcomes).anyMatch(outcome -> outcome.endsWith("timeout"));
        assertThat(outcomes).anyMatch(outcome -> outcome.endsWith("lost"));
        assertThat(served).doesNotHaveDuplicates();
    }

    @Test
    void cut_oneDirection_stopsThatDirectionUntilHealed() {
        startBoth();
        call(1, SECOND);
        simulation.runFor(SECOND);
        simulation.network().cut("server", "client");
        call(2, 10 * SECOND);
        simulation.runFor(SECOND);
        assertThat(served).containsExactly(1L, 2L);
        assertThat(outcomes).containsExactly("1 ok");
        simulation.network().healAll();
        simulation.runFor(SECOND);
        assertThat(outcomes).containsExactly("1 ok", "2 ok");
    }

    @Test
    void cut_bothDirections_newConnectionsTimeOut() {
        startBoth();
        simulation.network().cutBoth("client", "server");
        call(1, 10 * SECOND);
        simulation.runFor(Transport.CONNECT_TIMEOUT_NANOS - MILLI);
        assertThat(outcomes).isEmpty();
        simulation.runFor(2 * MILLI);
        assertThat(outcomes).containsExactly("1 lost");
        simulation.network().healAll();
        call(2, SECOND);
        simulation.runFor(SECOND);
        assertThat(outcomes).containsExactly("1 lost", "2 ok");
    }

    @Test
    void kill_serverProcess_resetsItsConnectionsAtOnceAndRefusesNewOnes() {
        startBoth();
        call(1, SECOND);
        simulation.runFor(SECOND);
        server.kill();
        simulation.runFor(10 * MILLI);
        call(2, SECOND);
        simulation.runFor(10 * MILLI);
        assertThat(outcomes).containsExactly("1 ok", "2 lost");
        startServer();
        call(3, SECOND);
        simulation.runFor(SECOND);
        assertThat(outcomes).containsExactly("1 ok", "2 lost", "3 ok");
    }

    @Test
    void powerOff_server_isSilentUntilItIsBack() {
        startBoth();
        call(1, SECOND);
        simulation.runFor(SECOND);
        server.powerOff();
        call(2, SECOND / 2);
        simulation.runFor(SECOND);
        assertThat(outcomes).containsExactly("1 ok", "2 timeout");
        startServer();
        call(3, 5 * SECOND);
        simulation.runFor(5 * SECOND);
        call(4, SECOND);
        simulation.runFor(SECOND);
        assertThat(outcomes).hasSize(4).endsWith("4 ok");
    }

    @Test
    void pause_server_answersAfterwards() {
        startBoth();
        call(1, SECOND);
        simulation.runFor(SECOND);
        server.pause(2 * SECOND);
        call(2, 5 * SECOND);
        simulation.runFor(SECOND);
        assertThat(outcomes).containsExactly("1 ok");
        simulation.runFor(2 * SECOND);
        assertThat(outcomes).containsExactly("1 ok", "2 ok");
    }

    @Test
    void resetConnections_callThatWaits_isLost() {
        startBoth();
        call(1, SECOND);
        simulation.runFor(SECOND);
        server.pause(SECOND);
        call(2, 5 * SECOND);
        simulation.runFor(SECOND / 2);
        simulation.network().resetConnections("client", "server");
        simulation.runFor(SECOND);
        assertThat(outcomes).containsExactly("1 ok", "2 lost");
    }

    @Test
    void heal_cutWithBackOff_whatWaitedComesLaterThanWhatIsNew() {
        startBoth();
        call(1, SECOND);
        simulation.runFor(SECOND);
        simulation.network().cutWithBackOff("client", "server");
        call(2, SECOND);
        simulation.runFor(4 * SECOND);
        assertThat(outcomes).containsExactly("1 ok", "2 timeout");
        simulation.network().heal("client", "server");
        simulation.runFor(SECOND);
        assertThat(served).containsExactly(1L);
        call(3, 20 * SECOND);
        simulation.runFor(2 * SECOND);
        // Tried after 0.2, 0.6, 1.4, 3.0 and 6.2 s.
        assertThat(served).startsWith(1L, 3L);
        assertThat(outcomes).endsWith("3 ok");
    }

    @Test
    void close_callerGaveItsConnectionUpWhileItBackedOff_whatItSentStillComes() {
        startBoth();
        call(1, SECOND);
        simulation.runFor(SECOND);
        simulation.network().cutWithBackOff("client", "server");
        call(2, SECOND);
        simulation.runFor(4 * SECOND);
        Objects.requireNonNull(calls).close();
        simulation.network().heal("client", "server");
        simulation.runFor(SECOND);
        assertThat(served).containsExactly(1L);
        simulation.runFor(5 * SECOND);
        assertThat(served).containsExactly(1L, 2L);
    }

    @Test
    void close_callerGaveItsConnectionUpWhileItWasCut_whatItSentIsGone() {
        startBoth();
        call(1, SECOND);
        simulation.runFor(SECOND);
        simulation.network().cut("client", "server");
        call(2, SECOND);
        simulation.runFor(4 * SECOND);
        Objects.requireNonNull(calls).close();
        simulation.network().heal("client", "server");
        simulation.runFor(10 * SECOND);
        assertThat(served).containsExactly(1L);
    }

    @Test
    void stallConnection_oneWay_holdsUpThatConnectionAlone() {
        startBoth();
        call(1, SECOND);
        simulation.runFor(SECOND);
        assertThat(simulation.network().stallConnection("server", "client", 300 * MILLI, 7))
                .isTrue();
        call(2, SECOND);
        simulation.runFor(200 * MILLI);
        assertThat(served).containsExactly(1L, 2L);
        assertThat(outcomes).containsExactly("1 ok");
        assertThat(simulation.network().heldFrames()).isEqualTo(1);
        simulation.runFor(200 * MILLI);
        assertThat(outcomes).containsExactly("1 ok", "2 ok");
        assertThat(simulation.network().stallConnection("server", "nobody", MILLI, 0))
                .isFalse();
    }

    @Test
    void forgetConnection_thatAnswers_isHeardOfByTheNextCall() {
        startBoth();
        call(1, SECOND);
        simulation.runFor(SECOND);
        assertThat(simulation.network().forgetConnection("server", "client", true, 0))
                .isTrue();
        simulation.runFor(SECOND);
        call(2, SECOND);
        simulation.runFor(10 * MILLI);
        call(3, SECOND);
        simulation.runFor(SECOND);
        assertThat(served).containsExactly(1L, 3L);
        assertThat(outcomes).containsExactly("1 ok", "2 lost", "3 ok");
    }

    @Test
    void forgetConnection_thatIsSilent_answersNothing() {
        startBoth();
        call(1, SECOND);
        simulation.runFor(SECOND);
        assertThat(simulation.network().forgetConnection("server", "client", false, 0))
                .isTrue();
        call(2, SECOND);
        simulation.runFor(2 * SECOND);
        assertThat(served).containsExactly(1L);
        assertThat(outcomes).containsExactly("1 ok", "2 timeout");
    }

    private void startBoth() {
        startServer();
        client.start(world -> {
            RpcIdentity identity = RpcIdentity.client();
            calls = new RpcClient(
                    world.transport(),
                    world.environment().clock(),
                    world.environment().scheduler(),
                    identity);
        });
        simulation.runFor(MILLI);
    }

    private void startServer() {
        server.start(world -> {
            RpcIdentity identity = new RpcIdentity(
                    NodeRole.STORAGE_PEER, world.environment().random().nextLong());
            identity.takeNid(NID);
            var bound = world.transport()
                    .listen(new HostAddress("0.0.0.0", SERVER.port()), new RpcServer(identity, request -> {
                        served.add(request.read(MessageType.LOOKUP).cid());
                        request.reply(new StatusText("ok"));
                    }));
            assertThat(bound).isNotCompletedExceptionally();
        });
    }

    @SuppressWarnings("FutureReturnValueIgnored") // both outcomes are recorded
    private void call(long number, long timeoutNanos) {
        RpcClient open = Objects.requireNonNull(calls);
        open.<String>call(
                        SERVER,
                        NID,
                        MessageType.LOOKUP.code(),
                        new Lookup(number)::writeTo,
                        SimulatedNetworkTest::text,
                        timeoutNanos)
                .whenComplete((reply, failure) -> outcomes.add(number + " " + name(reply, failure)));
    }

    private static String text(ByteBuf payload) {
        return MessageType.CLUSTER_STATUS.readReply(payload).json();
    }

    private static String name(@Nullable String reply, @Nullable Throwable failure) {
        return switch (failure) {
            case null -> String.valueOf(reply);
            case CallTimeoutException timeout -> "timeout";
            case ConnectionLostException lost -> "lost";
            case RpcException other -> "failed";
            default -> "broken";
        };
    }
}
