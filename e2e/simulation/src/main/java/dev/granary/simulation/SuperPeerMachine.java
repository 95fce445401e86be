package dev.granary.simulation;

import dev.granary.env.Environment;
import dev.granary.net.message.ZoneMessages.ZoneStatus;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Placement;
import dev.granary.overlay.Ring;
import dev.granary.process.ProcessControl;
import dev.granary.superpeer.SuperPeer;
import dev.granary.superpeer.node.SuperPeerConfig;
import dev.granary.superpeer.node.SuperPeerMetrics;
import dev.granary.testkit.SimulatedNode;
import dev.granary.testkit.Simulation;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A machine with a super-peer. */
final class SuperPeerMachine extends Machine {

    private final boolean bootstrap;
    private final ClusterShape shape;
    private final List<HostAddress> seeds;
    private @Nullable SuperPeer superPeer;

    SuperPeerMachine(
            Simulation simulation, String name, boolean bootstrap, ClusterShape shape, List<HostAddress> seeds) {
        super(simulation, name);
        this.bootstrap = bootstrap;
        this.shape = shape;
        this.seeds = seeds;
    }

    /** Returns the name of the super-peer that is responsible for a NID, in the ring that this one knows. */
    Optional<String> responsibleFor(int nid) {
        return superPeer == null || !isReady()
                ? Optional.empty()
                : Optional.of(superPeer.ring().ownerOf(nid).name());
    }

    /** Returns the ring that this super-peer knows, if it runs and is ready. */
    Optional<Ring> ring() {
        return superPeer == null || !isReady() ? Optional.empty() : Optional.of(superPeer.ring());
    }

    /** Returns the states of the zones of the arcs that this super-peer serves. */
    Optional<ZoneStatus> zones() {
        return superPeer == null ? Optional.empty() : Optional.of(superPeer.zones());
    }

    /** Returns the placement of each zone of the arcs that this super-peer serves; none while the node stands still. */
    List<Placement> placements() {
        return superPeer == null || node().standsStill() ? List.of() : superPeer.placements();
    }

    /**
     * Returns the NIDs of the super-peers whose arcs this one serves; none while the node stands still, as it hears no
     * news then.
     */
    List<Integer> servedArcs() {
        return superPeer == null || node().standsStill() ? List.of() : superPeer.servedArcs();
    }

    /** Whether storage peers have copies of all names that this super-peer answers for. */
    boolean namesAreSaved() {
        return superPeer != null && superPeer.namesAreSaved();
    }

    @Override
    boolean isReady() {
        return superPeer != null && superPeer.notReadyReason().isEmpty();
    }

    @Override
    public String toString() {
        return name()
                + (superPeer == null
                        ? " is down"
                        : ": " + superPeer.notReadyReason().orElse("ready"));
    }

    @Override
    void begin(SimulatedNode.World world, ProcessControl control) throws IOException {
        SuperPeerConfig config = new SuperPeerConfig(
                name(),
                new HostAddress("0.0.0.0", SimulatedCluster.SUPER_PEER_PORT),
                name(),
                0,
                seeds,
                shape.superPeers(),
                bootstrap,
                shape.leaseNanos(),
                shape.leaseNanos(),
                shape.tuning().lidBlock(),
                shape.replicated() ? SimulatedCluster.COPIES : 0,
                "simulated",
                shape.tuning().superPeerMemory(),
                shape.ports(),
                SimulatedCluster.SECRET);
        Environment environment = shape.superPeerWorld().apply(world.environment());
        SuperPeer opened = SuperPeer.open(
                config,
                environment,
                shape.superPeerNetwork().apply(environment, world.transport()),
                control,
                new SuperPeerMetrics(new CollectorRegistry()));
        superPeer = opened;
        opened.start(new HostAddress(name(), SimulatedCluster.SUPER_PEER_PORT + 1))
                .exceptionally(failure -> {
                    control.fail("it does not start", failure);
                    return null;
                })
                .isDone();
    }

    @Override
    void ended() {
        superPeer = null;
    }
}
