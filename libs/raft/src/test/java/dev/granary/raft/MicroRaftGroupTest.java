package dev.granary.raft;

import static dev.granary.raft.SimulatedGroup.MILLI;
import static dev.granary.raft.SimulatedGroup.SECOND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.env.Environment;
import dev.granary.env.Loops;
import dev.granary.env.Scheduler;
import dev.granary.testkit.SimulatedNode;
import dev.granary.testkit.Simulation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** One member alone, of groups that have others or not. */
class MicroRaftGroupTest {

    private static final MemberId SELF = new MemberId(1);
    private static final MemberId OTHER = new MemberId(2);

    private final Simulation simulation = new Simulation(4);
    private final SimulatedNode node = simulation.node("a");
    private final Registers registers = new Registers();
    private final List<MemberId> sentTo = new ArrayList<>();
    private final List<String> told = new ArrayList<>();
    private final List<Runnable> handedIn = new ArrayList<>();
    private @Nullable MicroRaftGroup group;

    @Test
    void propose_groupOfOne_isAppliedAndCanBeAsked() {
        open(List.of(SELF));
        assertThat(group().leader()).contains(SELF);
        assertThat(Registers.value(await(group().propose(Registers.write(7, 70)))))
                .isZero();
        assertThat(Registers.value(await(group().propose(Registers.write(7, 71)))))
                .isEqualTo(70);
        assertThat(Registers.value(await(group().query(Registers.read(7))))).isEqualTo(71);
        assertThat(registers.valueOf(7)).isEqualTo(71);
        assertThat(sentTo).isEmpty();
        assertThat(told).containsExactly("leader unknown", "leader 1");
    }

    @Test
    void status_ofALeader_namesItsMembersAndHowFarItIs() {
        open(List.of(SELF));
        await(group().propose(Registers.write(1, 1)));
        RaftStatus status = await(group().status());
        assertThat(status.role()).isEqualTo(RaftStatus.Role.LEADER);
        assertThat(status.leader()).contains(SELF);
        assertThat(status.term()).isPositive();
        assertThat(status.commitIndex()).isEqualTo(status.lastLogIndex()).isPositive();
        assertThat(status.members()).isEqualTo(new GroupMembers(0, List.of(SELF), List.of()));
        await(group().takeSnapshot());
        assertThat(await(group().status()).snapshotIndex()).isEqualTo(status.commitIndex());
    }

    @Test
    void propose_othersAreNotThere_isNotDoneAndTheyAreAskedForVotes() {
        open(List.of(SELF, OTHER));
        assertThat(group().leader()).isEmpty();
        assertThat(reasonOf(group().propose(Registers.write(7, 70)))).isEqualTo(RaftFailure.Reason.NOT_LEADER);
        assertThat(reasonOf(group().query(Registers.read(7)))).isEqualTo(RaftFailure.Reason.NOT_LEADER);
        assertThat(sentTo).isNotEmpty().containsOnly(OTHER);
        assertThat(await(group().status()).role()).isNotEqualTo(RaftStatus.Role.LEADER);
        assertThat(registers.valueOf(7)).isZero();
    }

    @Test
    void propose_moreThanACommandMayHave_isRefusedAtOnce() {
        open(List.of(SELF));
        byte[] large = new byte[RaftGroup.MAX_COMMAND_BYTES + 1];
        assertThatThrownBy(() -> group().propose(large)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> group().query(large)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void receive_whatMakesNoSense_isLeftOut() {
        open(List.of(SELF));
        group().receive(new byte[0]);
        group().receive(new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9});
        simulation.runFor(100 * MILLI);
        assertThat(Registers.value(await(group().propose(Registers.write(7, 70)))))
                .isZero();
        assertThat(told).containsExactly("leader unknown", "leader 1");
    }

    @Test
    void close_somethingIsUnderWay_itsOutcomeIsUnknownAndNothingIsDoneAfterwards() {
        open(List.of(SELF));
        long term = await(group().status()).term();
        CompletableFuture<byte[]> underWay = group().propose(Registers.write(7, 70));
        group().close();
        group().close();
        assertThat(reasonOf(underWay)).isEqualTo(RaftFailure.Reason.OUTCOME_UNKNOWN);
        assertThat(reasonOf(group().propose(Registers.write(7, 71)))).isEqualTo(RaftFailure.Reason.ENDED);
        assertThat(reasonOf(group().addLearner(OTHER, 0))).isEqualTo(RaftFailure.Reason.ENDED);
        RaftStatus status = await(group().status());
        assertThat(status.role()).isEqualTo(RaftStatus.Role.ENDED);
        assertThat(status.leader()).isEmpty();
        assertThat(status.term()).isEqualTo(term);
        assertThat(status.members().voters()).containsExactly(SELF);
        assertThat(told).containsExactly("leader unknown", "leader 1", "leader unknown");
    }

    @Test
    void open_afterAStop_hasWhatItHad() {
        open(List.of(SELF));
        for (int i = 1; i <= 30; i++) {
            await(group().propose(Registers.write(i, 100 + i)));
        }
        await(group().takeSnapshot());
        await(group().propose(Registers.write(5, 500)));
        node.kill();
        registers.installSnapshot(List.of());

        // What is on the disk wins over the founders that are named.
        open(List.of(SELF, OTHER));
        assertThat(Registers.value(await(group().query(Registers.read(5))))).isEqualTo(500);
        assertThat(registers.valueOf(30)).isEqualTo(130);
    }

    private MicroRaftGroup group() {
        return Objects.requireNonNull(group);
    }

    /** The last task that a node's scheduler takes may be the one that closes its groups. */
    @Test
    void close_ofALeader_handsInNoOtherTask() {
        open(List.of(SELF));
        handedIn.clear();
        group().close();
        simulation.runFor(SECOND);
        assertThat(handedIn).hasSize(1);
        assertThat(await(group().status()).role()).isEqualTo(RaftStatus.Role.ENDED);
    }

    private void open(List<MemberId> founders) {
        RaftConfig config = RaftConfig.of(42, SELF, founders, "group", RaftTiming.forLease(SECOND));
        node.start(world -> {
            Environment environment = world.environment();
            Environment noted = new Environment(
                    environment.clock(),
                    new NotedScheduler(environment.scheduler()),
                    environment.random(),
                    environment.disk());
            try {
                group = MicroRaftGroup.open(config, noted, (to, message) -> sentTo.add(to), registers, new Listener());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        simulation.runFor(2 * SECOND);
    }

    private <T> T await(CompletableFuture<T> future) {
        assertThat(simulation.runUntil(future::isDone, 10 * SECOND)).isTrue();
        return future.join();
    }

    private RaftFailure.Reason reasonOf(CompletableFuture<?> failed) {
        assertThat(simulation.runUntil(failed::isDone, 10 * SECOND)).isTrue();
        try {
            failed.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RaftFailure failure) {
                return failure.reason();
            }
        }
        throw new AssertionError("it has not failed as a group does: " + failed);
    }

    /** Notes the tasks that are to run at once. */
    private final class NotedScheduler implements Scheduler {
        private final Scheduler scheduler;

        private NotedScheduler(Scheduler scheduler) {
            this.scheduler = scheduler;
        }

        @Override
        public void execute(Runnable task) {
            handedIn.add(task);
            scheduler.execute(task);
        }

        @Override
        public Timer schedule(long delayNanos, Runnable task) {
            return scheduler.schedule(delayNanos, task);
        }

        @Override
        public Loops loops() {
            return scheduler.loops();
        }
    }

    private final class Listener implements GroupListener {
        @Override
        public void leaderChanged(long term, Optional<MemberId> leader) {
            told.add("leader " + leader.map(MemberId::toString).orElse("unknown"));
        }

        @Override
        public void removed() {
            told.add("removed");
        }

        @Override
        public void failed(String reason, Throwable cause) {
            told.add("failed: " + reason);
        }
    }
}
