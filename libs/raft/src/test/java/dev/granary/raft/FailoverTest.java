package dev.granary.raft;

import static dev.granary.raft.SimulatedGroup.MILLI;
import static dev.granary.raft.SimulatedGroup.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.testkit.LinkConditions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How long a group is without a leader: on virtual time, so it is the protocol's share, not the machine's. */
class FailoverTest {

    private static final int SEEDS = 12;

    /**
     * The latency of messages between processes that wait for a processor; twice that is more than a heartbeat of a
     * short lease.
     */
    private static final LinkConditions SLOW = new LinkConditions(15 * MILLI, 45 * MILLI, 0, MILLI, 0);

    @ParameterizedTest
    @CsvSource({"3, 1000, 400", "5, 1000, 400", "3, 3000, 1200", "5, 3000, 1200"})
    void kill_theLeader_theNextOneCommitsWithinHalfALease(int size, long leaseMillis, long limitMillis) {
        List<Long> tookMillis = new ArrayList<>();
        for (long seed = 1; seed <= SEEDS; seed++) {
            tookMillis.add(timeToNextCommit(seed, size, leaseMillis * MILLI) / MILLI);
        }
        Collections.sort(tookMillis);
        System.out.printf(
                "%d members, leases of %d ms: next commit after %d ms (median), %d ms (longest of %d)%n",
                size, leaseMillis, tookMillis.get(SEEDS / 2), tookMillis.getLast(), SEEDS);
        assertThat(tookMillis.getLast()).isLessThanOrEqualTo(limitMillis).isLessThan(leaseMillis / 2);
    }

    /**
     * On a machine that has too much to do every message takes some tens of milliseconds: an election takes longer than
     * it otherwise would, and the next one must not begin before it has ended.
     */
    @ParameterizedTest
    @ValueSource(ints = {3, 5})
    void kill_theLeaderWhileMessagesAreSlow_fewElectionsAreNeeded(int size) {
        List<Long> tookMillis = new ArrayList<>();
        for (long seed = 1; seed <= SEEDS; seed++) {
            SimulatedGroup cluster = new SimulatedGroup(seed, size, SECOND).start();
            cluster.simulation().network().setConditions(SLOW);
            tookMillis.add(timeToNextCommit(seed, cluster) / MILLI);
        }
        Collections.sort(tookMillis);
        System.out.printf(
                "%d members, slow messages: next commit after %d ms (median), %d ms (longest of %d)%n",
                size, tookMillis.get(SEEDS / 2), tookMillis.getLast(), SEEDS);
        assertThat(tookMillis.getLast()).isLessThanOrEqualTo(1_500);
    }

    /**
     * A machine that stands still for longer than a leader may be silent has lost nothing: nobody has to be elected.
     */
    @ParameterizedTest
    @ValueSource(ints = {3, 5})
    void pause_ofTheWholeMachine_theLeaderGoesOn(int size) {
        for (long seed = 1; seed <= SEEDS; seed++) {
            SimulatedGroup cluster = new SimulatedGroup(seed, size, SECOND).start();
            cluster.write(1, 1);
            cluster.simulation().runFor(SECOND + seed * 7 * MILLI);
            SimulatedGroup.Member leader = cluster.awaitLeader();
            long term = term(cluster, leader);

            cluster.members().forEach(member -> member.node().pause(400 * MILLI));
            cluster.simulation().runFor(SECOND);

            assertThat(leader.leads()).as("seed %d", seed).isTrue();
            assertThat(term(cluster, leader)).as("seed %d", seed).isEqualTo(term);
        }
    }

    /**
     * With one of three members dead the leader needs the answers of the other. A moment in which that one stands still
     * must not cost an election beside.
     */
    @ParameterizedTest
    @ValueSource(ints = {300, 600})
    void pause_ofTheOnlyOtherLiveMember_theLeaderCommitsWhenItGoesOn(int pauseMillis) {
        for (long seed = 1; seed <= SEEDS; seed++) {
            SimulatedGroup cluster = new SimulatedGroup(seed, 3, SECOND).start();
            cluster.write(1, 1);
            cluster.simulation().runFor(SECOND + seed * 7 * MILLI);
            SimulatedGroup.Member leader = cluster.awaitLeader();
            List<SimulatedGroup.Member> others = cluster.members().stream()
                    .filter(member -> member != leader)
                    .toList();
            long term = term(cluster, leader);

            others.getFirst().powerOff();
            others.getLast().node().pause(pauseMillis * MILLI);
            CompletableFuture<byte[]> committed = leader.group().propose(Registers.write(1, 2));
            cluster.simulation().runFor((pauseMillis + 100) * MILLI);

            assertThat(committed).as("seed %d", seed).isCompleted();
            assertThat(term(cluster, leader)).as("seed %d", seed).isEqualTo(term);
        }
    }

    private static long term(SimulatedGroup cluster, SimulatedGroup.Member member) {
        CompletableFuture<RaftStatus> status = member.group().status();
        cluster.await(status::isDone, SECOND, "a status");
        return status.join().term();
    }

    private static long timeToNextCommit(long seed, int size, long leaseNanos) {
        return timeToNextCommit(seed, new SimulatedGroup(seed, size, leaseNanos).start());
    }

    private static long timeToNextCommit(long seed, SimulatedGroup cluster) {
        cluster.write(1, 1);
        cluster.simulation().runFor(SECOND + seed * 7 * MILLI);
        SimulatedGroup.Member leader = cluster.awaitLeader();
        long killedAtNanos = cluster.simulation().nowNanos();
        if (seed % 2 == 0) {
            leader.kill();
        } else {
            leader.powerOff();
        }
        AtomicBoolean committed = new AtomicBoolean();
        tryEverywhere(cluster, committed);
        cluster.await(committed::get, 10 * SECOND, "a commit");
        return cluster.simulation().nowNanos() - killedAtNanos;
    }

    /** Proposes to every living member every millisecond, as clients do that do not know who leads. */
    private static void tryEverywhere(SimulatedGroup cluster, AtomicBoolean committed) {
        for (SimulatedGroup.Member member : cluster.members()) {
            if (member.isRunning() && !committed.get()) {
                CompletableFuture<byte[]> done = member.group().propose(Registers.write(1, 2));
                done.thenAccept(answer -> committed.set(true)).exceptionally(refused -> null);
            }
        }
        if (!committed.get()) {
            cluster.simulation().after(MILLI, "try", () -> tryEverywhere(cluster, committed));
        }
    }
}
