package dev.granary.superpeer;

import dev.granary.net.Transport;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.HibernationMessages.ParkPeer;
import dev.granary.net.message.HibernationMessages.UnparkPeer;
import dev.granary.net.message.LeaseMessages.AskPeer;
import dev.granary.net.message.LeaseMessages.CloseLease;
import dev.granary.net.message.LeaseMessages.OpenLease;
import dev.granary.net.message.LeaseMessages.RenewLease;
import dev.granary.net.message.LeaseMessages.ReportLoad;
import dev.granary.net.message.LeaseMessages.ReserveLids;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MigrationMessages.AbortMigration;
import dev.granary.net.message.MigrationMessages.AskMigration;
import dev.granary.net.message.MigrationMessages.CommitMigration;
import dev.granary.net.message.NameMessages.ListNames;
import dev.granary.net.message.PlanMessages.AbortPlan;
import dev.granary.net.message.RangeMessages.AwayRanges;
import dev.granary.net.message.RangeMessages.CreatorRanges;
import dev.granary.net.message.RangeMessages.ListCreators;
import dev.granary.net.message.RestoreMessages.EndRestore;
import dev.granary.net.message.RestoreMessages.RestoreCreator;
import dev.granary.net.message.SlotGroupMessages.ExtendSlotGroup;
import dev.granary.net.message.SlotGroupMessages.OpenSlotGroup;
import dev.granary.net.message.StatusText;
import dev.granary.net.message.ZoneMessages.ListZones;
import dev.granary.net.message.ZoneMessages.OpenZone;
import dev.granary.net.message.ZoneMessages.ReportLostCopies;
import dev.granary.net.rpc.RequestHandler;
import dev.granary.net.rpc.RequestTable;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.overlay.name.NamePosition;
import dev.granary.superpeer.arc.ArcServices;
import dev.granary.superpeer.arc.Arcs;
import dev.granary.superpeer.migration.PlanService;
import dev.granary.superpeer.node.Answers;
import dev.granary.superpeer.node.Async;
import dev.granary.superpeer.node.Node;
import dev.granary.superpeer.rebuild.RingRebuilder;
import dev.granary.superpeer.replicated.RaftHost;
import dev.granary.superpeer.ring.RingMembership;
import dev.granary.superpeer.ring.RingRequests;
import dev.granary.superpeer.status.ClusterStatus;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/** Reads requests on the I/O thread and hands each to its part as a task of the scheduler. */
final class RequestRouter implements RequestHandler {

    private static final long UNSENT_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Requests of people and cluster backups, who may leave the answers unread. Each answer has up to a frame. */
    private static final Set<Integer> LARGE_ANSWERS = Set.of(
            MessageType.LIST_NAMES.code(),
            MessageType.LIST_CREATORS.code(),
            MessageType.CREATOR_RANGES.code(),
            MessageType.LIST_ZONES.code(),
            MessageType.ZONE_RANGES.code(),
            MessageType.AWAY_RANGES.code(),
            MessageType.LIST_PLANS.code(),
            MessageType.LIST_WORK.code(),
            MessageType.CLUSTER_STATUS.code());

    private final Executor scheduler;
    private final Transport transport;
    private final long maxUnsentBytes;
    private final RequestTable routes = new RequestTable("a super-peer");
    private volatile boolean stopped;

    RequestRouter(
            Node node,
            Transport transport,
            RaftHost host,
            RingMembership membership,
            RingRequests ring,
            Arcs arcs,
            ClusterStatus status,
            RingRebuilder rebuilder) {
        this.scheduler = node.environment().scheduler();
        this.transport = transport;
        this.maxUnsentBytes = node.config().memory().outboundBytes();
        route(MessageType.RAFT, host::receive);
        route(MessageType.ANNOUNCE, membership::announce);
        route(MessageType.GET_RING, (request, empty) -> ring.getRing(request));
        route(MessageType.JOIN_RING, ring::joinRing);
        route(MessageType.SWITCH_RING, ring::switchRing);
        route(MessageType.RESIZE_RING, ring::resize);
        route(MessageType.REBUILD_RING, rebuilder::rebuild);
        route(MessageType.RING_VIEW, membership::receiveView);
        route(MessageType.ARC_PART, arcs::sendPart);
        route(MessageType.ASSIGN_NID, ring::assignNid);
        toLeader(arcs, MessageType.OPEN_LEASE, OpenLease::nid, arc -> arc.peers()::openLease);
        toSureLeader(arcs, MessageType.RENEW_LEASE, RenewLease::nid, arc -> arc.peers()::renewLease);
        toLeader(arcs, MessageType.RESERVE_LIDS, ReserveLids::nid, arc -> arc.peers()::reserveLids);
        toLeader(arcs, MessageType.CLOSE_LEASE, CloseLease::nid, arc -> arc.peers()::closeLease);
        toLeader(arcs, MessageType.PARK_PEER, ParkPeer::nid, arc -> arc.peers()::parkPeer);
        toLeader(arcs, MessageType.UNPARK_PEER, UnparkPeer::nid, arc -> arc.peers()::unparkPeer);
        toLeader(arcs, MessageType.CHANGE_NAME, change -> NamePosition.of(change.name()), arc -> arc.names()::change);
        toSureLeader(arcs, MessageType.GET_NAME, get -> NamePosition.of(get.name()), arc -> arc.names()::get);
        toSureLeader(arcs, MessageType.LIST_NAMES, ListNames::toInclusive, arc -> arc.names()::list);
        toSureLeader(arcs, MessageType.ACQUIRE_LOCK, acquire -> Cid.nid(acquire.cid()), arc -> arc.locks()::acquire);
        toSureLeader(arcs, MessageType.RENEW_LOCK, renew -> Cid.nid(renew.cid()), arc -> arc.locks()::renew);
        toLeader(arcs, MessageType.RELEASE_LOCK, release -> Cid.nid(release.cid()), arc -> arc.locks()::release);
        toSureLeader(arcs, MessageType.SHOW_LOCK, show -> Cid.nid(show.cid()), arc -> arc.locks()::show);
        toSureLeader(
                arcs, MessageType.MIGRATE, migrate -> Cid.nid(migrate.startCid()), arc -> arc.migrations()::migrate);
        toLeader(arcs, MessageType.COMMIT_MIGRATION, CommitMigration::creatorNid, arc -> arc.migrations()::commit);
        toLeader(arcs, MessageType.ABORT_MIGRATION, AbortMigration::creatorNid, arc -> arc.migrations()::abort);
        toSureLeader(arcs, MessageType.ASK_MIGRATION, AskMigration::creatorNid, arc -> arc.migrations()::ask);
        toSureLeader(arcs, MessageType.ASK_PEER, AskPeer::nid, arc -> arc.migrations()::askPeer);
        toSureLeader(arcs, MessageType.AWAY_RANGES, AwayRanges::nid, arc -> arc.migrations()::awayRanges);
        toSureLeader(arcs, MessageType.START_PLAN, PlanService::homeOf, arc -> arc.plans()::startPlan);
        toLeader(arcs, MessageType.ABORT_PLAN, AbortPlan::homeNid, arc -> arc.plans()::abortPlan);
        toLeader(arcs, MessageType.REPORT_LOAD, ReportLoad::nid, arc -> arc.loads()::report);
        toLeader(arcs, MessageType.OPEN_ZONE, OpenZone::creatorNid, arc -> arc.zones()::openZone);
        toLeader(
                arcs,
                MessageType.CHANGE_COPIES,
                change -> BackupZone.creatorOf(change.zone()),
                arc -> arc.zones()::changeCopies);
        toLeader(arcs, MessageType.RECOVERED, done -> BackupZone.creatorOf(done.zone()), arc -> arc.zones()::recovered);
        toSureLeader(arcs, MessageType.LIST_ZONES, ListZones::creatorNid, arc -> arc.zones()::listZones);
        toSureLeader(
                arcs,
                MessageType.REPORT_LOST_COPIES,
                ReportLostCopies::creatorNid,
                arc -> arc.zones()::reportLostCopies);
        toSureLeader(
                arcs,
                MessageType.ZONE_RANGES,
                asked -> BackupZone.creatorOf(asked.zone()),
                arc -> arc.zones()::zoneRanges);
        toLeader(
                arcs,
                MessageType.RECOVER_ZONE,
                asked -> BackupZone.creatorOf(asked.zone()),
                arc -> arc.zones()::recoverZone);
        toSureLeader(arcs, MessageType.LIST_CREATORS, ListCreators::toInclusive, arc -> arc.restores()::listCreators);
        toSureLeader(arcs, MessageType.CREATOR_RANGES, CreatorRanges::nid, arc -> arc.restores()::creatorRanges);
        toLeader(arcs, MessageType.RESTORE_CREATOR, RestoreCreator::nid, arc -> arc.restores()::restoreCreator);
        toSureLeader(
                arcs,
                MessageType.BEGIN_RESTORE,
                begin -> Cid.nid(begin.startCid()),
                arc -> arc.restores()::beginRestore);
        toLeader(arcs, MessageType.END_RESTORE, EndRestore::nid, arc -> arc.restores()::endRestore);
        toSureLeader(
                arcs, MessageType.OPEN_SLOT_GROUP, OpenSlotGroup::groupNid, arc -> arc.slotGroups()::openSlotGroup);
        toLeader(
                arcs,
                MessageType.EXTEND_SLOT_GROUP,
                ExtendSlotGroup::groupNid,
                arc -> arc.slotGroups()::extendSlotGroup);
        route(MessageType.LIST_SLOT_GROUPS, arcs::listSlotGroups);
        route(MessageType.ZONE_STATUS, arcs::zoneStatus);
        route(MessageType.LIST_PLANS, arcs::listPlans);
        route(MessageType.LIST_WORK, arcs::listWork);
        route(MessageType.LOOKUP, arcs.lookups()::lookup);
        route(MessageType.AWAIT_OWNER, arcs.lookups()::awaitOwner);
        route(MessageType.LIST_PEERS, arcs::listPeers);
        route(MessageType.CLUSTER_STATUS, (request, empty) -> answerStatus(request, status));
    }

    /**
     * Routes a request that is committed before it is answered. A super-peer that leads no more finds out when it
     * commits.
     */
    private <Q extends Message> void toLeader(
            Arcs arcs,
            MessageType<Q, ?> type,
            ToIntFunction<Q> position,
            Function<ArcServices, BiConsumer<RpcRequest, Q>> handler) {
        route(
                type,
                (request, message) -> arcs.atLeader(request, position.applyAsInt(message), arc -> handler.apply(arc)
                        .accept(request, message)));
    }

    /** Routes a request that is answered from memory, by a super-peer that surely leads. */
    private <Q extends Message> void toSureLeader(
            Arcs arcs,
            MessageType<Q, ?> type,
            ToIntFunction<Q> position,
            Function<ArcServices, BiConsumer<RpcRequest, Q>> handler) {
        route(
                type,
                (request, message) -> arcs.atSureLeader(request, position.applyAsInt(message), arc -> {
                    // Asked once more, as many requests may have waited together for the confirmation.
                    if (!refusesLarge(request)) {
                        handler.apply(arc).accept(request, message);
                    }
                }));
    }

    private static void answerStatus(RpcRequest request, ClusterStatus status) {
        Async.whenDone(status.gather(), (json, failure) -> {
            if (json != null) {
                request.reply(new StatusText(json));
            } else {
                request.fail(ErrorCode.INTERNAL, String.valueOf(failure));
            }
        });
    }

    private <Q extends Message> void route(MessageType<Q, ?> type, BiConsumer<RpcRequest, Q> handler) {
        routes.addTask(type, scheduler, (request, message) -> {
            if (stopped) {
                refuse(request);
            } else if (!refusesLarge(request)) {
                Answers.orFail(request, () -> handler.accept(request, message));
            }
        });
    }

    /** Refuses a request whose answer may be large while much of earlier answers has not been taken. */
    private boolean refusesLarge(RpcRequest request) {
        if (!LARGE_ANSWERS.contains(request.type()) || transport.outboundBytes() <= maxUnsentBytes) {
            return false;
        }
        request.fail(ErrorReply.retryLater(
                UNSENT_RETRY_NANOS, "answers of more than " + maxUnsentBytes + " bytes wait to be taken"));
        return true;
    }

    @Override
    public void handle(RpcRequest request) {
        if (stopped) {
            refuse(request);
        } else {
            routes.handle(request);
        }
    }

    private static void refuse(RpcRequest request) {
        request.fail(ErrorCode.SHUTTING_DOWN, "this super-peer is stopping");
    }

    /** Refuses every request from now on. */
    void stop() {
        stopped = true;
    }
}
