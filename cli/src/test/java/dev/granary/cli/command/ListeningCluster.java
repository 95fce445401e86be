package dev.granary.cli.command;

import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.Durability;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.LeaseMessages.PeerList;
import dev.granary.net.message.LeaseMessages.PeerStatistics;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MutationHeader;
import dev.granary.net.message.NodeRole;
import dev.granary.net.message.PlanMessages.PlanReply;
import dev.granary.net.message.RangeMessages.LookupReply;
import dev.granary.net.message.RingMessages.RingReply;
import dev.granary.net.message.SlotGroupMessages.HotKeyList;
import dev.granary.net.message.StatusText;
import dev.granary.net.netty.NettyOptions;
import dev.granary.net.netty.NettyTransport;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.net.rpc.RpcServer;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Placement;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import dev.granary.overlay.SlotGroup;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A super-peer and a storage peer on ports of this machine. They answer real messages, keep no chunks, and remember the
 * flags of the requests that change chunks.
 */
final class ListeningCluster implements AutoCloseable {

    private static final int SUPER_PEER_NID = 1;
    private static final int STORAGE_NID = 0x8000;
    private static final UUID CLUSTER = new UUID(7, 7);

    private final NettyTransport transport =
            new NettyTransport(NettyOptions.defaults().withIoThreads(1));
    private final Map<Integer, Integer> durabilityByType = new ConcurrentHashMap<>();
    private volatile String status = "{}";
    private volatile String plans = "{}";
    private final HostAddress superPeer;
    private final HostAddress storagePeer;

    ListeningCluster() {
        storagePeer = listen(NodeRole.STORAGE_PEER, STORAGE_NID);
        superPeer = listen(NodeRole.SUPER_PEER, SUPER_PEER_NID);
    }

    private HostAddress listen(NodeRole role, int nid) {
        RpcIdentity identity = new RpcIdentity(role, 99);
        identity.joinCluster(CLUSTER);
        identity.takeNid(nid);
        int port = transport
                .listen(
                        new HostAddress("127.0.0.1", 0),
                        new RpcServer(
                                identity,
                                role == NodeRole.SUPER_PEER ? this::answerAsSuperPeer : this::answerAsStoragePeer))
                .join()
                .port();
        return new HostAddress("127.0.0.1", port);
    }

    /** The super-peer as {@code host:port}. */
    String seed() {
        return superPeer.toString();
    }

    /** What the super-peer answers from now on when it is asked for the status and the plans. */
    void tell(String newStatus, String newPlans) {
        status = newStatus;
        plans = newPlans;
    }

    /** The durability flags of the last request of each type. */
    Map<Integer, Integer> durabilityByType() {
        return durabilityByType;
    }

    private PeerInfo peer() {
        PeerStatistics statistics = new PeerStatistics(0, 0, 0, 0, 1 << 20, 0, 0);
        return new PeerInfo(
                STORAGE_NID,
                "peer",
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

    private void answerAsSuperPeer(RpcRequest request) {
        if (request.type() == MessageType.GET_RING.code()) {
            RingMember self = new RingMember(SUPER_PEER_NID, "super", superPeer, superPeer);
            request.reply(new RingReply(new Ring(CLUSTER, 1, 1, true, List.of(self))));
        } else if (request.type() == MessageType.LIST_PEERS.code()) {
            request.reply(new PeerList(1, List.of(peer()), List.of(SUPER_PEER_NID), List.of()));
        } else if (request.type() == MessageType.ASK_PEER.code()) {
            request.reply(peer());
        } else if (request.type() == MessageType.LOOKUP.code()) {
            CidRange all = new CidRange(
                    Cid.firstOf(STORAGE_NID), Cid.lastOf(STORAGE_NID), Placement.unreplicated(STORAGE_NID, 1));
            request.reply(new LookupReply(all, storagePeer, 1));
        } else if (request.type() == MessageType.CLUSTER_STATUS.code()) {
            request.reply(new StatusText(status));
        } else if (request.type() == MessageType.START_PLAN.code()) {
            request.reply(new PlanReply(STORAGE_NID, 1, 4, 100));
        } else if (request.type() == MessageType.LIST_PLANS.code()) {
            request.reply(new StatusText(plans));
        } else {
            request.fail(ErrorCode.BAD_REQUEST, "not in this test");
        }
    }

    private void answerAsStoragePeer(RpcRequest request) {
        if (request.type() == MessageType.HOT_KEYS.code()) {
            request.reply(new HotKeyList(List.of(new HotKeyList.HotKey("user:7", SlotGroup.nid(2), 3))));
        } else {
            change(request);
        }
    }

    /** Acknowledges a change of chunks without carrying it out. */
    private void change(RpcRequest request) {
        MutationHeader header = MutationHeader.read(request.payload());
        durabilityByType.put(request.type(), header.flags() & Durability.FLAGS);
        ByteBuf reply = request.startReply(64);
        reply.writeIntLE(header.count());
        for (int i = 0; i < header.count(); i++) {
            if (request.type() == MessageType.CREATE) {
                reply.writeLongLE(Cid.of(STORAGE_NID, 1 + i));
            } else {
                reply.writeByte(ChunkStatus.OK);
            }
        }
        request.reply(reply);
    }

    @Override
    public void close() {
        transport.close();
    }
}
