package dev.granary.raft;

import static dev.granary.raft.SimulatedGroup.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.env.Clock;
import dev.granary.env.Environment;
import dev.granary.raft.SimulatedGroup.Member;
import dev.granary.testkit.InjectedFailure;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The heartbeats of groups go on whatever throws, and somebody notices when they do not. */
class HeartbeatTest {

    /** A clock that throws as long as it is told to. */
    private record FailingClock(Clock clock, AtomicBoolean fails) implements Clock {

        @Override
        public long nanoTime() {
            if (fails.get()) {
                throw new InjectedFailure("clock");
            }
            return clock.nanoTime();
        }

        @Override
        public long wallMillis() {
            return clock.wallMillis();
        }
    }

    @Test
    void heartbeat_clockThrowsForAWhile_anotherOneLeadsAfterwards() {
        AtomicBoolean fails = new AtomicBoolean();
        SimulatedGroup cluster = new SimulatedGroup(1, 3, SECOND)
                .withWorlds(world -> new Environment(
                        new FailingClock(world.clock(), fails), world.scheduler(), world.random(), world.disk()))
                .start();
        cluster.write(7, 70);

        fails.set(true);
        cluster.simulation().runFor(SECOND / 10);
        fails.set(false);
        cluster.awaitLeader().kill();

        cluster.write(7, 71);
        assertThat(cluster.read(7)).isEqualTo(71);
    }

    @Test
    void heartbeat_roundsThatThrow_areCountedAndOthersFollow() {
        SimulatedGroup cluster = new SimulatedGroup(2, 3, SECOND).start();
        cluster.members().forEach(member -> member.node().failRounds(2));

        cluster.simulation().runFor(SECOND);

        assertThat(cluster.members())
                .allSatisfy(member -> assertThat(member.node().failedRounds()).isEqualTo(2));
        cluster.write(7, 70);
        assertThat(cluster.read(7)).isEqualTo(70);
    }

    @Test
    void heartbeat_noneForLong_processCountsAsDeadUntilOneFollows() {
        SimulatedGroup cluster = new SimulatedGroup(3, 1, SECOND).start();
        Member member = cluster.member(1);
        assertThat(member.node().stalledLoops()).isEmpty();

        member.node().failRounds(Integer.MAX_VALUE);
        cluster.simulation().runFor(40 * SECOND);
        assertThat(member.node().stalledLoops())
                .hasValueSatisfying(text -> assertThat(text).contains("raft-heartbeat"));

        member.node().failRounds(0);
        cluster.simulation().runFor(SECOND);
        assertThat(member.node().stalledLoops()).isEmpty();
    }

    @Test
    void close_groupWithHeartbeats_leavesNoLoopBehind() {
        SimulatedGroup cluster = new SimulatedGroup(4, 1, SECOND).start();
        Member member = cluster.member(1);

        member.group().close();
        cluster.simulation().runFor(60 * SECOND);

        assertThat(member.node().stalledLoops()).as("nothing is overdue").isEmpty();
    }

    /** The library would only log such an exception, but a leader that can send nothing must not count as healthy. */
    @Test
    void heartbeat_sendingThrows_processCountsAsDead() {
        AtomicBoolean fails = new AtomicBoolean();
        SimulatedGroup cluster = new SimulatedGroup(5, 3, SECOND)
                .withSenders(sender -> (to, message) -> {
                    if (fails.get()) {
                        throw new InjectedFailure("send");
                    }
                    sender.send(to, message);
                })
                .start();
        Member leader = cluster.awaitLeader();

        // Without answers it would stop leading and send nothing: so sending fails before that, again and again.
        fails.set(true);
        cluster.simulation().runFor(SECOND / 10);
        long overdueNanos = Objects.requireNonNull(leader.loops().overdueNanos().get("raft-heartbeat"));
        long failures = Objects.requireNonNull(leader.loops().failures().get("raft-heartbeat"));
        fails.set(false);

        assertThat(failures).isPositive();
        assertThat(overdueNanos).isPositive();
        cluster.write(7, 70);
    }

    @Test
    void addVoter_answerThatNeverComes_endsAfterTheLimit() {
        SimulatedGroup cluster = new SimulatedGroup(6, 1, SECOND).start();
        Member leader = cluster.awaitLeader();
        MemberId added = new MemberId(2);
        VoterAddition addition = new VoterAddition(
                leader.group(),
                leader.environment(),
                member -> new CompletableFuture<>(),
                added,
                SECOND / 20,
                5 * SECOND);
        CompletableFuture<GroupMembers> ended = addition.start();

        cluster.await(ended::isDone, 10 * SECOND, "the end of the addition");

        assertThat(ended.exceptionNow())
                .isInstanceOfSatisfying(RaftFailure.class, failure -> assertThat(failure.reason())
                        .isEqualTo(RaftFailure.Reason.BUSY));
    }

    @Test
    void addVoter_lookThatThrows_looksAgain() {
        SimulatedGroup cluster = new SimulatedGroup(7, 1, SECOND).start();
        Member leader = cluster.awaitLeader();
        MemberId added = cluster.add(new MemberId(2)).id();
        cluster.member(2).start();
        AtomicInteger looks = new AtomicInteger();
        VoterAddition addition = new VoterAddition(
                leader.group(),
                leader.environment(),
                member -> {
                    if (looks.incrementAndGet() == 1) {
                        throw new InjectedFailure("look");
                    }
                    return leader.group().status().thenApply(status -> new VoterAddition.Seen(status, 1 << 20));
                },
                added,
                SECOND / 20,
                5 * SECOND);

        GroupMembers members = cluster.await(addition.start());

        assertThat(members.voters()).contains(added);
        assertThat(looks).hasValueGreaterThan(1);
    }
}
