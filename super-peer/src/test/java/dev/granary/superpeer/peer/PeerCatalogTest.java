package dev.granary.superpeer.peer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.LeaseMessages.PeerStatistics;
import dev.granary.net.message.NodeRole;
import dev.granary.net.rpc.RpcClient;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import dev.granary.process.NodeIdentity;
import dev.granary.superpeer.SimulatedRing;
import dev.granary.superpeer.node.ArcCaller;
import dev.granary.superpeer.node.Node;
import dev.granary.superpeer.node.SuperPeerMetrics;
import dev.granary.testkit.SimulatedNode;
import dev.granary.testkit.Simulation;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How much a request about storage peers costs in the thread that renews leases. */
class PeerCatalogTest {

    private static final HostAddress ADDRESS = new HostAddress("s", 7400);
    private static final int SELF = 0x0001;
    private static final int PEERS = 500;

    private final Simulation simulation = new Simulation(1);
    private final List<PeerInfo> own = new ArrayList<>();
    private final List<PeerCatalog> made = new ArrayList<>();
    private int walks;

    private static PeerInfo peer(int nid, boolean live) {
        PeerStatistics nothing = new PeerStatistics(0, 0, 0, 0, 1, 0, 0);
        return new PeerInfo(
                nid, "p", ADDRESS, ADDRESS, live, 0, 1, 1, 0, PeerInfo.Drain.NONE, 0, nothing, 0, "", "", false, null);
    }

    private List<PeerInfo> allOwn() {
        walks++;
        return own;
    }

    private @Nullable PeerInfo ownPeer(int nid) {
        return own.stream().filter(peer -> peer.nid() == nid).findFirst().orElse(null);
    }

    private PeerCatalog catalogIn(SimulatedNode.World world) throws IOException {
        NodeIdentity identity = NodeIdentity.open(world.environment());
        RpcIdentity rpcIdentity = new RpcIdentity(NodeRole.SUPER_PEER, 1);
        RpcClient rpc = new RpcClient(
                world.transport(),
                world.environment().clock(),
                world.environment().scheduler(),
                rpcIdentity);
        Node node = new Node(
                SimulatedRing.config("s0"),
                world.environment(),
                identity,
                rpcIdentity,
                rpc,
                (reason, cause) -> {},
                new SuperPeerMetrics(new CollectorRegistry()));
        Ring ring = new Ring(new UUID(1, 1), 1, 1, true, List.of(new RingMember(SELF, "s", ADDRESS, ADDRESS)));
        return new PeerCatalog(
                node, new ArcCaller(node, () -> ring), () -> ring, this::allOwn, this::ownPeer, () -> List.of(SELF));
    }

    @BeforeEach
    void begin() {
        for (int i = 1; i <= PEERS; i++) {
            own.add(peer(2 * i, true));
        }
        simulation.node("s0").start(world -> {
            try {
                made.add(catalogIn(world));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        simulation.runUntil(() -> !made.isEmpty(), 1_000_000);
    }

    @Test
    void stayingBeside_askedForEachOfManyZones_walksOnceOverTheStoragePeers() {
        PeerCatalog catalog = made.getFirst();
        for (int zone = 0; zone < 10_000; zone++) {
            assertThat(catalog.stayingBeside(2 * (1 + zone % PEERS))).isEqualTo(PEERS - 1);
        }
        assertThat(catalog.knowsEveryArc()).isTrue();
        assertThat(walks).isEqualTo(1);
    }

    @Test
    void stayingBeside_anArcHasChanged_isAsOfNow() {
        PeerCatalog catalog = made.getFirst();
        catalog.stayingBeside(2);
        own.add(peer(2 * PEERS + 2, true));
        catalog.ownChanged();
        assertThat(catalog.stayingBeside(2)).isEqualTo(PEERS);
        assertThat(walks).isEqualTo(2);
    }

    @Test
    void find_askedForMany_walksOverNothing() {
        PeerCatalog catalog = made.getFirst();
        for (int i = 1; i <= PEERS; i++) {
            assertThat(catalog.find(2 * i)).isEqualTo(own.get(i - 1));
        }
        assertThat(catalog.find(2 * PEERS + 2)).isNull();
        assertThat(walks).isZero();
    }

    @Test
    void later_sameIncarnation_whoKnowsOfItsEndOrItsLease() {
        PeerInfo silent = peer(2, false);
        PeerInfo live = peer(2, true);
        assertThat(PeerCatalog.later(silent, live)).isSameAs(live);
        assertThat(PeerCatalog.later(live, silent)).isSameAs(live);
        assertThat(PeerCatalog.later(live, peer(2, true))).isSameAs(live);
    }
}
