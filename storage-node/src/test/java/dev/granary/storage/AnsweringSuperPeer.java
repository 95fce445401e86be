package dev.granary.storage;

import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.LeaseMessages.OpenLease;
import dev.granary.net.message.LeaseMessages.OpenLeaseReply;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.LeaseMessages.PeerStatistics;
import dev.granary.net.message.LeaseMessages.RenewLease;
import dev.granary.net.message.LeaseMessages.RenewLeaseReply;
import dev.granary.net.message.LeaseMessages.ReserveLids;
import dev.granary.net.message.LeaseMessages.ReserveLidsReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MigrationMessages.AskMigration;
import dev.granary.net.message.MigrationMessages.CommitMigration;
import dev.granary.net.message.MigrationMessages.MigrationReply;
import dev.granary.net.message.MigrationMessages.MigrationState;
import dev.granary.net.message.NodeRole;
import dev.granary.net.message.RangeMessages.RangeList;
import dev.granary.net.message.ReplicationMessages.FillCopy;
import dev.granary.net.message.RingMessages.AssignNidReply;
import dev.granary.net.message.RingMessages.RingReply;
import dev.granary.net.message.ZoneMessages.ChangeCopies;
import dev.granary.net.message.ZoneMessages.ZoneList;
import dev.granary.net.message.ZoneMessages.ZonePlacement;
import dev.granary.net.rpc.RequestHandler;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.net.rpc.RpcServer;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import dev.granary.testkit.Simulation;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The remote side of a storage peer's control work: answers the real messages as a ring of one super-peer. */
public final class AnsweringSuperPeer implements RequestHandler {

    static final int NID = 0x0001;
    public static final int STORAGE_NID = 0x8000;

    public final HostAddress address;
    public final List<String> received = new ArrayList<>();
    final List<Long> renewalTimes = new ArrayList<>();
    public UUID clusterId = new UUID(7, 7);
    int givenNid = STORAGE_NID;
    public long leaseNanos = 900_000_000;
    long lidBlock = 1 << 20;
    public long lidLimit;
    public long firstLid = 1;
    long incarnation;
    public long epoch;
    public long lastGrantNanos;
    public boolean knowsLease;
    boolean reserving = true;

    /** Whether all LIDs are used up. */
    boolean usedUp;

    /** The ranges of chunks that the peer has created and others own. */
    List<CidRange> away = List.of();

    /** The addresses of other storage peers by their NIDs. */
    public final Map<Integer, HostAddress> addresses = new TreeMap<>();

    /**
     * The peer's own zone of all LIDs, or later the one in which it logs chunks of another creator; null if there is
     * none.
     */
    public @Nullable Placement zone;

    int wantedCopies;
    long zonesMark;

    /** The state of the only migration. */
    public MigrationState migration = MigrationState.RUNNING;

    /** Whether it commits a migration when asked to; otherwise it does not answer. */
    boolean committing = true;

    /** What it decides when it is asked to commit a migration. */
    MigrationState decision = MigrationState.COMMITTED;

    /** The slot groups of its arc. */
    public final AnsweringGroups groups = new AnsweringGroups(addresses);

    /** The types of requests that it never answers. */
    public final Set<Integer> unanswered = new HashSet<>();

    /** Whether it refuses to change the in-sync set. */
    boolean keepsMembers;

    final List<ChangeCopies> changes = new ArrayList<>();

    public @Nullable ErrorReply refusal;

    public @Nullable PeerStatistics reported;

    private final @Nullable Simulation world;
    private final LongSupplier clock;

    public AnsweringSuperPeer(Simulation world) {
        this(NodeFixture.SUPER_PEER, world, world::nowNanos);
        join(clusterId);
    }

    /** Answers at an address outside of the simulator, where somebody else listens. */
    AnsweringSuperPeer(HostAddress address, LongSupplier clock) {
        this(address, null, clock);
    }

    private AnsweringSuperPeer(HostAddress address, @Nullable Simulation world, LongSupplier clock) {
        this.address = address;
        this.world = world;
        this.clock = clock;
        this.lidLimit = 1 + lidBlock;
    }

    /** Becomes the super-peer of another cluster. */
    public void join(UUID cluster) {
        clusterId = cluster;
        RpcIdentity identity = new RpcIdentity(NodeRole.SUPER_PEER, 99);
        identity.joinCluster(cluster);
        identity.takeNid(NID);
        Objects.requireNonNull(world).node(address.host()).restart(started -> {
            var _ = started.transport().listen(address, new RpcServer(identity, this));
        });
    }

    Ring ring() {
        return new Ring(clusterId, 1, 1, true, List.of(new RingMember(NID, "super", address, address)));
    }

    @Override
    public void handle(RpcRequest request) {
        received.add(MessageType.nameOf(request.type()));
        if (unanswered.contains(request.type())) {
            return;
        }
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
        } else if (request.type() == MessageType.ASK_PEER.code()) {
            askPeer(request, request.read(MessageType.ASK_PEER).nid());
        } else if (request.type() == MessageType.CHANGE_COPIES.code()) {
            change(request, request.read(MessageType.CHANGE_COPIES));
        } else if (request.type() == MessageType.LIST_ZONES.code()) {
            request.reply(new ZoneList(
                    wantedCopies, 0, zones(request.read(MessageType.LIST_ZONES).creatorNid())));
        } else if (request.type() == MessageType.OPEN_ZONE.code()) {
            request.reply(new ZonePlacement(zone()));
        } else if (request.type() == MessageType.ASK_MIGRATION.code()) {
            AskMigration asked = request.read(MessageType.ASK_MIGRATION);
            answer(request, asked.creatorNid(), asked.number());
        } else if (request.type() == MessageType.COMMIT_MIGRATION.code()) {
            CommitMigration commit = request.read(MessageType.COMMIT_MIGRATION);
            if (committing) {
                migration = decision;
                answer(request, commit.creatorNid(), commit.number());
            }
        } else if (request.type() == MessageType.CLOSE_LEASE.code()) {
            knowsLease = false;
            request.reply(new Empty());
        } else if (!groups.answer(request)) {
            request.fail(ErrorCode.BAD_REQUEST, "not in this test");
        }
    }

    private List<Placement> zones(int creatorNid) {
        List<Placement> all = new ArrayList<>(groups.zonesOf(givenNid, creatorNid));
        if (zone != null) {
            all.add(zone);
        }
        return all;
    }

    private void answer(RpcRequest request, int creatorNid, long number) {
        long epochOfRange = migration == MigrationState.COMMITTED ? 9 : 0;
        request.reply(new MigrationReply(creatorNid, number, migration, epochOfRange, ""));
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
        lastGrantNanos = clock.getAsLong();
        request.reply(new OpenLeaseReply(leaseNanos, epoch, firstLid, lidLimit, wantedCopies, false, ranges(firstLid)));
    }

    private void renew(RpcRequest request, RenewLease renew) {
        renewalTimes.add(clock.getAsLong());
        if (!knowsLease || renew.incarnation() != incarnation) {
            request.fail(ErrorCode.UNKNOWN_LEASE, "no such lease");
            return;
        }
        lastGrantNanos = clock.getAsLong();
        reported = renew.statistics();
        request.reply(new RenewLeaseReply(leaseNanos, lidLimit, 1, wantedCopies, zonesMark));
    }

    private void reserve(RpcRequest request, ReserveLids reserve) {
        if (!reserving) {
            request.fail(ErrorReply.retryLater(1_000_000, "not now"));
            return;
        }
        if (usedUp) {
            request.fail(ErrorCode.OUT_OF_MEMORY, "has used all numbers for zones");
            return;
        }
        lidLimit = Math.max(lidLimit, reserve.wantedLimit());
        request.reply(new ReserveLidsReply(lidLimit, wantedCopies, ranges(reserve.knownLimit())));
    }

    private List<CidRange> ranges(long fromLid) {
        return zone == null || fromLid >= lidLimit
                ? List.of()
                : List.of(new CidRange(Cid.of(givenNid, fromLid), Cid.of(givenNid, lidLimit - 1), zone));
    }

    private void askPeer(RpcRequest request, int nid) {
        HostAddress peer = addresses.get(nid);
        if (peer == null) {
            request.fail(ErrorCode.NOT_FOUND, "no such peer");
            return;
        }
        PeerStatistics nothing = new PeerStatistics(0, 0, 0, 0, 0, 0, 0);
        request.reply(new PeerInfo(
                nid, "", peer, peer, true, 1, 1, 1, 0, PeerInfo.Drain.NONE, 0, nothing, 0, "", "", false, null));
    }

    private void change(RpcRequest request, ChangeCopies change) {
        changes.add(change);
        Placement now = zone;
        if (now == null || now.zone() != change.zone()) {
            request.fail(ErrorCode.NOT_FOUND, "no such zone");
            return;
        }
        if (!keepsMembers && change.expectedEpoch() == now.epoch()) {
            List<Integer> members = new ArrayList<>();
            for (int nid : now.backups()) {
                if (!change.dropped().contains(nid)) {
                    members.add(nid);
                }
            }
            members.addAll(change.added());
            place(members.stream().mapToInt(Integer::intValue).toArray());
        }
        request.reply(new ZonePlacement(zone()));
    }

    /** Returns the present placement of the peer's own zone. */
    Placement zone() {
        return Objects.requireNonNull(zone);
    }

    /** Gives the zone these in-sync backups from now on, in the next epoch. */
    void place(int... members) {
        long zoneEpoch = zone == null ? 1 : zone.epoch() + 1;
        zone = new Placement(
                givenNid,
                members,
                zoneEpoch,
                zone == null ? givenNid << 15 | 1 : zone.zone(),
                members.length < wantedCopies ? PlacementState.DEGRADED : PlacementState.IN_SYNC);
    }

    /** Returns the request by which a super-peer has a copy filled. */
    FillCopy fillOrder(AnsweringBackup target) {
        Placement now = zone();
        return new FillCopy(now.zone(), now.epoch(), epoch, target.nid, target.address);
    }
}
