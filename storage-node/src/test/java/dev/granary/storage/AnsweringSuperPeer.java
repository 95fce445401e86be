package dev.granary.storage;

import dev.granary.net.message.AssignNidReply;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NodeRole;
import dev.granary.net.message.OpenLease;
import dev.granary.net.message.OpenLeaseReply;
import dev.granary.net.message.PeerStatistics;
import dev.granary.net.message.RangeList;
import dev.granary.net.message.RenewLease;
import dev.granary.net.message.RenewLeaseReply;
import dev.granary.net.message.ReserveLids;
import dev.granary.net.message.ReserveLidsReply;
import dev.granary.net.message.RingReply;
import dev.granary.net.rpc.RequestHandler;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.net.rpc.RpcServer;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import dev.granary.testkit.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The remote side of a storage peer's control work: answers the real messages as a ring of one super-peer. */
final class AnsweringSuperPeer implements RequestHandler {

    static final int NID = 0x0001;
    static final int STORAGE_NID = 0x8000;

    final HostAddress address;
    final List<String> received = new ArrayList<>();
    final List<Long> renewalTimes = new ArrayList<>();
    UUID clusterId = new UUID(7, 7);
    int givenNid = STORAGE_NID;
    long leaseNanos = 900_000_000;
    long lidBlock = 1 << 20;
    long lidLimit;
    long firstLid = 1;
    long incarnation;
    long epoch;
    long lastGrantNanos;
    boolean knowsLease;
    boolean reserving = true;

    /** What others have of the chunks that the peer once created. */
    List<CidRange> away = List.of();

    @Nullable
    ErrorReply refusal;

    @Nullable
    PeerStatistics reported;

    private final Simulation world;

    AnsweringSuperPeer(Simulation world) {
        this.world = world;
        this.address = NodeFixture.SUPER_PEER;
        this.lidLimit = 1 + lidBlock;
        join(clusterId);
    }

    /** Becomes the super-peer of another cluster. */
    void join(UUID cluster) {
        clusterId = cluster;
        RpcIdentity identity = new RpcIdentity(NodeRole.SUPER_PEER, 99);
        identity.joinCluster(cluster);
        identity.takeNid(NID);
        world.node(address.host()).restart(started -> {
            var _ = started.transport().listen(address, new RpcServer(identity, this));
        });
    }

    Ring ring() {
        return new Ring(clusterId, 1, 1, true, List.of(new RingMember(NID, "super", address, address)));
    }

    @Override
    public void handle(RpcRequest request) {
        received.add(MessageType.nameOf(request.type()));
        if (refusal != null && request.type() != MessageType.GET_RING.code()) {
            request.fail(refusal);
        } else if (request.type() == MessageType.ASSIGN_NID.code()) {
            request.reply(new AssignNidReply(givenNid, ring()));
        } else if (request.type() == MessageType.GET_RING.code()) {
            request.reply(new RingReply(ring()));
        } else if (request.type() == MessageType.OPEN_LEASE.code()) {
            open(request, request.read(MessageType.OPEN_LEASE));
        } else if (request.type() == MessageType.RENEW_LEASE.code()) {
            renew(request, request.read(MessageType.RENEW_LEASE));
        } else if (request.type() == MessageType.RESERVE_LIDS.code()) {
            reserve(request, request.read(MessageType.RESERVE_LIDS));
        } else if (request.type() == MessageType.AWAY_RANGES.code()) {
            request.reply(new RangeList(0, away));
        } else if (request.type() == MessageType.CLOSE_LEASE.code()) {
            knowsLease = false;
            request.reply(new Empty());
        } else {
            request.fail(ErrorCode.BAD_REQUEST, "not in this test");
        }
    }

    private void open(RpcRequest request, OpenLease open) {
        if (open.incarnation() != incarnation) {
            if (incarnation != 0) {
                firstLid = lidLimit;
                lidLimit += lidBlock;
            }
            incarnation = open.incarnation();
            epoch++;
        }
        knowsLease = true;
        lastGrantNanos = world.nowNanos();
        request.reply(new OpenLeaseReply(leaseNanos, epoch, firstLid, lidLimit, 0, List.of()));
    }

    private void renew(RpcRequest request, RenewLease renew) {
        renewalTimes.add(world.nowNanos());
        if (!knowsLease || renew.incarnation() != incarnation) {
            request.fail(ErrorCode.UNKNOWN_LEASE, "no such lease");
            return;
        }
        lastGrantNanos = world.nowNanos();
        reported = renew.statistics();
        request.reply(new RenewLeaseReply(leaseNanos, lidLimit, 1, 0, 0));
    }

    private void reserve(RpcRequest request, ReserveLids reserve) {
        if (!reserving) {
            request.fail(ErrorReply.retryLater(1_000_000, "not now"));
            return;
        }
        lidLimit = Math.max(lidLimit, reserve.wantedLimit());
        request.reply(new ReserveLidsReply(lidLimit, 0, List.of()));
    }
}
