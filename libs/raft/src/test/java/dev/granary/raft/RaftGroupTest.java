package dev.granary.raft;

import static dev.granary.raft.SimulatedGroup.MILLI;
import static dev.granary.raft.SimulatedGroup.SECOND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.raft.SimulatedGroup.Member;
import io.microraft.model.impl.DefaultRaftModelFactory;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Groups in the simulator, fault by fault. */
class RaftGroupTest {

    private static RaftFailure failureOf(CompletableFuture<?> failed) {
        try {
            failed.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RaftFailure failure) {
                return failure;
            }
            throw e;
        }
        throw new AssertionError("it has not failed");
    }

    private static RaftFailure.Reason reasonOf(CompletableFuture<?> failed) {
        return failureOf(failed).reason();
    }

    private static void cut(SimulatedGroup cluster, Member from, boolean outgoing, boolean incoming) {
        for (Member other : cluster.members()) {
            if (other != from && outgoing) {
                cluster.simulation()
                        .network()
                        .cut(from.node().name(), other.node().name());
            }
            if (other != from && incoming) {
                cluster.simulation()
                        .network()
                        .cut(other.node().name(), from.node().name());
            }
        }
    }

    @Test
    void propose_toALeader_isAppliedEverywhere() {
        SimulatedGroup cluster = new SimulatedGroup(1, 3, SECOND).start();
        cluster.write(7, 70);
        cluster.write(7, 71);
        assertThat(cluster.read(7)).isEqualTo(71);
        cluster.await(
                () -> cluster.members().stream()
                        .allMatch(member -> member.registers().valueOf(7) == 71),
                SECOND,
                "all members have it");
    }

    @Test
    void propose_toAFollower_namesTheLeader() {
        SimulatedGroup cluster = new SimulatedGroup(2, 3, SECOND).start();
        Member leader = cluster.awaitLeader();
        Member follower = cluster.members().stream()
                .filter(member -> member != leader)
                .findFirst()
                .orElseThrow();
        CompletableFuture<byte[]> refused = follower.group().propose(Registers.write(1, 1));
        cluster.await(refused::isDone, SECOND, "an answer");
        assertThat(reasonOf(refused)).isEqualTo(RaftFailure.Reason.NOT_LEADER);
        assertThat(failureOf(refused).leader()).contains(leader.id());
    }

    @Test
    void group_ofOne_worksAndRestarts() {
        SimulatedGroup cluster = new SimulatedGroup(3, 1, SECOND).start();
        cluster.write(1, 5);
        cluster.member(1).powerOff();
        cluster.member(1).start();
        assertThat(cluster.read(1)).isEqualTo(5);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void partition_ofOneDirection_leavesTheMajorityAtWork(long seed) {
        SimulatedGroup cluster = new SimulatedGroup(seed, 3, SECOND).start();
        cluster.write(1, 10);
        Member old = cluster.awaitLeader();
        boolean mute = seed % 2 == 0;
        cut(cluster, old, mute, !mute);
        CompletableFuture<byte[]> doubtful = old.group().propose(Registers.write(1, 11));
        cluster.await(
                () -> cluster.members().stream().anyMatch(member -> member != old && member.leads()),
                5 * SECOND,
                "another leader");
        Member next = cluster.members().stream()
                .filter(member -> member != old && member.leads())
                .findFirst()
                .orElseThrow();
        CompletableFuture<byte[]> done = next.group().propose(Registers.write(1, 12));
        cluster.await(done::isDone, 5 * SECOND, "a commit without the old leader");
        cluster.await(doubtful::isDone, 5 * SECOND, "the old leader gives up");
        assertThat(reasonOf(doubtful)).isEqualTo(RaftFailure.Reason.OUTCOME_UNKNOWN);
        CompletableFuture<byte[]> stale = old.group().query(Registers.read(1));
        cluster.simulation().network().healAll();
        cluster.simulation().runFor(3 * SECOND);
        assertThat(cluster.read(1)).isEqualTo(12);
        assertThat(old.registers().valueOf(1)).isEqualTo(12);
        assertThat(stale).isCompletedExceptionally();
    }

    @Test
    void restart_ofAllWithNewAddresses_keepsEverything() {
        SimulatedGroup cluster =
                new SimulatedGroup(5, 3, SECOND).withSnapshotEvery(20).start();
        for (long value = 1; value <= 50; value++) {
            cluster.write(value, value * 3);
        }
        cluster.members().forEach(Member::powerOff);
        for (Member member : cluster.members()) {
            member.moveTo("elsewhere-" + member.id());
            member.start();
        }
        for (long value = 1; value <= 50; value++) {
            assertThat(cluster.read(value)).isEqualTo(value * 3);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void powerLoss_ofAllAtOnce_losesNothingThatWasAnswered(long seed) {
        SimulatedGroup cluster =
                new SimulatedGroup(seed, 3, SECOND).withSnapshotEvery(7).start();
        for (long round = 1; round <= 8; round++) {
            cluster.write(1, round);
            // In the middle of the next command: some disks have it, some have half of it.
            CompletableFuture<byte[]> half = cluster.awaitLeader().group().propose(Registers.write(2, round));
            cluster.simulation().runFor(seed * 60_000);
            boolean answered = half.isDone() && !half.isCompletedExceptionally();
            cluster.members().forEach(Member::powerOff);
            cluster.members().forEach(Member::start);
            assertThat(cluster.read(1)).isEqualTo(round);
            assertThat(cluster.read(2)).isIn(answered ? round : round - 1, round);
            cluster.write(2, round);
        }
    }

    @Test
    void follower_thatWasAway_catchesUpBySnapshot() {
        SimulatedGroup cluster =
                new SimulatedGroup(6, 3, SECOND).withSnapshotEvery(30).start();
        Member leader = cluster.awaitLeader();
        Member away = cluster.members().stream()
                .filter(member -> member != leader)
                .findFirst()
                .orElseThrow();
        away.powerOff();
        for (long value = 1; value <= 200; value++) {
            cluster.write(value, value);
        }
        away.start();
        cluster.await(() -> away.registers().valueOf(200) == 200, 10 * SECOND, "it has caught up");
        assertThat(away.registers().installed()).isPositive();
        assertThat(cluster.await(away.group().status()).snapshotIndex()).isGreaterThanOrEqualTo(180);
    }

    @Test
    void members_areReplacedOneByOne_theGroupGoesOn() {
        SimulatedGroup cluster =
                new SimulatedGroup(7, 3, SECOND).withSnapshotEvery(25).start();
        for (long next = 4; next <= 6; next++) {
            for (long value = 0; value < 30; value++) {
                cluster.write(next, value);
            }
            Member added = cluster.add(new MemberId(next));
            added.start();
            GroupMembers members = cluster.await(cluster.awaitLeader().group().addVoter(added.id(), 10 * SECOND));
            assertThat(members.voters()).contains(added.id()).hasSize(4);
            assertThat(added.registers().valueOf(next)).isEqualTo(29);

            MemberId leaving = new MemberId(next - 3);
            GroupMembers smaller = cluster.await(cluster.awaitLeader().group().remove(leaving, members.version()));
            assertThat(smaller.voters()).hasSize(3).doesNotContain(leaving);
            cluster.simulation().runFor(SECOND);
            cluster.member(leaving.value()).kill();
        }
        cluster.write(100, 1);
        assertThat(cluster.read(4)).isEqualTo(29);
        cluster.awaitLeader().powerOff();
        assertThat(cluster.read(6)).isEqualTo(29);
    }

    @Test
    void remove_fromMembersOfLongAgo_isRefused() {
        SimulatedGroup cluster = new SimulatedGroup(8, 3, SECOND).start();
        cluster.write(1, 1);
        CompletableFuture<GroupMembers> first = cluster.awaitLeader().group().remove(new MemberId(3), 0);
        CompletableFuture<GroupMembers> second = cluster.awaitLeader().group().remove(new MemberId(2), 0);
        cluster.await(() -> first.isDone() && second.isDone(), 5 * SECOND, "answers");
        assertThat(reasonOf(second)).isIn(RaftFailure.Reason.BUSY, RaftFailure.Reason.MEMBERS_DIFFER);
        CompletableFuture<GroupMembers> third = cluster.awaitLeader().group().remove(new MemberId(2), 0);
        cluster.await(third::isDone, 5 * SECOND, "an answer");
        assertThat(reasonOf(third)).isEqualTo(RaftFailure.Reason.MEMBERS_DIFFER);
    }

    @Test
    void leader_killedAfterItsFollowersHadLostItForAMoment_isReplaced() {
        SimulatedGroup cluster = new SimulatedGroup(10, 3, SECOND).start();
        cluster.write(1, 1);
        Member leader = cluster.awaitLeader();
        for (Member follower : cluster.members()) {
            if (follower != leader) {
                cluster.simulation()
                        .network()
                        .cutBoth(leader.node().name(), follower.node().name());
                cluster.simulation().runFor(SECOND / 4);
                cluster.simulation().network().healAll();
                cluster.simulation().runFor(SECOND);
            }
        }
        assertThat(cluster.awaitLeader()).isSameAs(leader);
        leader.powerOff();
        cluster.write(1, 2);
        assertThat(cluster.read(1)).isEqualTo(2);
    }

    /** One has a longer log, the other a later term, and a third one that could help is gone. */
    @Test
    void election_betweenALongerLogAndALaterTerm_isWonByTheLongerLog() {
        SimulatedGroup cluster = new SimulatedGroup(12, 3, SECOND).start();
        cluster.write(1, 1);
        Member longer = cluster.awaitLeader();
        List<Member> others =
                cluster.members().stream().filter(member -> member != longer).toList();
        Member later = others.getFirst();
        Member gone = others.getLast();
        gone.powerOff();
        cluster.simulation()
                .network()
                .cutBoth(longer.node().name(), later.node().name());
        CompletableFuture<byte[]> unknown = longer.group().propose(Registers.write(1, 2));
        cluster.simulation().runFor(2 * SECOND);
        assertThat(longer.leads()).isFalse();
        assertThat(unknown).isCompletedExceptionally();
        later.group()
                .receive(MessageCodec.encode(new DefaultRaftModelFactory()
                        .createVoteRequestBuilder()
                        .setGroupId(SimulatedGroup.GROUP_ID)
                        .setSender(new Endpoint(gone.id()))
                        .setTerm(60)
                        .setLastLogTerm(0)
                        .setLastLogIndex(0)
                        .setSticky(true)
                        .build()));
        cluster.simulation().runFor(SECOND);
        cluster.simulation().network().healAll();
        cluster.write(1, 3);
        assertThat(cluster.read(1)).isEqualTo(3);
    }

    @Test
    void remove_theLeader_itEndsAndAnotherLeads() {
        SimulatedGroup cluster = new SimulatedGroup(9, 3, SECOND).start();
        cluster.write(1, 1);
        Member leader = cluster.awaitLeader();
        cluster.await(leader.group().remove(leader.id(), 0));
        cluster.simulation().runFor(SECOND);
        assertThat(leader.isRemoved()).isTrue();
        assertThat(cluster.await(leader.group().status()).role()).isEqualTo(RaftStatus.Role.ENDED);
        CompletableFuture<byte[]> late = leader.group().propose(Registers.write(1, 2));
        cluster.await(late::isDone, SECOND, "an answer");
        assertThat(reasonOf(late)).isEqualTo(RaftFailure.Reason.ENDED);
        leader.kill();
        cluster.write(1, 3);
        assertThat(cluster.read(1)).isEqualTo(3);
    }

    @Test
    void transferLeadership_toAnotherVoter_itLeads() {
        SimulatedGroup cluster = new SimulatedGroup(10, 3, SECOND).start();
        cluster.write(1, 1);
        Member leader = cluster.awaitLeader();
        Member next = cluster.members().stream()
                .filter(member -> member != leader)
                .findFirst()
                .orElseThrow();
        cluster.await(leader.group().transferLeadership(next.id()));
        cluster.await(next::leads, SECOND, "the other one leads");
        assertThat(cluster.read(1)).isEqualTo(1);
    }

    @Test
    void sync_fails_theMemberEndsAndTheOthersGoOn() {
        SimulatedGroup cluster = new SimulatedGroup(11, 3, SECOND).start();
        cluster.write(1, 1);
        Member leader = cluster.awaitLeader();
        leader.node().disk().failSyncAfter(0);
        CompletableFuture<byte[]> doubtful = leader.group().propose(Registers.write(1, 2));
        cluster.await(doubtful::isDone, SECOND, "an answer");
        assertThat(reasonOf(doubtful)).isEqualTo(RaftFailure.Reason.OUTCOME_UNKNOWN);
        assertThat(leader.failure()).isEqualTo("the log failed");
        cluster.await(
                () -> cluster.members().stream().anyMatch(member -> member != leader && member.leads()),
                5 * SECOND,
                "another leader");
        leader.powerOff();
        cluster.write(1, 3);
        leader.start();
        cluster.await(() -> leader.registers().valueOf(1) == 3, 5 * SECOND, "it is back");
        assertThat(leader.failure()).isNull();
    }

    @Test
    void command_thatCannotBeApplied_endsEachMemberThatComesToIt() {
        SimulatedGroup cluster = new SimulatedGroup(13, 3, SECOND).start();
        Member leader = cluster.awaitLeader();

        CompletableFuture<byte[]> doubtful = leader.group().propose(new byte[1]);
        cluster.await(doubtful::isDone, SECOND, "an answer");

        assertThat(reasonOf(doubtful)).isEqualTo(RaftFailure.Reason.OUTCOME_UNKNOWN);
        assertThat(leader.failure()).startsWith("the state machine could not apply command");
        assertThat(cluster.await(leader.group().status()).role()).isEqualTo(RaftStatus.Role.ENDED);
        cluster.await(
                () -> cluster.members().stream()
                                .filter(member -> member.failure() != null)
                                .count()
                        > 1,
                5 * SECOND,
                "the next leader ends as well");
    }

    @Test
    void question_thatCannotBeAnswered_failsAlone() {
        SimulatedGroup cluster = new SimulatedGroup(14, 3, SECOND).start();
        cluster.write(7, 70);
        Member leader = cluster.awaitLeader();

        CompletableFuture<byte[]> other = leader.group().query(Registers.read(7));
        CompletableFuture<byte[]> wrong = leader.group().query(new byte[1]);
        CompletableFuture<byte[]> next = leader.group().query(Registers.read(7));
        cluster.await(() -> other.isDone() && wrong.isDone() && next.isDone(), SECOND, "answers");

        assertThat(reasonOf(wrong)).isEqualTo(RaftFailure.Reason.OUTCOME_UNKNOWN);
        assertThat(Registers.value(other.join())).isEqualTo(70);
        assertThat(Registers.value(next.join())).isEqualTo(70);
        assertThat(leader.failure()).isNull();
    }

    @Test
    void open_theLogOfAnotherMember_isRefused() {
        SimulatedGroup cluster = new SimulatedGroup(12, 3, SECOND).start();
        cluster.write(1, 1);
        Member two = cluster.member(2);
        two.powerOff();
        two.node().disk().copyFrom(cluster.member(3).node().disk());
        two.start();
        assertThatThrownBy(() -> cluster.simulation().runFor(100 * MILLI))
                .hasStackTraceContaining("is not that of member 2 of group 42");
    }
}
