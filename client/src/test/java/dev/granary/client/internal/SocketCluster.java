package dev.granary.client.internal;

import dev.granary.client.AsyncGranaryClient;
import dev.granary.client.ClientOptions;
import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.LeaseMessages.PeerList;
import dev.granary.net.message.LeaseMessages.PeerStatistics;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MutationHeader;
import dev.granary.net.message.NodeRole;
import dev.granary.net.message.RangeMessages.LookupReply;
import dev.granary.net.message.RingMessages.RingReply;
import dev.granary.net.netty.NettyOptions;
import dev.granary.net.netty.NettyTransport;
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
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * A super-peer and a storage peer on sockets of this machine. The storage peer keeps chunks in a map, carries each
 * request out once by its id, and can be reached through a {@link Cable} only, which the test may pull.
 */
final class SocketCluster implements AutoCloseable {

    static final int STORAGE_NID = 0x8000;

    private static final int SUPER_PEER_NID = Nid.superPeerNid(0);
    private static final UUID CLUSTER = new UUID(7, 7);

    private final NettyTransport transport =
            new NettyTransport(NettyOptions.defaults().withIoThreads(1));
    private final Map<Long, byte[]> chunks = new HashMap<>();
    private final Map<String, Integer> outcomes = new HashMap<>();
    private final HostAddress superPeer;

    /** The ids of all requests that have put a value, by value. */
    final Map<Long, Set<String>> idsOfValues = new ConcurrentHashMap<>();

    /** What clients reach the storage peer through. */
    final Cable cable;

    /** Answers some requests in place of the storage peer, and returns whether it did. */
    volatile Predicate<RpcRequest> storage = request -> false;

    SocketCluster() throws Exception {
        superPeer = listen(NodeRole.SUPER_PEER, SUPER_PEER_NID, this::answerAsSuperPeer);
        cable = new Cable(listen(NodeRole.STORAGE_PEER, STORAGE_NID, this::answerAsStoragePeer));
    }

    private HostAddress listen(NodeRole role, int nid, RequestHandler answers) throws Exception {
        RpcIdentity identity = new RpcIdentity(role, 99);
        identity.joinCluster(CLUSTER);
        identity.takeNid(nid);
        return transport
                .listen(new HostAddress("127.0.0.1", 0), new RpcServer(identity, answers))
                .get(30, TimeUnit.SECONDS);
    }

    HostAddress superPeer() {
        return superPeer;
    }

    ConnectedClient connect() {
        return (ConnectedClient) AsyncGranaryClient.connect(options());
    }

    ClientOptions options() {
        return ClientOptions.of(superPeer.toString());
    }

    synchronized void store(long cid, byte[] value) {
        chunks.put(cid, value.clone());
    }

    private void answerAsSuperPeer(RpcRequest request) {
        if (request.type() == MessageType.GET_RING.code()) {
            RingMember member = new RingMember(SUPER_PEER_NID, "super", superPeer, superPeer);
            request.reply(new RingReply(new Ring(CLUSTER, 1, 1, true, List.of(member))));
        } else if (request.type() == MessageType.LIST_PEERS.code()) {
            request.reply(new PeerList(1, List.of(storagePeer()), List.of(SUPER_PEER_NID), List.of()));
        } else if (request.type() == MessageType.ASK_PEER.code()) {
            request.reply(storagePeer());
        } else if (request.type() == MessageType.LOOKUP.code()) {
            CidRange all = new CidRange(
                    Cid.of(STORAGE_NID, 1), Cid.of(STORAGE_NID, Cid.MAX_LID), Placement.unreplicated(STORAGE_NID, 1));
            request.reply(new LookupReply(all, cable.address(), 1));
        } else {
            request.fail(ErrorCode.BAD_REQUEST, "not in this test");
        }
    }

    private PeerInfo storagePeer() {
        return new PeerInfo(
                STORAGE_NID,
                "peer",
                cable.address(),
                cable.address(),
                true,
                1_000_000_000,
                1,
                1,
                1,
                PeerInfo.Drain.NONE,
                0,
                new PeerStatistics(0, 0, 0, 0, 1 << 20, 0, 0),
                0,
                "",
                "",
                false,
                null);
    }

    private void answerAsStoragePeer(RpcRequest request) {
        if (storage.test(request)) {
            return;
        }
        if (request.type() == MessageType.GET) {
            answerGet(request);
        } else {
            int status = change(request.type(), request.payload());
            ByteBuf reply = request.startReply(64);
            reply.writeIntLE(1).writeByte(status);
            request.reply(reply);
        }
    }

    private void answerGet(RpcRequest request) {
        ByteBuf in = request.payload().skipBytes(Integer.BYTES);
        int count = in.readIntLE();
        ByteBuf reply = request.startReply(count * 2 * Integer.BYTES);
        ByteBuf values = reply.alloc().buffer();
        try {
            reply.writeIntLE(count);
            for (int i = 0; i < count; i++) {
                byte[] value = get(in.readLongLE());
                reply.writeIntLE(value.length == 0 ? -ChunkStatus.NOT_FOUND : value.length);
                values.writeBytes(value);
            }
            reply.writeBytes(values);
        } finally {
            values.release();
        }
        request.reply(reply);
    }

    private synchronized byte[] get(long cid) {
        return chunks.getOrDefault(cid, new byte[0]);
    }

    private synchronized int change(int type, ByteBuf in) {
        MutationHeader header = MutationHeader.read(in);
        String id = header.clientId() + "/" + header.sequence();
        long cid = in.readLongLE();
        boolean isPut = type == MessageType.PUT;
        byte[] value = new byte[isPut ? in.readIntLE() : 0];
        in.readBytes(value);
        if (value.length == Long.BYTES) {
            idsOfValues
                    .computeIfAbsent(Values.number(value), _ -> new HashSet<>())
                    .add(id);
        }
        Integer known = outcomes.get(id);
        if (known != null) {
            return known;
        }
        int status = chunks.containsKey(cid) ? ChunkStatus.OK : ChunkStatus.NOT_FOUND;
        if (status == ChunkStatus.OK && isPut) {
            chunks.put(cid, value);
        } else if (status == ChunkStatus.OK) {
            chunks.remove(cid);
        }
        outcomes.put(id, status);
        return status;
    }

    @Override
    public void close() {
        cable.close();
        transport.close();
    }

    /** Numbers as values of chunks. */
    static final class Values {

        private Values() {}

        static byte[] of(long number) {
            return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
        }

        static long number(byte[] value) {
            return ByteBuffer.wrap(value).getLong();
        }
    }
}
