package dev.granary.superpeer.replicated;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.env.Environment;
import dev.granary.env.Loops;
import dev.granary.env.Scheduler;
import dev.granary.net.message.NodeRole;
import dev.granary.net.rpc.RpcClient;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.overlay.Nid;
import dev.granary.process.NodeIdentity;
import dev.granary.raft.GroupMembers;
import dev.granary.raft.MemberId;
import dev.granary.raft.RaftGroup;
import dev.granary.raft.RaftStatus;
import dev.granary.superpeer.SimulatedRing;
import dev.granary.superpeer.node.GroupId;
import dev.granary.superpeer.node.Node;
import dev.granary.superpeer.node.SuperPeerMetrics;
import dev.granary.superpeer.state.ring.RingCommand;
import dev.granary.superpeer.state.ring.RingResult;
import dev.granary.superpeer.state.ring.RingState;
import dev.granary.testkit.SimulatedNode;
import dev.granary.testkit.Simulation;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The keeper goes on with the members of a group however a change of them ends, even if it never ends. */
class VoterKeeperTest {

    private static final int SELF = 0x4001;
    private static final int OTHER = 0x8001;

    private final Simulation simulation = new Simulation(7);
    private final SilentGroup group = new SilentGroup();
    private final List<Throwable> thrown = new ArrayList<>();
    private final List<VoterKeeper> keepers = new ArrayList<>();

    /** A group that answers only when it is told to. */
    private static final class SilentGroup implements RaftGroup {
        private boolean tellsStatus;
        private int asked;
        private int additions;

        @Override
        public CompletableFuture<byte[]> propose(byte[] command) {
            return new CompletableFuture<>();
        }

        @Override
        public CompletableFuture<byte[]> query(byte[] question) {
            return CompletableFuture.completedFuture(question);
        }

        @Override
        public Optional<MemberId> leader() {
            return Optional.of(GroupId.member(0, SELF));
        }

        @Override
        public long logBytes() {
            return 0;
        }

        @Override
        public CompletableFuture<RaftStatus> status() {
            asked++;
            GroupMembers members = new GroupMembers(1, List.of(GroupId.member(0, SELF)), List.of());
            RaftStatus status = new RaftStatus(RaftStatus.Role.LEADER, 1, leader(), 1, 1, 0, members);
            return tellsStatus ? CompletableFuture.completedFuture(status) : new CompletableFuture<>();
        }

        @Override
        public CompletableFuture<GroupMembers> addLearner(MemberId member, long version) {
            return new CompletableFuture<>();
        }

        @Override
        public CompletableFuture<GroupMembers> promote(MemberId learner, long version) {
            return new CompletableFuture<>();
        }

        @Override
        public CompletableFuture<GroupMembers> remove(MemberId member, long version) {
            return new CompletableFuture<>();
        }

        @Override
        public CompletableFuture<GroupMembers> addVoter(MemberId member, long limitNanos) {
            additions++;
            return new CompletableFuture<>();
        }

        @Override
        public CompletableFuture<Void> transferLeadership(MemberId to) {
            return new CompletableFuture<>();
        }

        @Override
        public CompletableFuture<Void> takeSnapshot() {
            return new CompletableFuture<>();
        }

        @Override
        public void receive(byte[] message) {}

        @Override
        public void close() {}
    }

    /** A scheduler whose loops report failures and go on, as in a process. */
    private record TolerantScheduler(Scheduler scheduler, Loops loops) implements Scheduler {

        @Override
        public void execute(Runnable task) {
            scheduler.execute(task);
        }

        @Override
        public Timer schedule(long delayNanos, Runnable task) {
            return scheduler.schedule(delayNanos, task);
        }
    }

    private void begin(SimulatedNode.World world) {
        Environment own = world.environment();
        Loops loops = new Loops(own.clock(), (loop, failure) -> thrown.add(failure));
        Environment environment =
                new Environment(own.clock(), new TolerantScheduler(own.scheduler(), loops), own.random(), own.disk());
        try {
            RpcIdentity identity = new RpcIdentity(NodeRole.SUPER_PEER, 1);
            identity.joinCluster(new UUID(1, 1));
            identity.takeNid(SELF);
            Node node = new Node(
                    SimulatedRing.config("s0"),
                    environment,
                    NodeIdentity.open(environment),
                    identity,
                    new RpcClient(world.transport(), environment.clock(), environment.scheduler(), identity),
                    (reason, cause) -> {},
                    new SuperPeerMetrics(new CollectorRegistry()));
            RaftHost host = new RaftHost(node, nid -> null, EndedMemberships.open(environment.disk()));
            Replica<RingCommand, RingResult> replica = new Replica<>(
                    node,
                    GroupId.RING,
                    GroupId.member(0, SELF),
                    new RingState(),
                    new Replica.Listener() {
                        @Override
                        public void leadershipBegan() {
                            keepers.getFirst().begin();
                        }
                    },
                    host.heartbeatNanos());
            replica.begin(group);
            keepers.add(new VoterKeeper(node, host, replica, voters -> List.of(SELF, OTHER), Nid.NONE));
            replica.groupListener().leaderChanged(1, Optional.of(GroupId.member(0, SELF)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void runFor(long seconds) {
        simulation.runFor(TimeUnit.SECONDS.toNanos(seconds));
    }

    @Test
    void look_groupNeverTellsItsStatus_isCountedAndAskedAgain() {
        simulation.node("s0").start(this::begin);
        runFor(50);
        assertThat(group.asked).isEqualTo(1);

        group.tellsStatus = true;
        runFor(20);

        assertThat(thrown).hasSize(1);
        assertThat(group.asked).isEqualTo(2);
        assertThat(group.additions).isEqualTo(1);
    }

    @Test
    void look_changeNeverEnds_isCountedAndBegunAgain() {
        group.tellsStatus = true;
        simulation.node("s0").start(this::begin);
        runFor(50);
        assertThat(group.additions).isEqualTo(1);

        runFor(20);

        assertThat(group.additions).isEqualTo(2);
        assertThat(thrown).hasSize(1);
    }
}
