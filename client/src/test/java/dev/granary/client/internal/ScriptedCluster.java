package dev.granary.client.internal;

import dev.granary.client.ClientOptions;
import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.LeaseMessages.PeerList;
import dev.granary.net.message.LeaseMessages.PeerStatistics;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MutationHeader;
import dev.granary.net.message.NodeRole;
import dev.granary.net.message.RangeMessages.LookupReply;
import dev.granary.net.message.RangeMessages.MovedRanges;
import dev.granary.net.message.RingMessages.RingReply;
import dev.granary.net.rpc.RequestHandler;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.net.rpc.RpcServer;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import dev.granary.testkit.Simulation;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * Super-peers, usually one, a storage peer, and a client of them. The peers answer real messages over the simulated
 * network, keep no chunks, and remember the headers of requests that change chunks. Every super-peer answers for all
 * arcs.
 */
final class ScriptedCluster {

    /** A request that changes chunks. */
    record Change(int type, MutationHeader header) {}

    static final int STORAGE_NID = 0x8000;

    private static final int SUPER_PEER_NID = Nid.superPeerNid(0);
    private static final HostAddress SUPER_PEER = new HostAddress("super", 7400);
    private static final UUID CLUSTER = new UUID(7, 7);
    private static final long LIMIT_NANOS = 60_000_000_000L;

    final List<Change> changes = new ArrayList<>();

    /** The errors with which the next changes are answered instead of an acknowledgement. */
    final ArrayDeque<ErrorReply> errors = new ArrayDeque<>();

    /** The placement of the storage peer's chunks. */
    Placement placement = Placement.unreplicated(STORAGE_NID, 1);

    /** Whether the super-peer reports that the storage peer holds a lease. */
    boolean live = true;

    /** The drain of the storage peer that the super-peer reports. */
    PeerInfo.Drain drain = PeerInfo.Drain.NONE;

    /** The number of requests to the super-peer, by type. */
    final Map<Integer, Integer> asked = new TreeMap<>();

    /** Answers some requests in place of the super-peer, and returns whether it did. */
    Predicate<RpcRequest> superPeer = request -> false;

    /** The same for the storage peer. */
    Predicate<RpcRequest> storage = request -> false;

    private final Simulation world = new Simulation(20_261_121);

    /** The addresses of the super-peers, by NID. */
    private final TreeMap<Integer, HostAddress> superPeers = new TreeMap<>();

    /** Further storage peers, by NID. */
    private final TreeMap<Integer, PeerInfo> others = new TreeMap<>();

    private HostAddress storagePeer = new HostAddress("peer", 7501);
    private long ringEpoch = 1;
    private long moves;
    private long lastLid;

    ScriptedCluster() {
        this(1);
    }

    ScriptedCluster(int superPeerCount) {
        superPeers.put(SUPER_PEER_NID, SUPER_PEER);
        for (int i = 1; i < superPeerCount; i++) {
            superPeers.put(Nid.superPeerNid(i), new HostAddress("super-" + i, 7400));
        }
        superPeers.forEach((nid, address) -> listen(address, NodeRole.SUPER_PEER, nid));
        listen(storagePeer, NodeRole.STORAGE_PEER, STORAGE_NID);
    }

    /** Adds a storage peer with answers of its own. */
    void addStoragePeer(int nid, long usedBytes, PeerInfo.Drain draining, RequestHandler answers) {
        HostAddress address = new HostAddress("peer-" + nid, 7501);
        others.put(nid, peer(nid, address, true, draining, usedBytes));
        listen(address, NodeRole.STORAGE_PEER, nid, answers);
    }

    List<Integer> superPeerNids() {
        return List.copyOf(superPeers.keySet());
    }

    /**
     * Moves a super-peer as a replaced pod moves: the process ends, nobody answers at its address any more, and it
     * comes back at another one.
     */
    void moveSuperPeer(int nid) {
        superPeers.put(nid, moved(Objects.requireNonNull(superPeers.get(nid))));
        ringEpoch++;
        listen(Objects.requireNonNull(superPeers.get(nid)), NodeRole.SUPER_PEER, nid);
    }

    /** Moves the storage peer as {@link #moveSuperPeer} does, with a new incarnation. */
    void moveStoragePeer() {
        storagePeer = moved(storagePeer);
        listen(storagePeer, NodeRole.STORAGE_PEER, STORAGE_NID);
    }

    private HostAddress moved(HostAddress from) {
        leave(from);
        return new HostAddress("moved-" + ++moves, from.port());
    }

    /** Ends a super-peer, which does not come back. Nobody answers at its address. */
    void loseSuperPeer(int nid) {
        leave(Objects.requireNonNull(superPeers.get(nid)));
    }

    private void leave(HostAddress address) {
        world.node(address.host()).kill();
        world.node(address.host()).start(nobody -> {});
        world.node(address.host()).powerOff();
    }

    /** The time on the clock of the simulated world. */
    long nowNanos() {
        return world.nowNanos();
    }

    private void listen(HostAddress address, NodeRole role, int nid) {
        listen(address, role, nid, role == NodeRole.SUPER_PEER ? this::answerAsSuperPeer : this::change);
    }

    private void listen(HostAddress address, NodeRole role, int nid, RequestHandler answers) {
        RpcIdentity identity = new RpcIdentity(role, 99);
        identity.joinCluster(CLUSTER);
        identity.takeNid(nid);
        world.node(address.host()).start(started -> {
            var _ = started.transport().listen(address, new RpcServer(identity, answers));
        });
    }

    /** Opens the one client of this cluster. */
    ConnectedClient client(ClientOptions options) {
        List<ConnectedClient> made = new ArrayList<>();
        world.node("client")
                .start(started -> made.add(new ConnectedClient(
                        started.environment().clock(),
                        started.environment().scheduler(),
                        started.environment().random(),
                        started.transport(),
                        options)));
        runUntilTrue(made);
        return made.getFirst();
    }

    static ClientOptions options() {
        return ClientOptions.of(SUPER_PEER.toString());
    }

    private void runUntilTrue(List<?> filled) {
        if (!world.runUntil(() -> !filled.isEmpty(), LIMIT_NANOS)) {
            throw new AssertionError("the client does not start: " + world.lastEvents());
        }
    }

    <T> T await(CompletableFuture<T> future) {
        if (!world.runUntil(future::isDone, LIMIT_NANOS)) {
            throw new AssertionError("there is no answer: " + world.lastEvents());
        }
        return future.join();
    }

    /** The number of requests of this type to the super-peer. */
    int asked(MessageType<?, ?> type) {
        return asked.getOrDefault(type.code(), 0);
    }

    void runFor(long nanos) {
        world.runFor(nanos);
    }

    private void answerAsSuperPeer(RpcRequest request) {
        asked.merge(request.type(), 1, Integer::sum);
        if (superPeer.test(request)) {
            return;
        }
        if (request.type() == MessageType.GET_RING.code()) {
            List<RingMember> members = new ArrayList<>();
            superPeers.forEach((nid, address) -> members.add(new RingMember(nid, "super-" + nid, address, address)));
            request.reply(new RingReply(new Ring(CLUSTER, ringEpoch, members.size(), true, members)));
        } else if (request.type() == MessageType.LIST_PEERS.code()) {
            List<PeerInfo> peers = new ArrayList<>(others.values());
            peers.add(storagePeer());
            request.reply(new PeerList(ringEpoch, peers, superPeerNids(), List.of()));
        } else if (request.type() == MessageType.ASK_PEER.code()) {
            PeerInfo other = others.get(request.read(MessageType.ASK_PEER).nid());
            request.reply(other == null ? storagePeer() : other);
        } else if (request.type() == MessageType.LOOKUP.code()) {
            CidRange all = new CidRange(Cid.of(STORAGE_NID, 1), Cid.of(STORAGE_NID, Cid.MAX_LID), placement);
            request.reply(new LookupReply(all, storagePeer, 1));
        } else {
            request.fail(ErrorCode.BAD_REQUEST, "not in this test");
        }
    }

    private PeerInfo storagePeer() {
        return peer(STORAGE_NID, storagePeer, live, drain, 0);
    }

    private static PeerInfo peer(
            int nid, HostAddress address, boolean holdsLease, PeerInfo.Drain draining, long usedBytes) {
        return new PeerInfo(
                nid,
                "peer",
                address,
                address,
                holdsLease,
                1_000_000_000,
                1,
                1,
                1,
                draining,
                0,
                new PeerStatistics(0, 0, 0, usedBytes, 1 << 20, 0, 0),
                0,
                "",
                "",
                false,
                null);
    }

    /** Acknowledges a change of chunks without carrying it out. */
    private void change(RpcRequest request) {
        if (storage.test(request)) {
            return;
        }
        if (request.type() == MessageType.FENCE) {
            ByteBuf known = request.startReply(8);
            known.writeIntLE(1).writeByte(ChunkStatus.OK);
            request.reply(known);
            return;
        }
        MutationHeader header = MutationHeader.read(request.payload());
        changes.add(new Change(request.type(), header));
        ErrorReply error = errors.poll();
        if (error != null) {
            request.fail(error);
            return;
        }
        ByteBuf reply = request.startReply(64);
        reply.writeIntLE(header.count());
        for (int i = 0; i < header.count(); i++) {
            if (request.type() == MessageType.CREATE) {
                reply.writeLongLE(Cid.of(STORAGE_NID, ++lastLid));
            } else {
                reply.writeByte(ChunkStatus.OK);
            }
        }
        if (request.type() != MessageType.CREATE) {
            MovedRanges.write(reply, List.of());
        }
        request.reply(reply);
    }
}
