package dev.granary.net.message;

import dev.granary.net.FrameException;
import dev.granary.net.message.CreateMessages.CreatedChunks;
import dev.granary.net.message.CreateMessages.FindCreated;
import dev.granary.net.message.HandshakeMessages.Hello;
import dev.granary.net.message.HandshakeMessages.HelloReply;
import dev.granary.net.message.HandshakeMessages.Login;
import dev.granary.net.message.HandshakeMessages.Prove;
import dev.granary.net.message.HandshakeMessages.ProveReply;
import dev.granary.net.message.HibernationMessages.Hibernate;
import dev.granary.net.message.HibernationMessages.HibernateReply;
import dev.granary.net.message.HibernationMessages.ParkPeer;
import dev.granary.net.message.HibernationMessages.RestorePeer;
import dev.granary.net.message.HibernationMessages.UnparkPeer;
import dev.granary.net.message.LeaseMessages.AskPeer;
import dev.granary.net.message.LeaseMessages.CloseLease;
import dev.granary.net.message.LeaseMessages.OpenLease;
import dev.granary.net.message.LeaseMessages.OpenLeaseReply;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.LeaseMessages.PeerList;
import dev.granary.net.message.LeaseMessages.RenewLease;
import dev.granary.net.message.LeaseMessages.RenewLeaseReply;
import dev.granary.net.message.LeaseMessages.ReportLoad;
import dev.granary.net.message.LeaseMessages.ReserveLids;
import dev.granary.net.message.LeaseMessages.ReserveLidsReply;
import dev.granary.net.message.LockMessages.AcquireLock;
import dev.granary.net.message.LockMessages.AcquireLockReply;
import dev.granary.net.message.LockMessages.ReleaseLock;
import dev.granary.net.message.LockMessages.RenewLock;
import dev.granary.net.message.LockMessages.RenewLockReply;
import dev.granary.net.message.LockMessages.ShowLock;
import dev.granary.net.message.LockMessages.ShowLockReply;
import dev.granary.net.message.MigrationMessages.AbortMigration;
import dev.granary.net.message.MigrationMessages.AskMigration;
import dev.granary.net.message.MigrationMessages.CommitMigration;
import dev.granary.net.message.MigrationMessages.DrainPeer;
import dev.granary.net.message.MigrationMessages.EndMigration;
import dev.granary.net.message.MigrationMessages.Migrate;
import dev.granary.net.message.MigrationMessages.MigrationData;
import dev.granary.net.message.MigrationMessages.MigrationReply;
import dev.granary.net.message.MigrationMessages.RunMigration;
import dev.granary.net.message.MigrationMessages.RunMigrationReply;
import dev.granary.net.message.MigrationMessages.Survey;
import dev.granary.net.message.MigrationMessages.SurveyReply;
import dev.granary.net.message.NameMessages.ChangeName;
import dev.granary.net.message.NameMessages.ChangeNameReply;
import dev.granary.net.message.NameMessages.FetchNames;
import dev.granary.net.message.NameMessages.GetName;
import dev.granary.net.message.NameMessages.GetNameReply;
import dev.granary.net.message.NameMessages.ListNames;
import dev.granary.net.message.NameMessages.NameCopyList;
import dev.granary.net.message.NameMessages.NameList;
import dev.granary.net.message.NameMessages.NamesSaved;
import dev.granary.net.message.NameMessages.SaveNames;
import dev.granary.net.message.PlanMessages.AbortPlan;
import dev.granary.net.message.PlanMessages.PlanReply;
import dev.granary.net.message.PlanMessages.StartPlan;
import dev.granary.net.message.RangeMessages.AwaitOwner;
import dev.granary.net.message.RangeMessages.AwayRanges;
import dev.granary.net.message.RangeMessages.CreatorList;
import dev.granary.net.message.RangeMessages.CreatorRanges;
import dev.granary.net.message.RangeMessages.ListCreators;
import dev.granary.net.message.RangeMessages.Lookup;
import dev.granary.net.message.RangeMessages.LookupReply;
import dev.granary.net.message.RangeMessages.RangeList;
import dev.granary.net.message.RecoveryMessages.Holdings;
import dev.granary.net.message.RecoveryMessages.RecoverZone;
import dev.granary.net.message.RecoveryMessages.Recovered;
import dev.granary.net.message.RecoveryMessages.ReportHoldings;
import dev.granary.net.message.RecoveryMessages.RunRecovery;
import dev.granary.net.message.RecoveryMessages.RunRecoveryReply;
import dev.granary.net.message.ReplicationMessages.CopyFilled;
import dev.granary.net.message.ReplicationMessages.CopyList;
import dev.granary.net.message.ReplicationMessages.CopyState;
import dev.granary.net.message.ReplicationMessages.CopyStates;
import dev.granary.net.message.ReplicationMessages.DropCopies;
import dev.granary.net.message.ReplicationMessages.FetchCopy;
import dev.granary.net.message.ReplicationMessages.FetchedCopy;
import dev.granary.net.message.ReplicationMessages.FillCopy;
import dev.granary.net.message.ReplicationMessages.FillData;
import dev.granary.net.message.ReplicationMessages.ListCopies;
import dev.granary.net.message.ReplicationMessages.OpenCopies;
import dev.granary.net.message.ReplicationMessages.Replicate;
import dev.granary.net.message.ReplicationMessages.SealZones;
import dev.granary.net.message.ReplicationMessages.SealedCopies;
import dev.granary.net.message.RestoreMessages.BeginRestore;
import dev.granary.net.message.RestoreMessages.EndRestore;
import dev.granary.net.message.RestoreMessages.RestoreCreator;
import dev.granary.net.message.RingMessages.Announce;
import dev.granary.net.message.RingMessages.AnnounceReply;
import dev.granary.net.message.RingMessages.ArcPart;
import dev.granary.net.message.RingMessages.ArcPartReply;
import dev.granary.net.message.RingMessages.AssignNid;
import dev.granary.net.message.RingMessages.AssignNidReply;
import dev.granary.net.message.RingMessages.JoinRing;
import dev.granary.net.message.RingMessages.JoinRingReply;
import dev.granary.net.message.RingMessages.RaftMessage;
import dev.granary.net.message.RingMessages.RebuildProgress;
import dev.granary.net.message.RingMessages.RebuildRing;
import dev.granary.net.message.RingMessages.ResizeRing;
import dev.granary.net.message.RingMessages.RingReply;
import dev.granary.net.message.RingMessages.RingViewMessage;
import dev.granary.net.message.RingMessages.SwitchRing;
import dev.granary.net.message.SlotGroupMessages.AskHotKeys;
import dev.granary.net.message.SlotGroupMessages.ExtendSlotGroup;
import dev.granary.net.message.SlotGroupMessages.HotKeyList;
import dev.granary.net.message.SlotGroupMessages.OpenSlotGroup;
import dev.granary.net.message.SlotGroupMessages.SlotGroupLimit;
import dev.granary.net.message.SlotGroupMessages.SlotGroupList;
import dev.granary.net.message.SlotGroupMessages.SlotGroupPlace;
import dev.granary.net.message.ZoneMessages.ChangeCopies;
import dev.granary.net.message.ZoneMessages.ListZones;
import dev.granary.net.message.ZoneMessages.OpenZone;
import dev.granary.net.message.ZoneMessages.ReportLostCopies;
import dev.granary.net.message.ZoneMessages.ZoneList;
import dev.granary.net.message.ZoneMessages.ZonePlacement;
import dev.granary.net.message.ZoneMessages.ZoneRanges;
import dev.granary.net.message.ZoneMessages.ZoneStatus;
import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * A request type with its code and the records of its request and reply. Codes are promises: a code is never given to
 * another message.
 *
 * @param code the frame's type field
 * @param name for messages to people
 * @param request the record of a request's payload
 * @param reply the record of a reply's payload
 * @param <Q> the request
 * @param <R> the reply
 */
public record MessageType<Q extends Message, R extends Message>(
        int code, String name, Class<Q> request, Class<R> reply) {

    public static final MessageType<Hello, HelloReply> HELLO =
            new MessageType<>(1, "hello", Hello.class, HelloReply.class);
    public static final MessageType<Prove, ProveReply> PROVE =
            new MessageType<>(2, "prove", Prove.class, ProveReply.class);
    public static final MessageType<Login, Empty> LOGIN = new MessageType<>(3, "login", Login.class, Empty.class);

    public static final MessageType<Empty, RingReply> GET_RING =
            new MessageType<>(10, "get-ring", Empty.class, RingReply.class);
    public static final MessageType<JoinRing, JoinRingReply> JOIN_RING =
            new MessageType<>(11, "join-ring", JoinRing.class, JoinRingReply.class);
    public static final MessageType<AssignNid, AssignNidReply> ASSIGN_NID =
            new MessageType<>(12, "assign-nid", AssignNid.class, AssignNidReply.class);
    public static final MessageType<OpenLease, OpenLeaseReply> OPEN_LEASE =
            new MessageType<>(13, "open-lease", OpenLease.class, OpenLeaseReply.class);
    public static final MessageType<RenewLease, RenewLeaseReply> RENEW_LEASE =
            new MessageType<>(14, "renew-lease", RenewLease.class, RenewLeaseReply.class);
    public static final MessageType<ReserveLids, ReserveLidsReply> RESERVE_LIDS =
            new MessageType<>(15, "reserve-lids", ReserveLids.class, ReserveLidsReply.class);
    public static final MessageType<CloseLease, Empty> CLOSE_LEASE =
            new MessageType<>(16, "close-lease", CloseLease.class, Empty.class);
    public static final MessageType<Lookup, LookupReply> LOOKUP =
            new MessageType<>(17, "lookup", Lookup.class, LookupReply.class);
    public static final MessageType<Empty, PeerList> LIST_PEERS =
            new MessageType<>(18, "list-peers", Empty.class, PeerList.class);
    public static final MessageType<Empty, StatusText> CLUSTER_STATUS =
            new MessageType<>(19, "cluster-status", Empty.class, StatusText.class);
    public static final MessageType<AwaitOwner, LookupReply> AWAIT_OWNER =
            new MessageType<>(20, "await-owner", AwaitOwner.class, LookupReply.class);

    public static final MessageType<ChangeName, ChangeNameReply> CHANGE_NAME =
            new MessageType<>(0x70, "change-name", ChangeName.class, ChangeNameReply.class);
    public static final MessageType<GetName, GetNameReply> GET_NAME =
            new MessageType<>(0x71, "get-name", GetName.class, GetNameReply.class);
    public static final MessageType<ListNames, NameList> LIST_NAMES =
            new MessageType<>(0x72, "list-names", ListNames.class, NameList.class);
    public static final MessageType<AcquireLock, AcquireLockReply> ACQUIRE_LOCK =
            new MessageType<>(0x74, "acquire-lock", AcquireLock.class, AcquireLockReply.class);
    public static final MessageType<RenewLock, RenewLockReply> RENEW_LOCK =
            new MessageType<>(0x75, "renew-lock", RenewLock.class, RenewLockReply.class);
    public static final MessageType<ReleaseLock, Empty> RELEASE_LOCK =
            new MessageType<>(0x76, "release-lock", ReleaseLock.class, Empty.class);
    public static final MessageType<ShowLock, ShowLockReply> SHOW_LOCK =
            new MessageType<>(0x77, "show-lock", ShowLock.class, ShowLockReply.class);

    public static final MessageType<RaftMessage, Empty> RAFT =
            new MessageType<>(0x50, "raft", RaftMessage.class, Empty.class);
    public static final MessageType<Announce, AnnounceReply> ANNOUNCE =
            new MessageType<>(0x51, "announce", Announce.class, AnnounceReply.class);
    public static final MessageType<ArcPart, ArcPartReply> ARC_PART =
            new MessageType<>(0x52, "arc-part", ArcPart.class, ArcPartReply.class);
    public static final MessageType<SwitchRing, RingViewMessage> SWITCH_RING =
            new MessageType<>(0x53, "switch-ring", SwitchRing.class, RingViewMessage.class);
    public static final MessageType<RingViewMessage, Empty> RING_VIEW =
            new MessageType<>(0x54, "ring-view", RingViewMessage.class, Empty.class);
    public static final MessageType<ResizeRing, Empty> RESIZE_RING =
            new MessageType<>(0x55, "resize-ring", ResizeRing.class, Empty.class);

    /** Codes of the messages that carry chunks; {@link ChunkLayouts} draws them. */
    public static final int CREATE = 32;

    public static final int GET = 33;
    public static final int PUT = 34;
    public static final int DELETE = 35;

    /** Makes the tokens of locks known to the owner of their chunks; {@link ChunkLayouts} draws it. */
    public static final int FENCE = 0x78;

    public static final MessageType<FindCreated, CreatedChunks> FIND_CREATED =
            new MessageType<>(0x79, "find-created", FindCreated.class, CreatedChunks.class);

    // Moving chunks from one storage peer to another.

    public static final MessageType<Migrate, MigrationReply> MIGRATE =
            new MessageType<>(0x60, "migrate", Migrate.class, MigrationReply.class);
    public static final MessageType<CommitMigration, MigrationReply> COMMIT_MIGRATION =
            new MessageType<>(0x61, "commit-migration", CommitMigration.class, MigrationReply.class);
    public static final MessageType<AbortMigration, MigrationReply> ABORT_MIGRATION =
            new MessageType<>(0x62, "abort-migration", AbortMigration.class, MigrationReply.class);
    public static final MessageType<AskMigration, MigrationReply> ASK_MIGRATION =
            new MessageType<>(0x63, "ask-migration", AskMigration.class, MigrationReply.class);
    public static final MessageType<RunMigration, RunMigrationReply> RUN_MIGRATION =
            new MessageType<>(0x64, "run-migration", RunMigration.class, RunMigrationReply.class);

    /** Carries chunks; {@link MigrationData} draws it. */
    public static final int MIGRATION_DATA = 0x65;

    public static final MessageType<EndMigration, Empty> END_MIGRATION =
            new MessageType<>(0x66, "end-migration", EndMigration.class, Empty.class);
    public static final MessageType<AskPeer, PeerInfo> ASK_PEER =
            new MessageType<>(0x67, "ask-peer", AskPeer.class, PeerInfo.class);
    public static final MessageType<Survey, SurveyReply> SURVEY =
            new MessageType<>(0x68, "survey", Survey.class, SurveyReply.class);
    public static final MessageType<StartPlan, PlanReply> START_PLAN =
            new MessageType<>(0x69, "start-plan", StartPlan.class, PlanReply.class);
    public static final MessageType<Empty, StatusText> LIST_PLANS =
            new MessageType<>(0x6a, "list-plans", Empty.class, StatusText.class);
    public static final MessageType<AbortPlan, Empty> ABORT_PLAN =
            new MessageType<>(0x6b, "abort-plan", AbortPlan.class, Empty.class);
    public static final MessageType<AwayRanges, RangeList> AWAY_RANGES =
            new MessageType<>(0x6c, "away-ranges", AwayRanges.class, RangeList.class);
    public static final MessageType<DrainPeer, Empty> DRAIN_PEER =
            new MessageType<>(0x6d, "drain-peer", DrainPeer.class, Empty.class);
    public static final MessageType<ReportLoad, Empty> REPORT_LOAD =
            new MessageType<>(0x6e, "report-load", ReportLoad.class, Empty.class);
    public static final MessageType<Empty, StatusText> LIST_WORK =
            new MessageType<>(0x6f, "list-work", Empty.class, StatusText.class);

    // Copies of zones, from one storage peer to another and from super-peers to storage peers.

    /** Carries changes; {@link Replicate} draws it. */
    public static final int REPLICATE = 0x80;

    public static final MessageType<OpenCopies, CopyStates> OPEN_COPIES =
            new MessageType<>(0x81, "open-copies", OpenCopies.class, CopyStates.class);
    public static final MessageType<SealZones, SealedCopies> SEAL_ZONES =
            new MessageType<>(0x82, "seal-zones", SealZones.class, SealedCopies.class);

    /** Carries what a new copy is filled with; {@link FillData} draws it. */
    public static final int FILL_DATA = 0x84;

    /** Carries requests for keys to the owner of their slot group (docs/formats/protocol.md). */
    public static final int GROUP_CALL = 0xb8;

    /** Carries requests for keys of several slot groups to their owner; {@link GroupCalls} draws it. */
    public static final int GROUP_CALLS = 0xb9;

    public static final MessageType<CopyFilled, CopyState> COPY_FILLED =
            new MessageType<>(0x85, "copy-filled", CopyFilled.class, CopyState.class);
    public static final MessageType<DropCopies, Empty> DROP_COPIES =
            new MessageType<>(0x86, "drop-copies", DropCopies.class, Empty.class);
    public static final MessageType<FetchCopy, FetchedCopy> FETCH_COPY =
            new MessageType<>(0x87, "fetch-copy", FetchCopy.class, FetchedCopy.class);

    // Zones: from owners to the arc of the zone's creator, and from super-peers to storage peers.

    public static final MessageType<OpenZone, ZonePlacement> OPEN_ZONE =
            new MessageType<>(0x90, "open-zone", OpenZone.class, ZonePlacement.class);
    public static final MessageType<ChangeCopies, ZonePlacement> CHANGE_COPIES =
            new MessageType<>(0x91, "change-copies", ChangeCopies.class, ZonePlacement.class);
    public static final MessageType<RunRecovery, RunRecoveryReply> RUN_RECOVERY =
            new MessageType<>(0x92, "run-recovery", RunRecovery.class, RunRecoveryReply.class);
    public static final MessageType<Recovered, ZonePlacement> RECOVERED =
            new MessageType<>(0x93, "recovered", Recovered.class, ZonePlacement.class);
    public static final MessageType<FillCopy, Empty> FILL_COPY =
            new MessageType<>(0x94, "fill-copy", FillCopy.class, Empty.class);
    public static final MessageType<ListZones, ZoneList> LIST_ZONES =
            new MessageType<>(0x95, "list-zones", ListZones.class, ZoneList.class);
    public static final MessageType<ListCopies, CopyList> LIST_COPIES =
            new MessageType<>(0x96, "list-copies", ListCopies.class, CopyList.class);
    public static final MessageType<ZoneRanges, RangeList> ZONE_RANGES =
            new MessageType<>(0x97, "zone-ranges", ZoneRanges.class, RangeList.class);
    public static final MessageType<RecoverZone, ZonePlacement> RECOVER_ZONE =
            new MessageType<>(0x98, "recover-zone", RecoverZone.class, ZonePlacement.class);
    public static final MessageType<Empty, ZoneStatus> ZONE_STATUS =
            new MessageType<>(0x99, "zone-status", Empty.class, ZoneStatus.class);
    public static final MessageType<ParkPeer, Empty> PARK_PEER =
            new MessageType<>(0x9a, "park-peer", ParkPeer.class, Empty.class);
    public static final MessageType<UnparkPeer, Empty> UNPARK_PEER =
            new MessageType<>(0x9b, "unpark-peer", UnparkPeer.class, Empty.class);
    public static final MessageType<Hibernate, HibernateReply> HIBERNATE =
            new MessageType<>(0x9c, "hibernate", Hibernate.class, HibernateReply.class);
    public static final MessageType<ReportHoldings, Holdings> REPORT_HOLDINGS =
            new MessageType<>(0x9d, "report-holdings", ReportHoldings.class, Holdings.class);
    public static final MessageType<RebuildRing, RebuildProgress> REBUILD_RING =
            new MessageType<>(0x9e, "rebuild-ring", RebuildRing.class, RebuildProgress.class);
    public static final MessageType<ReportLostCopies, Empty> REPORT_LOST_COPIES =
            new MessageType<>(0x9f, "report-lost-copies", ReportLostCopies.class, Empty.class);

    // Copies of names, from super-peers to storage peers and back.

    public static final MessageType<SaveNames, NamesSaved> SAVE_NAMES =
            new MessageType<>(0xa8, "save-names", SaveNames.class, NamesSaved.class);
    public static final MessageType<Empty, NameCopyList> LIST_NAME_COPIES =
            new MessageType<>(0xa9, "list-name-copies", Empty.class, NameCopyList.class);
    public static final MessageType<FetchNames, NameList> FETCH_NAMES =
            new MessageType<>(0xaa, "fetch-names", FetchNames.class, NameList.class);

    // Backups: reading all that there is, and laying it down in a new cluster.

    public static final MessageType<ListCreators, CreatorList> LIST_CREATORS =
            new MessageType<>(0xa0, "list-creators", ListCreators.class, CreatorList.class);
    public static final MessageType<CreatorRanges, RangeList> CREATOR_RANGES =
            new MessageType<>(0xa1, "creator-ranges", CreatorRanges.class, RangeList.class);
    public static final MessageType<RestoreCreator, Empty> RESTORE_CREATOR =
            new MessageType<>(0xa2, "restore-creator", RestoreCreator.class, Empty.class);
    public static final MessageType<BeginRestore, MigrationReply> BEGIN_RESTORE =
            new MessageType<>(0xa3, "begin-restore", BeginRestore.class, MigrationReply.class);
    public static final MessageType<EndRestore, Empty> END_RESTORE =
            new MessageType<>(0xa4, "end-restore", EndRestore.class, Empty.class);
    public static final MessageType<RestorePeer, Empty> RESTORE_PEER =
            new MessageType<>(0xa5, "restore-peer", RestorePeer.class, Empty.class);

    // Slot groups: from owners, and who looks for owners, to the arc of the group.

    public static final MessageType<OpenSlotGroup, SlotGroupPlace> OPEN_SLOT_GROUP =
            new MessageType<>(0xb0, "open-slot-group", OpenSlotGroup.class, SlotGroupPlace.class);
    public static final MessageType<ExtendSlotGroup, SlotGroupLimit> EXTEND_SLOT_GROUP =
            new MessageType<>(0xb1, "extend-slot-group", ExtendSlotGroup.class, SlotGroupLimit.class);
    public static final MessageType<Empty, SlotGroupList> LIST_SLOT_GROUPS =
            new MessageType<>(0xb2, "list-slot-groups", Empty.class, SlotGroupList.class);
    public static final MessageType<AskHotKeys, HotKeyList> HOT_KEYS =
            new MessageType<>(0xb3, "hot-keys", AskHotKeys.class, HotKeyList.class);

    /** All control messages, by ascending code. */
    public static final List<MessageType<?, ?>> CONTROL = List.of(
            HELLO,
            PROVE,
            LOGIN,
            GET_RING,
            JOIN_RING,
            ASSIGN_NID,
            OPEN_LEASE,
            RENEW_LEASE,
            RESERVE_LIDS,
            CLOSE_LEASE,
            LOOKUP,
            LIST_PEERS,
            CLUSTER_STATUS,
            AWAIT_OWNER,
            CHANGE_NAME,
            GET_NAME,
            LIST_NAMES,
            ACQUIRE_LOCK,
            RENEW_LOCK,
            RELEASE_LOCK,
            SHOW_LOCK,
            FIND_CREATED,
            RAFT,
            ANNOUNCE,
            MIGRATE,
            COMMIT_MIGRATION,
            ABORT_MIGRATION,
            ASK_MIGRATION,
            RUN_MIGRATION,
            END_MIGRATION,
            ASK_PEER,
            SURVEY,
            START_PLAN,
            LIST_PLANS,
            ABORT_PLAN,
            AWAY_RANGES,
            DRAIN_PEER,
            ARC_PART,
            SWITCH_RING,
            RING_VIEW,
            RESIZE_RING,
            REPORT_LOAD,
            LIST_WORK,
            OPEN_COPIES,
            SEAL_ZONES,
            COPY_FILLED,
            DROP_COPIES,
            FETCH_COPY,
            OPEN_ZONE,
            CHANGE_COPIES,
            RUN_RECOVERY,
            RECOVERED,
            FILL_COPY,
            LIST_ZONES,
            LIST_COPIES,
            ZONE_RANGES,
            RECOVER_ZONE,
            PARK_PEER,
            UNPARK_PEER,
            HIBERNATE,
            ZONE_STATUS,
            REPORT_HOLDINGS,
            REBUILD_RING,
            REPORT_LOST_COPIES,
            LIST_CREATORS,
            CREATOR_RANGES,
            RESTORE_CREATOR,
            BEGIN_RESTORE,
            END_RESTORE,
            RESTORE_PEER,
            SAVE_NAMES,
            LIST_NAME_COPIES,
            FETCH_NAMES,
            OPEN_SLOT_GROUP,
            EXTEND_SLOT_GROUP,
            LIST_SLOT_GROUPS,
            HOT_KEYS);

    /**
     * Reads a request. Bytes after those that this version knows are left: they are fields of a later version.
     *
     * @throws FrameException when the payload is not such a request
     */
    public Q readRequest(ByteBuf payload) {
        return read(request, "request", payload);
    }

    /**
     * Reads a reply. Bytes after those that this version knows are left: they are fields of a later version.
     *
     * @throws FrameException when the payload is not such a reply
     */
    public R readReply(ByteBuf payload) {
        return read(reply, "reply", payload);
    }

    private <M extends Message> M read(Class<M> type, String what, ByteBuf payload) {
        try {
            return type.cast(RecordBytes.read(type.asSubclass(Record.class), payload));
        } catch (IndexOutOfBoundsException e) {
            throw new FrameException("the " + what + " '" + name + "' ends too early", e);
        } catch (IllegalArgumentException e) {
            throw new FrameException("the " + what + " '" + name + "' is malformed: " + e.getMessage(), e);
        }
    }

    /** The name of a request type; its number when the type is unknown. */
    public static String nameOf(int code) {
        return switch (code) {
            case CREATE -> "create";
            case GET -> "get";
            case PUT -> "put";
            case DELETE -> "delete";
            case FENCE -> "fence";
            case MIGRATION_DATA -> "migration-data";
            case REPLICATE -> "replicate";
            case FILL_DATA -> "fill-data";
            case GROUP_CALL -> "group-call";
            case GROUP_CALLS -> "group-calls";
            default -> {
                for (MessageType<?, ?> type : CONTROL) {
                    if (type.code == code) {
                        yield type.name;
                    }
                }
                yield "type " + code;
            }
        };
    }
}
