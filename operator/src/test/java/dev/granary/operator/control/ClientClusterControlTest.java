package dev.granary.operator.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.granary.net.access.ClusterSecret;
import dev.granary.net.access.Credentials;
import dev.granary.net.access.NodePorts;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.HibernationMessages.Hibernate;
import dev.granary.net.message.HibernationMessages.HibernateReply;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.LeaseMessages.PeerList;
import dev.granary.net.message.LeaseMessages.PeerStatistics;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NodeRole;
import dev.granary.net.message.PlanMessages.AbortPlan;
import dev.granary.net.message.PlanMessages.PlanKind;
import dev.granary.net.message.PlanMessages.PlanReply;
import dev.granary.net.message.PlanMessages.StartPlan;
import dev.granary.net.message.RingMessages.ResizeRing;
import dev.granary.net.message.RingMessages.RingReply;
import dev.granary.net.message.StatusText;
import dev.granary.net.netty.NettyOptions;
import dev.granary.net.netty.NettyTransport;
import dev.granary.net.rpc.RequestHandler;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.net.rpc.RpcServer;
import dev.granary.operator.control.ClusterControl.ControlException;
import dev.granary.operator.control.ClusterControl.Target;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@link ClientClusterControl} over real connections to a super-peer and a storage peer on ports of this machine. */
class ClientClusterControlTest {
    private static final int SUPER_PEER = 1;
    private static final int PEER = 0x8000;
    private static final UUID CLUSTER = new UUID(7, 7);
    private static final String SECRET = "the secret of the cluster";
    private static final Target HOSTS = new Target(List.of("127.0.0.1"), null, null);
    private static final String PLANS = """
            {"plans": [
              {"plan": "0x8000/4", "kind": "drain", "nid": "0x8000", "state": "running", "note": "",
               "bytes": 100, "bytesDone": 25, "list": [
                 {"target": "0xa000"}, {"target": "0x4000"}, {"target": "0xa000"}]},
              {"plan": "0x8000/3", "kind": "drain", "nid": "0x8000", "state": "aborted", "note": "no room",
               "bytes": 100, "bytesDone": 0},
              {"plan": "0x8000/2", "kind": "drain", "nid": "0x8000", "state": "done"},
              {"plan": "0x8000/1", "kind": "spread", "nid": "0x8000", "state": "running"},
              {"plan": "0xa000/9", "kind": "drain", "nid": "0xa000", "state": "running"}]}
            """;

    private final NettyTransport transport =
            new NettyTransport(NettyOptions.defaults().withIoThreads(1));
    private final ConcurrentLinkedQueue<Object> asked = new ConcurrentLinkedQueue<>();
    private volatile String plans = PLANS;
    private volatile @Nullable String refusal;
    private final HostAddress storagePeer = listen(NodeRole.STORAGE_PEER, PEER, this::answerAsStoragePeer);
    private final HostAddress superPeer = listen(NodeRole.SUPER_PEER, SUPER_PEER, this::answerAsSuperPeer);
    private final ClientClusterControl control = new ClientClusterControl(superPeer.port());

    @AfterEach
    void close() {
        transport.close();
    }

    private HostAddress listen(NodeRole role, int nid, RequestHandler answers) {
        return listen(new RpcIdentity(role, 99), nid, answers);
    }

    private HostAddress listen(RpcIdentity identity, int nid, RequestHandler answers) {
        identity.joinCluster(CLUSTER);
        identity.takeNid(nid);
        int port = transport
                .listen(new HostAddress("127.0.0.1", 0), new RpcServer(identity, answers))
                .join()
                .port();
        return new HostAddress("127.0.0.1", port);
    }

    private void answerAsSuperPeer(RpcRequest request) {
        String why = refusal;
        if (request.type() == MessageType.GET_RING.code()) {
            RingMember self = new RingMember(SUPER_PEER, "super", superPeer, superPeer);
            request.reply(new RingReply(new Ring(CLUSTER, 1, 1, true, List.of(self))));
        } else if (request.type() == MessageType.LIST_PEERS.code()) {
            request.reply(new PeerList(1, List.of(peer()), List.of(SUPER_PEER), List.of()));
        } else if (why != null) {
            request.fail(ErrorCode.BAD_REQUEST, why);
        } else if (request.type() == MessageType.LIST_PLANS.code()) {
            request.reply(new StatusText(plans));
        } else if (request.type() == MessageType.START_PLAN.code()) {
            asked.add(request.read(MessageType.START_PLAN));
            request.reply(new PlanReply(PEER, 1, 4, 100));
        } else if (request.type() == MessageType.ABORT_PLAN.code()) {
            asked.add(request.read(MessageType.ABORT_PLAN));
            request.reply(new Empty());
        } else if (request.type() == MessageType.RESIZE_RING.code()) {
            asked.add(request.read(MessageType.RESIZE_RING));
            request.reply(new Empty());
        } else if (request.type() == MessageType.ASK_PEER.code()) {
            request.reply(peer());
        } else {
            request.fail(ErrorCode.BAD_REQUEST, "not in this test");
        }
    }

    private void answerAsStoragePeer(RpcRequest request) {
        if (request.type() == MessageType.HIBERNATE.code()) {
            asked.add(request.read(MessageType.HIBERNATE));
            request.reply(new HibernateReply(false, 50, 200, "its disk is full"));
        } else {
            request.fail(ErrorCode.BAD_REQUEST, "not in this test");
        }
    }

    private PeerInfo peer() {
        PeerStatistics statistics = new PeerStatistics(0, 0, 0, 0, 1 << 20, 0, 0);
        return new PeerInfo(
                PEER,
                "social-storage-0",
                storagePeer,
                storagePeer,
                true,
                1_000_000_000,
                1,
                1,
                1,
                PeerInfo.Drain.NONE,
                0,
                statistics,
                0,
                "",
                "",
                false,
                null);
    }

    private static ControlException failure(Runnable call) {
        return catchThrowableOfType(ControlException.class, call::run);
    }

    @Test
    void drains_plansOfSeveralKinds_onlyDrainsWithEachDestinationOnce() {
        assertThat(control.drains(HOSTS))
                .hasSize(4)
                .first()
                .isEqualTo(new DrainView("0x8000/4", PEER, "running", "", 100, 25, List.of("0x4000", "0xa000")));
        assertThat(control.drains(HOSTS)).extracting(DrainView::note).contains("no room");
    }

    @Test
    void drains_answerIsNotJson_failsAndMayBeAskedAgain() {
        plans = "{\"plans\": [";
        ControlException failure = failure(() -> control.drains(HOSTS));
        assertThat(failure).hasMessageContaining("not JSON");
        assertThat(failure.refused()).isFalse();
    }

    @Test
    void startDrain_peer_isAskedOfTheSuperPeers() {
        control.startDrain(HOSTS, PEER);
        assertThat(asked).containsExactly(new StartPlan(PlanKind.DRAIN, PEER, 0, 0));
    }

    @Test
    void startDrain_superPeersRefuse_saysWhyAndThatRepeatingIsNoUse() {
        refusal = "the other storage peers have too little room";
        ControlException failure = failure(() -> control.startDrain(HOSTS, PEER));
        assertThat(failure).hasMessageContaining("the other storage peers have too little room");
        assertThat(failure.refused()).isTrue();
    }

    /** A drain that is done still keeps its storage peer from taking chunks. */
    @Test
    void abortDrain_severalPlans_endsTheDrainsOfThatPeerThatStillCount() {
        control.abortDrain(HOSTS, PEER);
        assertThat(asked).containsExactly(new AbortPlan(PEER, 4), new AbortPlan(PEER, 2));
    }

    @Test
    void abortDrain_noneOfThatPeer_asksForNothing() {
        control.abortDrain(HOSTS, 0x4000);
        assertThat(asked).isEmpty();
    }

    @Test
    void resizeRing_size_isAskedFor() {
        control.resizeRing(HOSTS, 5);
        assertThat(asked).containsExactly(new ResizeRing(5));
    }

    @Test
    void sleep_eachStep_isAskedOfTheStoragePeersAndTheirProgressIsTold() {
        for (SleepStep step : SleepStep.values()) {
            assertThat(control.sleep(HOSTS, step))
                    .isEqualTo(new SleepView(1, 0, 50, 200, List.of("social-storage-0: its disk is full")));
        }
        assertThat(asked)
                .containsExactly(
                        new Hibernate(Hibernate.Step.REFUSE_CHANGES),
                        new Hibernate(Hibernate.Step.PARK),
                        new Hibernate(Hibernate.Step.WORK));
    }

    @Test
    void call_noSuperPeerHasAnAddress_failsAtOnceAndMayBeRepeated() {
        ControlException failure = failure(() -> control.resizeRing(new Target(List.of(), null, null), 3));
        assertThat(failure).hasMessageContaining("no super-peer has an address yet");
        assertThat(failure.refused()).isFalse();
    }

    /** The operator reconciles other clusters meanwhile, so a call must end. */
    @Test
    void call_nobodyAnswers_failsWithinSecondsAndMayBeRepeated() {
        transport.close();
        long begun = System.nanoTime();
        ControlException failure = failure(() -> control.drains(HOSTS));
        assertThat(System.nanoTime() - begun).isLessThan(20_000_000_000L);
        assertThat(failure.refused()).isFalse();
    }

    @Test
    void resizeRing_clusterWithASecret_isDoneForWhoeverHasIt() {
        Credentials credentials = Credentials.of(ClusterSecret.of(SECRET), new SplittableRandom(5));
        int[] port = new int[1];
        HostAddress proving = listen(new RpcIdentity(NodeRole.SUPER_PEER, 99, credentials), SUPER_PEER, request -> {
            if (request.type() == MessageType.GET_RING.code()) {
                HostAddress self = new HostAddress("127.0.0.1", port[0]);
                RingMember member = new RingMember(SUPER_PEER, "super", self, self);
                request.reply(new RingReply(new Ring(CLUSTER, 1, 1, true, List.of(member))));
            } else {
                answerAsSuperPeer(request);
            }
        });
        port[0] = proving.port();
        ClientClusterControl proved = new ClientClusterControl(proving.port());
        ControlException failure = failure(() -> proved.resizeRing(HOSTS, 5));
        assertThat(failure).hasMessageContaining("administrators");
        assertThat(asked).isEmpty();

        Target withSecret = new Target(HOSTS.hosts(), SECRET, null);
        proved.resizeRing(withSecret, 5);
        assertThat(asked).containsExactly(new ResizeRing(5));
        assertThat(withSecret.toString()).doesNotContain(SECRET);
    }

    @Test
    void resizeRing_administratorsHaveAPortOfTheirOwn_isAskedThere() throws IOException {
        int admin;
        try (ServerSocket free = new ServerSocket(0)) {
            admin = free.getLocalPort();
        }
        HostAddress[] self = new HostAddress[1];
        RpcIdentity identity = new RpcIdentity(NodeRole.SUPER_PEER, 99);
        identity.joinCluster(CLUSTER);
        identity.takeNid(SUPER_PEER);
        RpcServer server = new RpcServer(identity, request -> {
            if (request.type() == MessageType.GET_RING.code()) {
                RingMember member = new RingMember(SUPER_PEER, "super", self[0], self[0]);
                request.reply(new RingReply(new Ring(CLUSTER, 1, 1, true, List.of(member))));
            } else {
                answerAsSuperPeer(request);
            }
        });
        self[0] = server.listen(
                        transport, new HostAddress("127.0.0.1", 0), new NodePorts(0, admin, NodePorts.Phase.CLOSED))
                .join();
        ClientClusterControl closed = new ClientClusterControl(self[0].port());
        assertThat(failure(() -> closed.resizeRing(HOSTS, 5)))
                .hasMessageContaining("send 'resize-ring' to port " + admin);
        assertThat(asked).isEmpty();

        closed.resizeRing(new Target(HOSTS.hosts(), admin, null, null), 5);
        assertThat(asked).containsExactly(new ResizeRing(5));
    }

    @Test
    void call_oneHostIsGone_theOtherAnswers() {
        control.resizeRing(new Target(List.of("127.0.0.9", "127.0.0.1"), null, null), 3);
        assertThat(asked).hasSize(1);
    }
}
