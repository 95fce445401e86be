package dev.granary.net.message;

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
import dev.granary.net.message.LeaseMessages.PeerStatistics;
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
import dev.granary.net.message.MigrationMessages.MigrationReply;
import dev.granary.net.message.MigrationMessages.MigrationState;
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
import dev.granary.net.message.NameMessages.NameCondition;
import dev.granary.net.message.NameMessages.NameCopyList;
import dev.granary.net.message.NameMessages.NameEntry;
import dev.granary.net.message.NameMessages.NameList;
import dev.granary.net.message.NameMessages.NamesSaved;
import dev.granary.net.message.NameMessages.SaveNames;
import dev.granary.net.message.PlanMessages.AbortPlan;
import dev.granary.net.message.PlanMessages.PlanKind;
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
import dev.granary.net.message.ReplicationMessages.CopyResult;
import dev.granary.net.message.ReplicationMessages.CopyState;
import dev.granary.net.message.ReplicationMessages.CopyStates;
import dev.granary.net.message.ReplicationMessages.DropCopies;
import dev.granary.net.message.ReplicationMessages.FetchCopy;
import dev.granary.net.message.ReplicationMessages.FetchedCopy;
import dev.granary.net.message.ReplicationMessages.FillCopy;
import dev.granary.net.message.ReplicationMessages.ListCopies;
import dev.granary.net.message.ReplicationMessages.OpenCopies;
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
import dev.granary.net.message.ZoneMessages.LostCopy;
import dev.granary.net.message.ZoneMessages.OpenZone;
import dev.granary.net.message.ZoneMessages.ReportLostCopies;
import dev.granary.net.message.ZoneMessages.ZoneEpoch;
import dev.granary.net.message.ZoneMessages.ZoneList;
import dev.granary.net.message.ZoneMessages.ZonePlacement;
import dev.granary.net.message.ZoneMessages.ZoneRanges;
import dev.granary.net.message.ZoneMessages.ZoneStatus;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import io.netty.buffer.ByteBuf;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;

/** One instance of every message, with every field different from zero and from its neighbours. */
final class Samples {

    /** A message and how it is read. */
    record Sample(Message message, Function<ByteBuf, ? extends Message> reader) {}

    private static final UUID CLUSTER = new UUID(0x0102030405060708L, 0x090a0b0c0d0e0f10L);
    private static final UUID DISK = new UUID(0x1112131415161718L, 0x191a1b1c1d1e1f20L);
    private static final long INCARNATION = 0x2122232425262728L;
    private static final Blob NONCE = new Blob(new byte[] {
        0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x4b, 0x4c, 0x4d, 0x4e, 0x4f,
        0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5a, 0x5b, 0x5c, 0x5d, 0x5e, 0x5f
    });
    private static final long CID = Cid.of(0x4000, 0x0a0b0c0d0e0fL);
    private static final HostAddress ADDRESS = new HostAddress("node-1", 7500);
    private static final HostAddress HTTP = new HostAddress("::1", 7501);
    private static final PeerStatistics STATISTICS = new PeerStatistics(1, 2, 3, 5, 8, 13, 21);

    private Samples() {}

    /** All messages by the name of their line in the file of golden bytes. */
    static Map<String, Sample> all() {
        Map<String, Sample> samples = new LinkedHashMap<>();
        requests(samples);
        replies(samples);
        ErrorReply error = new ErrorReply(ErrorCode.REDIRECT, 1_000, 7, ADDRESS, "ask node-1");
        samples.put("error", new Sample(error, ErrorReply::read));
        samples.put(
                "error-without-redirect", new Sample(ErrorReply.of(ErrorCode.NO_LEASE, "no lease"), ErrorReply::read));
        return samples;
    }

    private static void requests(Map<String, Sample> samples) {
        request(
                samples,
                MessageType.HELLO,
                new Hello(1, 2, CLUSTER, NodeRole.STORAGE_PEER, 0x8000, INCARNATION, 1, NONCE));
        request(samples, MessageType.PROVE, new Prove(NONCE));
        request(samples, MessageType.LOGIN, new Login("app", "pass wörd"));
        request(samples, MessageType.GET_RING, new Empty());
        request(samples, MessageType.JOIN_RING, new JoinRing(DISK, INCARNATION, "super-0", ADDRESS, HTTP));
        request(samples, MessageType.ASSIGN_NID, new AssignNid(DISK, INCARNATION, "störage-0"));
        request(
                samples,
                MessageType.OPEN_LEASE,
                new OpenLease(
                        0x8000,
                        DISK,
                        INCARNATION,
                        "storage-0",
                        ADDRESS,
                        HTTP,
                        1L << 30,
                        "rack-1/7",
                        "zone-a",
                        17,
                        new HostAddress("r", 153)));
        request(samples, MessageType.RENEW_LEASE, new RenewLease(0x4000, INCARNATION, 9, STATISTICS));
        request(samples, MessageType.RESERVE_LIDS, new ReserveLids(0xC000, INCARNATION, 1L << 39, 1L << 40));
        request(samples, MessageType.CLOSE_LEASE, new CloseLease(0x2000, INCARNATION));
        request(samples, MessageType.PARK_PEER, new ParkPeer(0x2000, INCARNATION, 18));
        request(samples, MessageType.UNPARK_PEER, new UnparkPeer(0x2000));
        request(samples, MessageType.HIBERNATE, new Hibernate(Hibernate.Step.PARK));
        request(samples, MessageType.LOOKUP, new Lookup(Cid.of(0x8000, 1)));
        request(samples, MessageType.AWAIT_OWNER, new AwaitOwner(Cid.of(0x8000, 1), 7, 200_000_000));
        request(samples, MessageType.LIST_PEERS, new Empty());
        request(samples, MessageType.CLUSTER_STATUS, new Empty());
        migrationRequests(samples);
        copyRequests(samples);
        zoneRequests(samples);
        restoreRequests(samples);
        nameCopies(samples);
        slotGroups(samples);
        ChangeName change = new ChangeName(21, 22, 20, true, "küche/1", CID, NameCondition.IF_EXPECTED, CID + 1);
        request(samples, MessageType.CHANGE_NAME, change);
        request(samples, MessageType.GET_NAME, new GetName("küche/1"));
        request(samples, MessageType.LIST_NAMES, new ListNames(0x8001, 0x0001, "kü", "küche", 100));
        request(samples, MessageType.ACQUIRE_LOCK, new AcquireLock(CID, 23, 24, 25));
        request(samples, MessageType.RENEW_LOCK, new RenewLock(CID, 26));
        request(samples, MessageType.RELEASE_LOCK, new ReleaseLock(CID, 27));
        request(samples, MessageType.SHOW_LOCK, new ShowLock(CID));
        request(samples, MessageType.FIND_CREATED, new FindCreated(146, 147, List.of(CID, CID + 1)));
        request(samples, MessageType.RAFT, new RaftMessage(0x18001, 0x24001, new Blob(new byte[] {4, 5})));
        request(samples, MessageType.ANNOUNCE, new Announce(0x8001, ADDRESS));
        request(samples, MessageType.ARC_PART, new ArcPart(0x8001, 6, 7, 8));
        request(samples, MessageType.SWITCH_RING, new SwitchRing(9));
        request(samples, MessageType.RING_VIEW, new RingViewMessage(new Blob(new byte[] {6, 7})));
        request(samples, MessageType.RESIZE_RING, new ResizeRing(5));
    }

    private static void migrationRequests(Map<String, Sample> samples) {
        long first = Cid.of(0x8000, 21);
        long last = Cid.of(0x8000, 22);
        request(samples, MessageType.MIGRATE, new Migrate(first, last, 0x4000));
        request(samples, MessageType.COMMIT_MIGRATION, new CommitMigration(0x8000, 23, 0xC000, 24));
        request(samples, MessageType.ABORT_MIGRATION, new AbortMigration(0x8000, 25, "not wanted"));
        request(samples, MessageType.ASK_MIGRATION, new AskMigration(0x8000, 26));
        request(samples, MessageType.RUN_MIGRATION, new RunMigration(0x8000, 27, first, last, 28, 0x4000, 29, ADDRESS));
        request(samples, MessageType.END_MIGRATION, new EndMigration(0x8000, 30, true, 31));
        request(samples, MessageType.ASK_PEER, new AskPeer(0xC000));
        request(samples, MessageType.SURVEY, new Survey(first, last, 32));
        request(samples, MessageType.START_PLAN, new StartPlan(PlanKind.SPREAD, 0x2000, first, last));
        request(samples, MessageType.LIST_PLANS, new Empty());
        request(samples, MessageType.LIST_WORK, new Empty());
        request(samples, MessageType.ABORT_PLAN, new AbortPlan(0x2000, 33));
        request(samples, MessageType.AWAY_RANGES, new AwayRanges(0x8000, first));
        request(samples, MessageType.DRAIN_PEER, new DrainPeer(34, true));
        request(
                samples,
                MessageType.REPORT_LOAD,
                new ReportLoad(
                        0x8000,
                        52,
                        List.of(new ReportLoad.HotChunk(first, 53)),
                        List.of(new ReportLoad.HotRange(169, first, last, 168))));
    }

    private static void migrationReplies(Map<String, Sample> samples, CidRange range, PeerInfo peer) {
        MigrationReply migration = new MigrationReply(0x8000, 35, MigrationState.COMMITTED, 36, "ä");
        reply(samples, MessageType.MIGRATE, migration);
        reply(samples, MessageType.COMMIT_MIGRATION, migration);
        reply(samples, MessageType.ABORT_MIGRATION, new MigrationReply(0x8000, 37, MigrationState.ABORTED, 38, "no"));
        reply(samples, MessageType.ASK_MIGRATION, new MigrationReply(0x8000, 39, MigrationState.RUNNING, 40, ""));
        reply(samples, MessageType.RUN_MIGRATION, new RunMigrationReply(true, 41, 42, "full"));
        reply(samples, MessageType.END_MIGRATION, new Empty());
        reply(samples, MessageType.ASK_PEER, peer);
        reply(
                samples,
                MessageType.SURVEY,
                new SurveyReply(43, List.of(new SurveyReply.Piece(Cid.of(0x8000, 44), Cid.of(0x8000, 45), 46, 47))));
        reply(samples, MessageType.START_PLAN, new PlanReply(0x8000, 48, 49, 50));
        reply(samples, MessageType.LIST_PLANS, new StatusText("{}"));
        reply(samples, MessageType.LIST_WORK, new StatusText("[]"));
        reply(samples, MessageType.ABORT_PLAN, new Empty());
        reply(samples, MessageType.AWAY_RANGES, new RangeList(51, List.of(range)));
        reply(samples, MessageType.DRAIN_PEER, new Empty());
        reply(samples, MessageType.REPORT_LOAD, new Empty());
    }

    private static void copyRequests(Map<String, Sample> samples) {
        OpenCopies.Opening copy = new OpenCopies.Opening(0x10000001, 54, List.of(0x8000, 0xC000), 55, true);
        request(samples, MessageType.OPEN_COPIES, new OpenCopies(CLUSTER, 0x4000, List.of(copy)));
        List<ZoneEpoch> zones = List.of(new ZoneEpoch(0x10000002, 56), new ZoneEpoch(0x10000003, 57));
        request(samples, MessageType.SEAL_ZONES, new SealZones(CLUSTER, zones));
        request(samples, MessageType.COPY_FILLED, new CopyFilled(CLUSTER, 0x4000, 0x10000004, 58, 59, 60));
        request(samples, MessageType.DROP_COPIES, new DropCopies(CLUSTER, zones));
        request(samples, MessageType.FETCH_COPY, new FetchCopy(CLUSTER, 0x10000005, 60, 61, 62));
    }

    private static void copyReplies(Map<String, Sample> samples) {
        CopyState state = new CopyState(0x10000001, CopyResult.GAP, 63, 64);
        reply(samples, MessageType.OPEN_COPIES, new CopyStates(List.of(state)));
        SealedCopies.Copy copy = new SealedCopies.Copy(0x10000002, true, 65, 66, 67, true, true, 68, 176);
        reply(samples, MessageType.SEAL_ZONES, new SealedCopies(List.of(copy)));
        reply(samples, MessageType.COPY_FILLED, state);
        reply(samples, MessageType.DROP_COPIES, new Empty());
        reply(samples, MessageType.FETCH_COPY, new FetchedCopy(68, true, new Blob(new byte[] {10, 11})));
    }

    private static void zoneRequests(Map<String, Sample> samples) {
        request(samples, MessageType.OPEN_ZONE, new OpenZone(0x8000, 0x4000, 71));
        request(
                samples,
                MessageType.CHANGE_COPIES,
                new ChangeCopies(72, 0x4000, 73, 74, List.of(0xC000), List.of(0x2000, 0x6000), "full"));
        RunRecovery.Member member = new RunRecovery.Member(0x4000, ADDRESS);
        RunRecovery.Span span = new RunRecovery.Span(Cid.of(0x8000, 75), Cid.of(0x8000, 76));
        RunRecovery.Task zone =
                new RunRecovery.Task(77, 78, 79, List.of(member), List.of(span), Cid.of(0x8000, 80), true);
        request(samples, MessageType.RUN_RECOVERY, new RunRecovery(81, List.of(zone)));
        request(samples, MessageType.RECOVERED, new Recovered(82, 83, 0x4000, 84, 85, 86, true));
        request(samples, MessageType.FILL_COPY, new FillCopy(87, 88, 89, 0xC000, ADDRESS));
        request(samples, MessageType.LIST_ZONES, new ListZones(0x8000, 0x4000, 90));
        request(
                samples,
                MessageType.REPORT_LOST_COPIES,
                new ReportLostCopies(0x8000, 0x4000, 177, List.of(new LostCopy(178, 179, 0xC000))));
        request(samples, MessageType.LIST_COPIES, new ListCopies(91, 92));
        request(samples, MessageType.ZONE_RANGES, new ZoneRanges(93, CID));
        request(samples, MessageType.RECOVER_ZONE, new RecoverZone(94));
        request(samples, MessageType.ZONE_STATUS, new Empty());
        request(samples, MessageType.REPORT_HOLDINGS, new ReportHoldings(new HostAddress("s", 95), CID));
        request(samples, MessageType.REBUILD_RING, new RebuildRing(List.of(new HostAddress("p", 96)), true));
    }

    private static void holdings(Map<String, Sample> samples, CidRange range) {
        HostAddress address = new HostAddress("p", 120);
        Holdings.Move move = new Holdings.Move(0x8000, 121, true, 0x4000, CID, CID, 122);
        Holdings holdings = new Holdings(
                new UUID(123, 124),
                0x8000,
                new UUID(125, 126),
                127,
                128,
                129,
                130,
                137,
                131,
                132,
                133,
                List.of(0x0001, 0x8001),
                List.of(address),
                "né",
                address,
                address,
                134,
                "m",
                "z",
                List.of(move),
                135,
                List.of(range),
                new HostAddress("r", 154));
        reply(samples, MessageType.REPORT_HOLDINGS, holdings);
        reply(samples, MessageType.REBUILD_RING, new RebuildProgress(false, "waits", 136, List.of(0xC000)));
    }

    private static void zoneReplies(Map<String, Sample> samples, CidRange range) {
        ZonePlacement placement = new ZonePlacement(range.placement());
        reply(samples, MessageType.OPEN_ZONE, placement);
        reply(samples, MessageType.CHANGE_COPIES, placement);
        RunRecoveryReply.Progress zone =
                new RunRecoveryReply.Progress(95, 96, RunRecoveryReply.State.NO_ROOM, 97, 98, "no room");
        reply(samples, MessageType.RUN_RECOVERY, new RunRecoveryReply(List.of(zone)));
        reply(samples, MessageType.RECOVERED, placement);
        reply(samples, MessageType.FILL_COPY, new Empty());
        reply(samples, MessageType.REPORT_LOST_COPIES, new Empty());
        reply(samples, MessageType.LIST_ZONES, new ZoneList(3, 99, List.of(range.placement())));
        CopyList.Held copy = new CopyList.Held(100, 101, 102, List.of(0x4000, 0xC000), 103, true, false, 104);
        reply(samples, MessageType.LIST_COPIES, new CopyList(105, 106, List.of(copy)));
        reply(samples, MessageType.ZONE_RANGES, new RangeList(107, List.of(range)));
        reply(samples, MessageType.RECOVER_ZONE, placement);
        holdings(samples, range);
        ZoneStatus.Recovery recovery =
                new ZoneStatus.Recovery(108, 109, 0x4000, List.of(0xC000), 110, 111, 112, "waits");
        reply(
                samples,
                MessageType.ZONE_STATUS,
                new ZoneStatus(
                        113,
                        114,
                        115,
                        116,
                        117,
                        List.of(recovery),
                        List.of(new ZoneStatus.Holding(0x8000, 118, 119, 120)),
                        List.of(new ZoneStatus.OwnedRange(0x4000, new ReportLoad.HotRange(170, 171, 172, 173)))));
    }

    private static void nameCopies(Map<String, Sample> samples) {
        List<NameEntry> changes = List.of(new NameEntry("né", CID), new NameEntry("n", Cid.NONE));
        request(
                samples,
                MessageType.SAVE_NAMES,
                new SaveNames(CLUSTER, 0x0001, 0x8001, 0x0001, 145, SaveNames.Step.FILL, 146, 147, changes));
        reply(samples, MessageType.SAVE_NAMES, new NamesSaved(true, 148));
        request(samples, MessageType.LIST_NAME_COPIES, new Empty());
        NameCopyList.Copy copy = new NameCopyList.Copy(0x0001, 0x8001, 0x0001, 149, 150);
        reply(samples, MessageType.LIST_NAME_COPIES, new NameCopyList(List.of(copy)));
        request(samples, MessageType.FETCH_NAMES, new FetchNames(0x0001, 151, "né", 152));
        reply(samples, MessageType.FETCH_NAMES, new NameList(List.of(new NameEntry("né", CID)), true));
    }

    private static void slotGroups(Map<String, Sample> samples) {
        Placement placement = new Placement(0x4000, new int[] {0x2000}, 156, 157, PlacementState.IN_SYNC);
        request(samples, MessageType.OPEN_SLOT_GROUP, new OpenSlotGroup(0xFFFE, 0x4000, 158));
        reply(
                samples,
                MessageType.OPEN_SLOT_GROUP,
                new SlotGroupPlace(placement, 159, true, 0x4000, new HostAddress("s", 160)));
        request(samples, MessageType.EXTEND_SLOT_GROUP, new ExtendSlotGroup(0x7FFE, 0x2000, 161, 162, 163));
        reply(samples, MessageType.EXTEND_SLOT_GROUP, new SlotGroupLimit(placement, 164));
        request(samples, MessageType.LIST_SLOT_GROUPS, new Empty());
        SlotGroupList.Group group = new SlotGroupList.Group(0xBFFE, 0x6000, 165, PlacementState.DEGRADED, 166, true);
        reply(samples, MessageType.LIST_SLOT_GROUPS, new SlotGroupList(List.of(group)));
        request(samples, MessageType.HOT_KEYS, new AskHotKeys(174));
        reply(samples, MessageType.HOT_KEYS, new HotKeyList(List.of(new HotKeyList.HotKey("k\u00e4y", 0xBFFE, 175))));
        samples.put(
                "slot-group-of-nobody",
                new Sample(new SlotGroupPlace(null, 0, false, 0, null), MessageType.OPEN_SLOT_GROUP::readReply));
    }

    private static void restoreRequests(Map<String, Sample> samples) {
        request(samples, MessageType.LIST_CREATORS, new ListCreators(0x8001, 0x0001));
        request(samples, MessageType.CREATOR_RANGES, new CreatorRanges(0x8000, CID));
        request(samples, MessageType.RESTORE_CREATOR, new RestoreCreator(0x4000, INCARNATION, 137, 143));
        request(samples, MessageType.BEGIN_RESTORE, new BeginRestore(CID, CID + 1, 0xC000));
        request(samples, MessageType.END_RESTORE, new EndRestore(0x2000));
        request(samples, MessageType.RESTORE_PEER, new RestorePeer(138, 144));
    }

    private static void restoreReplies(Map<String, Sample> samples, CidRange range) {
        reply(
                samples,
                MessageType.LIST_CREATORS,
                new CreatorList(List.of(new CreatorList.Creator(0x8000, 139, 140, 145))));
        reply(samples, MessageType.CREATOR_RANGES, new RangeList(141, List.of(range)));
        reply(samples, MessageType.RESTORE_CREATOR, new Empty());
        reply(samples, MessageType.BEGIN_RESTORE, new MigrationReply(0x8000, 142, MigrationState.RUNNING, 0, ""));
        reply(samples, MessageType.END_RESTORE, new Empty());
        reply(samples, MessageType.RESTORE_PEER, new Empty());
    }

    private static void replies(Map<String, Sample> samples) {
        RingMember first = new RingMember(0x0001, "super-0", ADDRESS, HTTP);
        RingMember second = new RingMember(0x8001, "super-1", HTTP, ADDRESS);
        Ring ring = new Ring(CLUSTER, 4, 3, true, List.of(first, second));
        Placement placement = new Placement(0x8000, new int[] {0x4000, 0xC000}, 6, 77, PlacementState.DEGRADED);
        CidRange range = new CidRange(Cid.firstOf(0x8000), Cid.lastOf(0x8000), placement);
        PeerInfo peer = new PeerInfo(
                0x8000,
                "storage-0",
                ADDRESS,
                HTTP,
                true,
                12,
                13,
                14,
                15,
                PeerInfo.Drain.RUNNING,
                16,
                STATISTICS,
                54,
                "m-1",
                "z-1",
                true,
                new HostAddress("r", 155));

        reply(samples, MessageType.HELLO, new HelloReply(1, CLUSTER, NodeRole.SUPER_PEER, 0x0001, INCARNATION, NONCE));
        reply(samples, MessageType.PROVE, new ProveReply(NONCE));
        reply(samples, MessageType.LOGIN, new Empty());
        reply(samples, MessageType.GET_RING, new RingReply(ring));
        reply(samples, MessageType.JOIN_RING, new JoinRingReply(0x0001, new Blob(new byte[] {1, 2, 3})));
        reply(samples, MessageType.ASSIGN_NID, new AssignNidReply(0x8000, ring));
        reply(samples, MessageType.OPEN_LEASE, new OpenLeaseReply(10, 11, 12, 13, 3, true, List.of(range)));
        reply(samples, MessageType.RENEW_LEASE, new RenewLeaseReply(14, 15, 16, 2, 17));
        reply(samples, MessageType.RESERVE_LIDS, new ReserveLidsReply(17, 3, List.of(range)));
        reply(samples, MessageType.CLOSE_LEASE, new Empty());
        reply(samples, MessageType.PARK_PEER, new Empty());
        reply(samples, MessageType.UNPARK_PEER, new Empty());
        reply(samples, MessageType.HIBERNATE, new HibernateReply(true, 19, 20, "the disk is full"));
        reply(samples, MessageType.LOOKUP, new LookupReply(range, ADDRESS, 18));
        reply(samples, MessageType.AWAIT_OWNER, new LookupReply(range, ADDRESS, 18));
        reply(
                samples,
                MessageType.LIST_PEERS,
                new PeerList(
                        19,
                        List.of(peer),
                        List.of(0x0001, 0x8001),
                        List.of(new PeerList.GroupVoters(0, List.of(0x0001)))));
        reply(samples, MessageType.CLUSTER_STATUS, new StatusText("{\"version\":\"ä\"}"));
        migrationReplies(samples, range, peer);
        copyReplies(samples);
        zoneReplies(samples, range);
        restoreReplies(samples, range);
        reply(samples, MessageType.CHANGE_NAME, new ChangeNameReply(true, CID));
        reply(samples, MessageType.GET_NAME, new GetNameReply(CID));
        reply(samples, MessageType.LIST_NAMES, new NameList(List.of(new NameEntry("küche/1", CID)), true));
        reply(samples, MessageType.ACQUIRE_LOCK, new AcquireLockReply(28, 29));
        reply(samples, MessageType.RENEW_LOCK, new RenewLockReply(30));
        reply(samples, MessageType.RELEASE_LOCK, new Empty());
        reply(samples, MessageType.SHOW_LOCK, new ShowLockReply(31, 32, 33));
        reply(samples, MessageType.FIND_CREATED, new CreatedChunks(true, List.of(CID + 2)));
        reply(samples, MessageType.RAFT, new Empty());
        reply(samples, MessageType.ANNOUNCE, new AnnounceReply(List.of(new Announce(0x0001, HTTP))));
        reply(samples, MessageType.ARC_PART, new ArcPartReply(10, 11, new Blob(new byte[] {8})));
        reply(samples, MessageType.SWITCH_RING, new RingViewMessage(new Blob(new byte[] {9})));
        reply(samples, MessageType.RING_VIEW, new Empty());
        reply(samples, MessageType.RESIZE_RING, new Empty());
    }

    private static <Q extends Message> void request(Map<String, Sample> samples, MessageType<Q, ?> type, Q message) {
        samples.put(type.name() + "-request", new Sample(message, type::readRequest));
    }

    private static <R extends Message> void reply(Map<String, Sample> samples, MessageType<?, R> type, R message) {
        samples.put(type.name() + "-reply", new Sample(message, type::readReply));
    }
}
