package dev.granary.microraft;

import static dev.granary.microraft.OneNode.THREE;
import static dev.granary.microraft.OneNode.TWO;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.microraft.RaftEndpoint;
import io.microraft.RaftNode;
import io.microraft.executor.RaftNodeExecutor;
import io.microraft.model.message.AppendEntriesRequest;
import io.microraft.model.message.RaftMessage;
import io.microraft.transport.Transport;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Heartbeats are the executor's, and time and chance the builder's: changes 8 and 9. */
class HeartbeatTest {

    private static final Transport NOWHERE = new Transport() {
        @Override
        public void send(RaftEndpoint target, RaftMessage message) {}

        @Override
        public boolean isReachable(RaftEndpoint endpoint) {
            return false;
        }
    };

    private static final RaftNodeExecutor NEVER = new RaftNodeExecutor() {
        @Override
        public void execute(Runnable task) {}

        @Override
        public void submit(Runnable task) {}

        @Override
        public void schedule(Runnable task, long delay, TimeUnit unit) {}

        @Override
        public void scheduleHeartbeat(Runnable heartbeat, long period, TimeUnit unit) {}
    };

    @Test
    void heartbeat_transportThrows_othersAreSentToAndTheFailureIsThrown() {
        OneNode one = OneNode.leading();
        one.beat();
        one.success(TWO, 1, one.lastIndex(), 0);
        one.success(THREE, 1, one.lastIndex(), 0);
        one.forgetSent();

        one.setUnreachable(TWO);
        assertThatThrownBy(one::beat).hasMessage("no way to 2");
        assertThat(one.sent()).hasSize(1).allSatisfy(sent -> {
            assertThat(sent.to()).isEqualTo(THREE);
            assertThat(sent.message()).isInstanceOf(AppendEntriesRequest.class);
        });

        one.setUnreachable(null);
        one.forgetSent();
        one.beat();
        assertThat(one.sent()).as("to both, and the failure is forgotten").hasSize(2);
    }

    @Test
    void heartbeat_clockThrows_theFailureIsThrownAndTheNextOneIsCarriedOut() {
        OneNode one = OneNode.leading();
        one.setClockFails(true);
        assertThatThrownBy(one::beat).hasMessage("no time");

        one.setClockFails(false);
        one.forgetSent();
        one.beat();
        assertThat(one.sent()).isNotEmpty();
    }

    private enum World {
        EXECUTOR,
        CHANCE,
        CLOCK
    }

    @ParameterizedTest
    @EnumSource(World.class)
    void build_withoutAPartOfTheWorld_isRefused(World missing) {
        RaftNode.RaftNodeBuilder builder = RaftNode.newBuilder()
                .setGroupId(OneNode.GROUP)
                .setLocalEndpoint(OneNode.ME)
                .setInitialGroupMembers(List.of(OneNode.ME))
                .setTransport(NOWHERE)
                .setStateMachine(new RecordingMachine());
        if (missing != World.EXECUTOR) {
            builder.setExecutor(NEVER);
        }
        if (missing != World.CHANCE) {
            builder.setRandom(new Random(1));
        }
        if (missing != World.CLOCK) {
            builder.setClock(() -> 1);
        }
        assertThatThrownBy(builder::build).isInstanceOf(NullPointerException.class);
    }
}
