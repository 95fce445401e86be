package dev.granary.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import dev.granary.client.Place;
import dev.granary.client.view.ClusterView;
import dev.granary.net.access.ClusterSecret;
import dev.granary.net.access.Credentials;
import dev.granary.net.message.Blob;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.HibernationMessages.Hibernate;
import dev.granary.net.message.LeaseMessages.CloseLease;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NodeRole;
import dev.granary.net.message.PlanMessages.PlanKind;
import dev.granary.net.message.PlanMessages.StartPlan;
import dev.granary.net.message.ReplicationMessages.DropCopies;
import dev.granary.net.message.ReplicationMessages.SealZones;
import dev.granary.net.message.RingMessages.AssignNid;
import dev.granary.net.message.RingMessages.RaftMessage;
import dev.granary.net.message.RingMessages.ResizeRing;
import dev.granary.net.message.RingMessages.RingViewMessage;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.net.rpc.RpcClient;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.overlay.HostAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A stranger on the network of a simulated cluster, which says what would end the cluster. */
class HostileNodesTest {

    private static final long SECOND = 1_000_000_000;
    private static final ClusterSecret OTHER = ClusterSecret.of("the secret of another cluster");

    private @Nullable SimulatedCluster running;
    private @Nullable RpcClient stranger;

    /** Who the stranger says it is, and what it has. */
    enum Stranger {
        STORAGE_PEER_WITHOUT_A_SECRET(NodeRole.STORAGE_PEER, false),
        SUPER_PEER_WITHOUT_A_SECRET(NodeRole.SUPER_PEER, false),
        STORAGE_PEER_OF_ANOTHER_CLUSTER(NodeRole.STORAGE_PEER, true),
        SUPER_PEER_OF_ANOTHER_CLUSTER(NodeRole.SUPER_PEER, true),
        ADMINISTRATOR_OF_ANOTHER_CLUSTER(NodeRole.CLIENT, true),
        CLIENT(NodeRole.CLIENT, false);

        private final NodeRole role;
        private final boolean hasOtherSecret;

        Stranger(NodeRole role, boolean hasOtherSecret) {
            this.role = role;
            this.hasOtherSecret = hasOtherSecret;
        }
    }

    @AfterEach
    void giveBackMemory() {
        if (running != null) {
            running.close();
        }
    }

    private SimulatedCluster cluster() {
        return Objects.requireNonNull(running);
    }

    private <T> T await(CompletableFuture<T> future) {
        assertThat(cluster().simulation().runUntil(future::isDone, 60 * SECOND)).isTrue();
        return future.join();
    }

    private ClusterView view() {
        return await(cluster().operator().orElseThrow().admin().view());
    }

    private List<Long> created(int seed) {
        List<Long> cids = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            cids.add(await(
                    cluster().clients().getFirst().client().create(new byte[] {(byte) (seed + i)}, Place.anywhere())));
        }
        return cids;
    }

    private void start() {
        running = new SimulatedCluster(11, ClusterShape.of(3, 3, 1).withReplicated(true));
        cluster().start();
        assertThat(cluster().simulation().runUntil(cluster()::copiesAreInSync, 60 * SECOND, SECOND / 20))
                .isTrue();
    }

    private void strangerIs(NodeRole role, @Nullable ClusterSecret secret, int nid) {
        UUID clusterId = view().ring().clusterId();
        cluster().simulation().node("stranger").start(world -> {
            RpcIdentity identity = new RpcIdentity(
                    role, 666, Credentials.of(secret, world.environment().random()));
            identity.joinCluster(clusterId);
            if (role != NodeRole.CLIENT) {
                identity.takeNid(nid);
            }
            stranger = new RpcClient(
                    world.transport(),
                    world.environment().clock(),
                    world.environment().scheduler(),
                    identity);
        });
        assertThat(cluster().simulation().runUntil(() -> stranger != null, SECOND))
                .isTrue();
    }

    private <Q extends Message> CompletableFuture<?> tell(HostAddress to, MessageType<Q, ?> type, Q message) {
        return Objects.requireNonNull(stranger).call(to, 0, type, message, 3 * SECOND);
    }

    private static HostAddress address(SuperPeerMachine machine) {
        return new HostAddress(machine.name(), SimulatedCluster.SUPER_PEER_PORT);
    }

    /** Everything that would end a peer, a copy, a vote or the cluster, to everybody. */
    private List<CompletableFuture<?>> tellAll(ClusterView view) {
        UUID clusterId = view.ring().clusterId();
        List<CompletableFuture<?>> told = new ArrayList<>();
        for (SuperPeerMachine machine : cluster().superPeers()) {
            HostAddress to = address(machine);
            for (PeerInfo peer : view.peers()) {
                told.add(tell(to, MessageType.CLOSE_LEASE, new CloseLease(peer.nid(), peer.epoch())));
                told.add(tell(to, MessageType.START_PLAN, new StartPlan(PlanKind.DRAIN, peer.nid(), 0, 0)));
            }
            told.add(tell(to, MessageType.ASSIGN_NID, new AssignNid(new UUID(6, 6), 666, "stranger")));
            told.add(tell(to, MessageType.RAFT, new RaftMessage(0, 0, new Blob(new byte[64]))));
            told.add(tell(to, MessageType.RING_VIEW, new RingViewMessage(new Blob(new byte[64]))));
            told.add(tell(to, MessageType.RESIZE_RING, new ResizeRing(1)));
        }
        for (PeerInfo peer : view.peers()) {
            HostAddress to = peer.address();
            told.add(tell(to, MessageType.SEAL_ZONES, new SealZones(clusterId, List.of())));
            told.add(tell(to, MessageType.DROP_COPIES, new DropCopies(clusterId, List.of())));
            told.add(tell(to, MessageType.HIBERNATE, new Hibernate(Hibernate.Step.WORK)));
            told.add(tell(to, MessageType.LIST_NAME_COPIES, new Empty()));
        }
        return told;
    }

    private ErrorCode refusalOf(CompletableFuture<?> told) {
        assertThat(cluster().simulation().runUntil(told::isDone, 60 * SECOND)).isTrue();
        try {
            throw new AssertionError("a stranger was answered with " + told.join());
        } catch (CompletionException e) {
            assertThat(e.getCause()).isInstanceOf(RemoteErrorException.class);
            return ((RemoteErrorException) e.getCause()).code();
        }
    }

    @ParameterizedTest
    @EnumSource(Stranger.class)
    void stranger_saysEverythingToEverybody_changesNothing(Stranger who) {
        start();
        List<Long> before = created(1);
        ClusterView view = view();
        strangerIs(
                who.role,
                who.hasOtherSecret ? OTHER : null,
                who.role == NodeRole.SUPER_PEER
                        ? 0x0101
                        : view.peers().getFirst().nid());
        for (int round = 0; round < 3; round++) {
            for (CompletableFuture<?> told : tellAll(view)) {
                assertThat(refusalOf(told)).isEqualTo(ErrorCode.NOT_PERMITTED);
            }
        }
        cluster().simulation().runFor(20 * SECOND);

        assertThat(cluster().isReady()).isTrue();
        assertThat(cluster().copiesAreInSync()).isTrue();
        ClusterView after = view();
        assertThat(after.ring()).isEqualTo(view.ring());
        assertThat(after.peers())
                .extracting(PeerInfo::nid, PeerInfo::epoch, PeerInfo::live, PeerInfo::drain)
                .isEqualTo(view.peers().stream()
                        .map(peer -> tuple(peer.nid(), peer.epoch(), peer.live(), peer.drain()))
                        .toList());
        before.forEach(
                cid -> assertThat(await(cluster().clients().getFirst().client().get(cid)))
                        .hasSize(1));
        assertThat(created(50)).hasSize(20);
    }

    /** A member proves that it is one, and still may not send what only members of another role may. */
    @Test
    void member_ofAnotherRole_isRefusedWhatItsRoleMayNot() {
        start();
        ClusterView view = view();
        strangerIs(
                NodeRole.STORAGE_PEER,
                SimulatedCluster.SECRET,
                view.peers().getFirst().nid());
        HostAddress superPeer = address(cluster().superPeers().getFirst());
        assertThat(refusalOf(tell(superPeer, MessageType.RAFT, new RaftMessage(0, 0, new Blob(new byte[64])))))
                .isEqualTo(ErrorCode.NOT_PERMITTED);
        assertThat(refusalOf(tell(superPeer, MessageType.RESIZE_RING, new ResizeRing(1))))
                .isEqualTo(ErrorCode.NOT_PERMITTED);
        assertThat(refusalOf(tell(
                        view.peers().getFirst().address(),
                        MessageType.SEAL_ZONES,
                        new SealZones(view.ring().clusterId(), List.of()))))
                .isEqualTo(ErrorCode.NOT_PERMITTED);
    }

    /** The secret is what keeps strangers out: whoever has it and says the right role is heard. */
    @Test
    void member_ofTheRightRole_isAnswered() {
        start();
        ClusterView view = view();
        strangerIs(NodeRole.SUPER_PEER, SimulatedCluster.SECRET, 0x0101);
        assertThat(await(tell(view.peers().getFirst().address(), MessageType.LIST_NAME_COPIES, new Empty())))
                .isNotNull();
    }
}
