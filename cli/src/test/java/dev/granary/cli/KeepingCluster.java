package dev.granary.cli;

import dev.granary.net.message.ChunkLayouts;
import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.LeaseMessages.PeerList;
import dev.granary.net.message.LeaseMessages.PeerStatistics;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MutationHeader;
import dev.granary.net.message.NameMessages.ChangeName;
import dev.granary.net.message.NameMessages.ChangeNameReply;
import dev.granary.net.message.NameMessages.GetNameReply;
import dev.granary.net.message.NameMessages.ListNames;
import dev.granary.net.message.NameMessages.NameEntry;
import dev.granary.net.message.NameMessages.NameList;
import dev.granary.net.message.NodeRole;
import dev.granary.net.message.RangeMessages.LookupReply;
import dev.granary.net.message.RingMessages.RingReply;
import dev.granary.net.message.SlotGroupMessages.SlotGroupPlace;
import dev.granary.net.netty.NettyOptions;
import dev.granary.net.netty.NettyTransport;
import dev.granary.net.rpc.RequestHandler;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * A super-peer and a storage peer on ports of this machine. They keep chunks, names and keys, and answer everything
 * else as a test says.
 */
public final class KeepingCluster implements AutoCloseable {

    public static final int STORAGE_NID = 0x8000;

    private static final int SUPER_PEER_NID = 1;

    /** What the storage peer has, by CID, and the names with their CIDs. */
    public final ConcurrentSkipListMap<Long, byte[]> chunks = new ConcurrentSkipListMap<>(Long::compareUnsigned);

    public final ConcurrentSkipListMap<String, Long> names = new ConcurrentSkipListMap<>();

    /** The keys of all slot groups. */
    public final KeptKeys keys = new KeptKeys();

    /** The keys that cluster backups read and restores write, by their slot groups. */
    public final KeepingKeys slotGroups = new KeepingKeys();

    /** The control messages that were answered as a test says, in order. */
    public final Queue<Message> asked = new ConcurrentLinkedQueue<>();

    /** Whether the storage peer is a member of the cluster. */
    public volatile boolean hasStorage = true;

    public volatile PeerInfo.Drain drain = PeerInfo.Drain.NONE;
    public volatile long firstLid = 1;
    public volatile long capacityBytes = 64 << 20;

    private final UUID clusterId;
    private final NettyTransport transport =
            new NettyTransport(NettyOptions.defaults().withIoThreads(1));
    private final Map<Integer, RequestHandler> answers = new ConcurrentHashMap<>();
    private final AtomicLong lastLid = new AtomicLong();
    private final HostAddress superPeer;
    private final HostAddress storagePeer;

    public KeepingCluster() {
        this(new UUID(7, 7));
    }

    public KeepingCluster(UUID clusterId) {
        this.clusterId = clusterId;
        storagePeer = listen(NodeRole.STORAGE_PEER, STORAGE_NID, this::answerAsStoragePeer);
        superPeer = listen(NodeRole.SUPER_PEER, SUPER_PEER_NID, this::answerAsSuperPeer);
    }

    private HostAddress listen(NodeRole role, int nid, RequestHandler handler) {
        RpcIdentity identity = new RpcIdentity(role, 99);
        identity.joinCluster(clusterId);
        identity.takeNid(nid);
        int port = transport
                .listen(new HostAddress("127.0.0.1", 0), new RpcServer(identity, handler))
                .join()
                .port();
        return new HostAddress("127.0.0.1", port);
    }

    /** The super-peer as {@code host:port}. */
    public String seed() {
        return superPeer.toString();
    }

    /** Answers control messages of a type from now on, and remembers them. */
    public <Q extends Message, R extends Message> void answer(MessageType<Q, R> type, Function<Q, R> answer) {
        answers.put(type.code(), request -> {
            Q message = request.read(type);
            asked.add(message);
            request.reply(answer.apply(message));
        });
    }

    /** Answers requests of a type in any way from now on. */
    public void answer(int type, RequestHandler handler) {
        answers.put(type, handler);
    }

    /** Refuses control messages of a type from now on, and remembers them. */
    public void refuse(MessageType<?, ?> type, ErrorCode code, String why) {
        answers.put(type.code(), request -> {
            asked.add(request.read(type));
            request.fail(code, why);
        });
    }

    /** Returns the messages of one type that were answered as the test says. */
    public <Q extends Message> List<Q> asked(Class<Q> type) {
        return asked.stream().filter(type::isInstance).map(type::cast).toList();
    }

    public void put(long cid, byte[] value) {
        chunks.put(cid, value);
        lastLid.accumulateAndGet(Cid.lid(cid), Math::max);
    }

    private boolean answeredByTest(RpcRequest request) {
        RequestHandler handler = answers.get(request.type());
        if (handler != null) {
            handler.handle(request);
        }
        return handler != null;
    }

    private void answerAsSuperPeer(RpcRequest request) {
        if (answeredByTest(request)) {
            return;
        }
        if (request.type() == MessageType.GET_RING.code()) {
            RingMember self = new RingMember(SUPER_PEER_NID, "super", superPeer, superPeer);
            request.reply(new RingReply(new Ring(clusterId, 1, 1, true, List.of(self))));
        } else if (request.type() == MessageType.LIST_PEERS.code()) {
            request.reply(
                    new PeerList(1, hasStorage ? List.of(peer()) : List.of(), List.of(SUPER_PEER_NID), List.of()));
        } else if (request.type() == MessageType.ASK_PEER.code()) {
            request.reply(peer());
        } else if (request.type() == MessageType.LOOKUP.code()) {
            int nid = Cid.nid(request.read(MessageType.LOOKUP).cid());
            int creator = SlotGroup.isGroup(nid) ? nid : STORAGE_NID;
            CidRange all =
                    new CidRange(Cid.firstOf(creator), Cid.lastOf(creator), Placement.unreplicated(STORAGE_NID, 1));
            request.reply(new LookupReply(all, storagePeer, 1));
        } else if (request.type() == MessageType.CHANGE_NAME.code()) {
            request.reply(change(request.read(MessageType.CHANGE_NAME)));
        } else if (request.type() == MessageType.GET_NAME.code()) {
            request.reply(new GetNameReply(
                    names.getOrDefault(request.read(MessageType.GET_NAME).name(), 0L)));
        } else if (request.type() == MessageType.LIST_NAMES.code()) {
            request.reply(list(request.read(MessageType.LIST_NAMES)));
        } else if (request.type() == MessageType.OPEN_SLOT_GROUP.code()) {
            int group = request.read(MessageType.OPEN_SLOT_GROUP).groupNid();
            Placement placement = slotGroups.has(group) ? Placement.unreplicated(STORAGE_NID, 1) : null;
            request.reply(new SlotGroupPlace(placement, 1 << 16, true, STORAGE_NID, storagePeer));
        } else {
            request.fail(ErrorCode.BAD_REQUEST, "not in this test");
        }
    }

    private PeerInfo peer() {
        long bytes = chunks.values().stream().mapToLong(value -> value.length).sum();
        PeerStatistics statistics = new PeerStatistics(chunks.size(), bytes, 0, bytes, capacityBytes, 0, 0);
        return new PeerInfo(
                STORAGE_NID,
                "storage-0",
                storagePeer,
                storagePeer,
                true,
                1_000_000_000,
                1,
                firstLid,
                1,
                drain,
                0,
                statistics,
                0,
                "",
                "",
                false,
                null);
    }

    private synchronized ChangeNameReply change(ChangeName change) {
        long before = names.getOrDefault(change.name(), 0L);
        boolean done =
                switch (change.condition()) {
                    case ALWAYS -> true;
                    case IF_ABSENT -> before == 0;
                    case IF_EXPECTED -> before == change.expectedCid();
                };
        if (done && change.cid() == 0) {
            names.remove(change.name());
        } else if (done) {
            names.put(change.name(), change.cid());
        }
        return new ChangeNameReply(done, before);
    }

    private NameList list(ListNames asks) {
        List<NameEntry> found = names.tailMap(asks.after(), false).entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(asks.prefix()))
                .limit(asks.limit() + 1L)
                .map(entry -> new NameEntry(entry.getKey(), entry.getValue()))
                .toList();
        boolean more = found.size() > asks.limit();
        return new NameList(more ? found.subList(0, asks.limit()) : found, more);
    }

    private void answerAsStoragePeer(RpcRequest request) {
        if (answeredByTest(request)) {
            return;
        }
        if (request.type() == MessageType.GET) {
            get(request);
        } else if (request.type() == MessageType.CREATE) {
            create(request);
        } else if (request.type() == MessageType.GROUP_CALLS) {
            keys.answer(request);
        } else if (request.type() == MessageType.FENCE) {
            ByteBuf known = request.startReply(8);
            known.writeIntLE(1).writeByte(ChunkStatus.OK);
            request.reply(known);
        } else if (request.type() == MessageType.END_MIGRATION.code()) {
            request.reply(new Empty());
        } else if (request.type() == MessageType.GROUP_CALL) {
            slotGroups.carryOut(request);
        } else {
            request.fail(ErrorCode.BAD_REQUEST, "not in this test");
        }
    }

    private void get(RpcRequest request) {
        ByteBuf in = request.payload().skipBytes(Integer.BYTES);
        int count = in.readIntLE();
        List<byte[]> found = new ArrayList<>();
        ByteBuf reply = request.startReply(64);
        reply.writeIntLE(count);
        for (int i = 0; i < count; i++) {
            byte[] value = chunks.get(in.readLongLE());
            reply.writeIntLE(value == null ? -ChunkStatus.NOT_FOUND : value.length);
            if (value != null) {
                found.add(value);
            }
        }
        found.forEach(reply::writeBytes);
        request.reply(reply);
    }

    private void create(RpcRequest request) {
        ByteBuf in = request.payload();
        MutationHeader header = MutationHeader.read(in);
        if ((header.flags() & ChunkLayouts.FLAG_EPOCH) != 0) {
            in.skipBytes(Long.BYTES);
        }
        int[] sizes = new int[header.count()];
        for (int i = 0; i < sizes.length; i++) {
            sizes[i] = in.readIntLE();
        }
        ByteBuf reply = request.startReply(4 + 8 * sizes.length);
        reply.writeIntLE(sizes.length);
        for (int size : sizes) {
            byte[] value = new byte[size];
            if ((header.flags() & ChunkLayouts.FLAG_ZEROED) == 0) {
                in.readBytes(value);
            }
            long cid = Cid.of(STORAGE_NID, lastLid.incrementAndGet());
            chunks.put(cid, value);
            reply.writeLongLE(cid);
        }
        request.reply(reply);
    }

    @Override
    public void close() {
        transport.close();
    }
}
