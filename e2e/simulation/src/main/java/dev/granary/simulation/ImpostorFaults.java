package dev.granary.simulation;

import dev.granary.env.Scheduler;
import dev.granary.net.access.ClusterSecret;
import dev.granary.net.access.Credentials;
import dev.granary.net.access.RequestRoles;
import dev.granary.net.access.Role;
import dev.granary.net.message.Blob;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.HibernationMessages.Hibernate;
import dev.granary.net.message.LeaseMessages.CloseLease;
import dev.granary.net.message.LeaseMessages.OpenLease;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NodeRole;
import dev.granary.net.message.PlanMessages.PlanKind;
import dev.granary.net.message.PlanMessages.StartPlan;
import dev.granary.net.message.ReplicationMessages.DropCopies;
import dev.granary.net.message.ReplicationMessages.Replicate;
import dev.granary.net.message.ReplicationMessages.SealZones;
import dev.granary.net.message.RingMessages.RaftMessage;
import dev.granary.net.message.RingMessages.ResizeRing;
import dev.granary.net.message.ZoneMessages.ZoneEpoch;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.net.rpc.RpcClient;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.testkit.SimulatedNode;
import dev.granary.testkit.Simulation;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Nodes that do not belong to the cluster, or do in another role, and ask nodes for what would end a peer, a copy, a
 * vote or the cluster (SAFETY rule "identity"). All of it must be refused; the histories tell whether something has
 * changed.
 */
final class ImpostorFaults {

    private static final ClusterSecret OTHER = ClusterSecret.of("the secret of another cluster");
    private static final long STEP_NANOS = 40_000_000;
    private static final long CALL_NANOS = 1_000_000_000;
    private static final long INCARNATION = 666;

    /** Above that of each zone, so that a node that believes it gives up what it has. */
    private static final long EPOCH = 1L << 32;

    /** What a connection may be refused for before anybody looks at who calls. */
    private static final Set<ErrorCode> BEFORE = Set.of(ErrorCode.WRONG_CLUSTER, ErrorCode.SHUTTING_DOWN);

    /** Belongs to the cluster: a member that asks for what its role may not. */
    private static final Guise SUPER_PEER = new Guise(NodeRole.SUPER_PEER, SimulatedCluster.SECRET, true);

    private static final List<Guise> GUISES = List.of(
            new Guise(NodeRole.STORAGE_PEER, null, false),
            new Guise(NodeRole.SUPER_PEER, null, false),
            new Guise(NodeRole.CLIENT, null, false),
            new Guise(NodeRole.STORAGE_PEER, OTHER, false),
            new Guise(NodeRole.SUPER_PEER, OTHER, false),
            new Guise(NodeRole.CLIENT, OTHER, false),
            new Guise(NodeRole.STORAGE_PEER, SimulatedCluster.SECRET, true),
            SUPER_PEER);

    private final SimulatedCluster cluster;
    private final Simulation simulation;
    private final List<String> believed = new ArrayList<>();

    ImpostorFaults(SimulatedCluster cluster) {
        this.cluster = cluster;
        this.simulation = cluster.simulation();
    }

    /**
     * Who an impostor says that it is.
     *
     * @param secret with which it proves itself; null for none
     * @param isMember whether that is the secret of the cluster
     */
    private record Guise(NodeRole role, @Nullable ClusterSecret secret, boolean isMember) {

        /** Returns whether it may not send a request: a member may send what its role may. */
        boolean mustBeRefused(int type) {
            Role own =
                    switch (role) {
                        case CLIENT -> Role.CLIENT;
                        case STORAGE_PEER -> Role.STORAGE_PEER;
                        case SUPER_PEER -> Role.SUPER_PEER;
                    };
            return !isMember || !RequestRoles.of(type).contains(own);
        }
    }

    /** A request, and what writes it. */
    private record Demand(int type, Consumer<ByteBuf> payload) {

        static <Q extends Message> Demand of(MessageType<Q, ?> type, Q message) {
            return new Demand(type.code(), message::writeTo);
        }
    }

    /** Begins an impostor; the result tells whether it was refused something. */
    BooleanSupplier begin(Fault fault) {
        Impostor impostor = new Impostor(fault);
        impostor.start();
        return () -> impostor.refused > 0;
    }

    /** Returns what nodes have not refused, for people. */
    List<String> believed() {
        return List.copyOf(believed);
    }

    /** Belongs to the thread of the simulation. */
    private final class Impostor {

        private final SimulatedNode node;
        private final RandomGenerator random;
        private final Guise guise;
        private final long endNanos;
        private @Nullable RpcClient rpc;
        private @Nullable Scheduler scheduler;
        private int refused;

        Impostor(Fault fault) {
            this.node = simulation.node("impostor-" + fault.id());
            this.random = new SplittableRandom(fault.amount());
            // A cluster that believes strangers is asked by one whom it would hear.
            this.guise = cluster.believesImpostors() ? SUPER_PEER : GUISES.get(random.nextInt(GUISES.size()));
            this.endNanos = simulation.nowNanos() + fault.durationNanos();
        }

        void start() {
            cluster.superPeers().stream()
                    .flatMap(machine -> machine.ring().stream())
                    .findFirst()
                    .ifPresent(ring -> start(ring.clusterId()));
        }

        private void start(UUID clusterId) {
            int nid = guise.role() == NodeRole.SUPER_PEER ? Nid.superPeerNid(0) : anyPeer();
            node.start(world -> {
                RpcIdentity identity = new RpcIdentity(
                        guise.role,
                        INCARNATION,
                        Credentials.of(guise.secret, world.environment().random()));
                identity.joinCluster(clusterId);
                if (guise.role() != NodeRole.CLIENT && nid != Nid.NONE) {
                    identity.takeNid(nid);
                }
                scheduler = world.environment().scheduler();
                rpc = new RpcClient(
                        world.transport(),
                        world.environment().clock(),
                        world.environment().scheduler(),
                        identity);
            });
            simulation.after(STEP_NANOS, "impostor", () -> demand(clusterId));
        }

        private int anyPeer() {
            List<StorageMachine> peers = cluster.storagePeers();
            return peers.isEmpty()
                    ? Nid.NONE
                    : peers.get(random.nextInt(peers.size())).lastNid();
        }

        /** Asks one node for one thing, and goes on a moment later. */
        private void demand(UUID clusterId) {
            if (simulation.nowNanos() >= endNanos) {
                node.kill();
                return;
            }
            boolean toSuperPeer = !cluster.believesImpostors() && random.nextBoolean();
            List<? extends Machine> machines = toSuperPeer ? cluster.superPeers() : cluster.storagePeers();
            Machine machine = machines.get(random.nextInt(machines.size()));
            HostAddress to = new HostAddress(
                    machine.name(), toSuperPeer ? SimulatedCluster.SUPER_PEER_PORT : SimulatedCluster.STORAGE_PORT);
            List<Demand> all = toSuperPeer ? ofSuperPeers() : ofStoragePeers(clusterId);
            List<Demand> hostile = all.stream()
                    .filter(each -> cluster.believesImpostors() || guise.mustBeRefused(each.type))
                    .toList();
            if (!hostile.isEmpty()) {
                send(to, hostile.get(random.nextInt(hostile.size())));
            }
            simulation.after(STEP_NANOS, "impostor", () -> demand(clusterId));
        }

        private void send(HostAddress to, Demand demand) {
            Scheduler tasks = scheduler;
            RpcClient calls = rpc;
            if (tasks == null || calls == null) {
                return;
            }
            tasks.execute(() -> {
                CompletableFuture<Boolean> answer =
                        calls.call(to, Nid.NONE, demand.type, demand.payload, in -> true, CALL_NANOS);
                var _ = answer.handle((done, failure) -> {
                    hear(to, demand, failure);
                    return null;
                });
            });
        }

        private void hear(HostAddress to, Demand demand, @Nullable Throwable failure) {
            boolean isAnswer = failure == null || failure instanceof RemoteErrorException;
            ErrorCode code = failure instanceof RemoteErrorException remote ? remote.code() : null;
            if (code == ErrorCode.NOT_PERMITTED) {
                refused++;
            } else if (isAnswer && (code == null || !BEFORE.contains(code))) {
                believed.add("%s answered '%s' of %s with %s"
                        .formatted(
                                to, MessageType.nameOf(demand.type), guise, code == null ? "what it asked for" : code));
            }
        }

        private List<Demand> ofSuperPeers() {
            int nid = anyPeer();
            int member = Nid.superPeerNid(random.nextInt(cluster.superPeers().size()));
            List<Demand> demands = new ArrayList<>(List.of(
                    Demand.of(MessageType.RAFT, new RaftMessage(0, member, new Blob(new byte[64]))),
                    Demand.of(MessageType.RESIZE_RING, new ResizeRing(1))));
            if (nid != Nid.NONE) {
                demands.add(Demand.of(MessageType.CLOSE_LEASE, new CloseLease(nid, INCARNATION)));
                demands.add(Demand.of(MessageType.START_PLAN, new StartPlan(PlanKind.DRAIN, nid, 0, 0)));
                HostAddress own = new HostAddress(node.name(), SimulatedCluster.STORAGE_PORT);
                demands.add(Demand.of(
                        MessageType.OPEN_LEASE,
                        new OpenLease(
                                nid, new UUID(6, 6), INCARNATION, node.name(), own, own, 1 << 20, "", "", 0, null)));
            }
            return demands;
        }

        private List<Demand> ofStoragePeers(UUID clusterId) {
            List<ZoneEpoch> zones = cluster.storagePeers().stream()
                    .flatMap(peer -> peer.backupsByZone().keySet().stream())
                    .distinct()
                    .map(zone -> new ZoneEpoch(zone, EPOCH))
                    .toList();
            int owner = anyPeer();
            return List.of(
                    Demand.of(MessageType.SEAL_ZONES, new SealZones(clusterId, zones)),
                    Demand.of(MessageType.DROP_COPIES, new DropCopies(clusterId, zones)),
                    Demand.of(MessageType.HIBERNATE, new Hibernate(Hibernate.Step.PARK)),
                    new Demand(MessageType.REPLICATE, out -> {
                        new Replicate(clusterId, owner, 0, zones.size()).writeTo(out);
                        for (ZoneEpoch each : zones) {
                            out.writeIntLE(each.zone())
                                    .writeLongLE(each.epoch())
                                    .writeLongLE(1)
                                    .writeIntLE(0);
                        }
                    }));
        }
    }
}
