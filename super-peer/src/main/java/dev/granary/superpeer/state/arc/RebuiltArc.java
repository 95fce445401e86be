package dev.granary.superpeer.state.arc;

import dev.granary.net.message.MigrationMessages.MigrationState;
import dev.granary.net.message.RecoveryMessages.Holdings;
import dev.granary.net.message.ReplicationMessages.CopyList;
import dev.granary.overlay.Arc;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.overlay.NodeRole;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.overlay.SlotGroup;
import dev.granary.overlay.tree.CidTree;
import dev.granary.superpeer.state.GivenNids;
import dev.granary.superpeer.state.MigrationRecord;
import dev.granary.superpeer.state.PeerRecord;
import dev.granary.superpeer.state.ZoneMember;
import dev.granary.superpeer.state.ZoneRecord;
import dev.granary.superpeer.state.name.KeptNames;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The state of an arc, rebuilt from the reports of storage peers after all replicas of the arc were lost (ADR 0127).
 * Pure; one thread at a time.
 *
 * <p>Invariants of the result: (1) every range and zone has one epoch, higher than all that were reported; (2) a peer
 * whose process lives goes on as the same incarnation, with its LIDs; any other peer of the arc is a closed
 * incarnation, and its next one begins at LIDs beyond all that it can have given; (3) of two peers that claim a chunk,
 * the one with the higher epoch owns it; nobody owns a chunk that a higher epoch gave to a peer that does not have it;
 * nobody owns a chunk that no peer claims and that an earlier incarnation of a living peer, or a peer that no report
 * mentions, has made; (4) a slot group has one range and one owner, and is lost when it has none; (5) if the owner of a
 * zone lives, the zone has only members whose copy is filled and whose process has run without a break; if not, it has
 * all members that its newest copy names.
 */
public final class RebuiltArc {

    /**
     * Stands for the disk of a storage peer that has not reported. The next disk that comes with its NID takes its
     * place.
     */
    static final UUID UNKNOWN_DISK = new UUID(0, 0);

    /**
     * How far a rebuild raises epochs. Former super-peers that come back after all must not reach such an epoch (SAFETY
     * rule "fencing").
     */
    public static final long EPOCH_LEAP = 1 << 20;

    /** If a peer does not report up to where it had LIDs, they go on at the next multiple of this. */
    private static final long LID_LEAP = 1L << 44;

    private static final long NUMBERS_PER_EPOCH = 1 << 16;
    private static final long TOKENS_PER_EPOCH = 1 << 24;
    private static final HostAddress NOWHERE = new HostAddress("unknown.invalid", 1);

    private final Arc part;
    private final Map<Integer, PeerReport> reports;
    private final Map<Integer, UUID> given;
    private final int wantedCopies;
    private final long epoch;
    private final Map<Integer, ZoneRecord> zones = new TreeMap<>();

    /** By creator, the highest number of its zones that any report has. */
    private final Map<Integer, Integer> numbers = new TreeMap<>();

    /** By creator, a LID beyond the highest one that any report has. */
    private final Map<Integer, Long> lids = new TreeMap<>();

    private RebuiltArc(Arc part, Map<Integer, UUID> given, Collection<PeerReport> reports, int wantedCopies) {
        this.part = part;
        this.given = given;
        this.reports = new TreeMap<>();
        reports.forEach(report -> this.reports.put(report.nid(), report));
        this.wantedCopies = wantedCopies;
        this.epoch = nextEpoch(reports);
    }

    /** Returns the epoch of everything that is rebuilt from these reports. */
    private static long nextEpoch(Collection<PeerReport> reports) {
        long highest =
                reports.stream().mapToLong(PeerReport::highestEpoch).max().orElse(0);
        long next = highest + EPOCH_LEAP;
        if (next >= Placement.MAX_EPOCH - EPOCH_LEAP) {
            throw new IllegalArgumentException("there are no epochs left behind " + highest);
        }
        return next;
    }

    /**
     * Rebuilds a part of the ring.
     *
     * @param part of the ring
     * @param given the NIDs that may ever have been given to storage peers, and their disks
     * @param reports of all storage peers that have answered, one each
     * @param names that storage peers have kept
     * @param wantedCopies how many members a zone should have
     * @param leaseNanos the length that no granted lease exceeds
     * @throws IllegalArgumentException when the reports leave no room for higher epochs
     */
    public static ArcState build(
            Arc part,
            Map<Integer, UUID> given,
            Collection<PeerReport> reports,
            KeptNames names,
            int wantedCopies,
            long leaseNanos) {
        RebuiltArc rebuilt = new RebuiltArc(part, given, reports, wantedCopies);
        ArcState state = rebuilt.build(leaseNanos);
        state.rebuilt(names.names(), rebuilt.nextNameVersion(names));
        return state;
    }

    /**
     * The storage peers that reports about a part depend on and that have not reported, and those of the part itself:
     * one of them that lives may have chunks of which nobody else knows.
     *
     * @param given the NIDs that may ever have been given to storage peers, and their disks
     */
    public static Set<Integer> missing(Arc part, Map<Integer, UUID> given, Collection<PeerReport> reports) {
        Set<Integer> found = new TreeSet<>(known(part, given));
        reports.forEach(report -> found.addAll(report.mentioned(part::contains)));
        reports.forEach(report -> found.remove(report.nid()));
        return found;
    }

    private static List<Integer> known(Arc part, Map<Integer, UUID> given) {
        return given.entrySet().stream()
                .filter(each -> part.contains(each.getKey()) && !GivenNids.isNobody(each.getValue()))
                .map(Map.Entry::getKey)
                .toList();
    }

    private ArcState build(long leaseNanos) {
        ArcState state = new ArcState();
        Set<Integer> creators = new TreeSet<>(known(part, given));
        for (PeerReport report : reports.values()) {
            report.mentioned(part::contains).stream().filter(part::contains).forEach(creators::add);
            if (part.contains(report.nid())) {
                creators.add(report.nid());
            }
            note(report);
        }
        creators.removeIf(nid -> Nid.role(nid) != NodeRole.STORAGE_PEER || SlotGroup.isGroup(nid));
        takeServedZones();
        Map<Integer, Long> holders = new TreeMap<>();
        List<PeerRecord> peers = new ArrayList<>();
        for (int nid : creators) {
            PeerRecord record = peer(nid);
            peers.add(record);
            holders.put(nid, record.closed() ? record.epoch() + 1 : record.epoch());
        }
        reports.values().stream()
                .filter(report -> report.head().isAlive())
                .forEach(report -> holders.put(report.nid(), report.head().epoch()));
        CidTree ranges = ranges(creators);
        addSlotGroups(ranges);
        state.rebuilt(peers, leaseNanos, lastToken());
        state.rebuilt(ranges, holders, zones.values(), numbers, migrations(ranges), epoch * NUMBERS_PER_EPOCH);
        return state;
    }

    /**
     * Every later token is greater: than those that were shown to storage peers, without which nobody uses a lock, as a
     * second rebuilding may find the same epochs as the first;
     * and than those that a peer was shown which does not report.
     */
    private long lastToken() {
        long shown = reports.values().stream()
                .mapToLong(report -> report.head().greatestToken())
                .max()
                .orElse(0);
        return Math.max(shown, epoch * TOKENS_PER_EPOCH);
    }

    /** Returns the next version of names: above those of all copies, also of copies that no report mentions. */
    private long nextNameVersion(KeptNames names) {
        return Math.max(names.greatestVersion() + 1, epoch * TOKENS_PER_EPOCH);
    }

    /** Notes which numbers and LIDs were given. */
    private void note(PeerReport report) {
        for (CidRange range : report.ranges()) {
            int creator = Cid.nid(range.startCid());
            noteZone(range.placement().zone());
            // Behind the reserved LIDs of a peer there is one range up to the last possible LID.
            boolean open = Cid.lid(range.endCidInclusive()) == Cid.MAX_LID;
            long end = Cid.lid(open ? range.startCid() : range.endCidInclusive()) + 1;
            lids.merge(creator, end, Math::max);
        }
        report.copies().forEach(copy -> noteZone(copy.zone()));
        report.head().moves().forEach(move -> noteZone(move.zone()));
        lids.merge(report.nid(), Math.max(Cid.MIN_LID, report.head().lidLimit()), Math::max);
    }

    private void noteZone(int zone) {
        if (zone != 0 && part.contains(BackupZone.creatorOf(zone))) {
            numbers.merge(BackupZone.creatorOf(zone), zone & BackupZone.MAX_NUMBER, Math::max);
        }
    }

    private PeerRecord peer(int nid) {
        PeerReport report = reports.get(nid);
        Holdings head = report == null ? null : report.head();
        if (head != null && head.isAlive()) {
            return new PeerRecord(
                    nid,
                    head.diskId(),
                    head.incarnation(),
                    0,
                    head.epoch(),
                    head.firstLid(),
                    head.lidLimit(),
                    false,
                    false,
                    0,
                    head.name(),
                    head.address(),
                    head.httpAddress(),
                    head.capacityBytes(),
                    head.machine(),
                    head.failureZone(),
                    head.redisAddress());
        }
        long highest = lids.getOrDefault(nid, Cid.MIN_LID);
        long firstLid = Math.min((highest / LID_LEAP + 1) * LID_LEAP, Cid.MAX_LID + 1);
        // No incarnation is called 1 by more than chance, and this one is closed.
        return new PeerRecord(
                nid,
                head == null ? diskOf(nid) : head.diskId(),
                1,
                0,
                epoch,
                firstLid,
                firstLid,
                true,
                false,
                0,
                head == null ? "" : head.name(),
                head == null ? NOWHERE : head.address(),
                head == null ? NOWHERE : head.httpAddress(),
                head == null ? 0 : head.capacityBytes(),
                head == null ? "" : head.machine(),
                head == null ? "" : head.failureZone(),
                head == null ? null : head.redisAddress());
    }

    private UUID diskOf(int nid) {
        UUID disk = given.get(nid);
        return disk == null || GivenNids.isNobody(disk) ? UNKNOWN_DISK : disk;
    }

    // Zones.

    /** Takes the zones that living peers own. Of two peers that claim a zone, the later owner has it. */
    private void takeServedZones() {
        Map<Integer, Placement> newest = new TreeMap<>();
        for (PeerReport report : reports.values()) {
            for (CidRange range : report.ranges()) {
                Placement placement = range.placement();
                boolean own = placement.zone() != 0
                        && placement.owner() == report.nid()
                        && part.contains(Cid.nid(range.startCid()));
                if (own) {
                    newest.merge(
                            placement.zone(), placement, (one, other) -> one.epoch() >= other.epoch() ? one : other);
                }
            }
        }
        newest.forEach((zone, placement) -> zones.put(zone, served(placement)));
    }

    private ZoneRecord served(Placement placement) {
        List<ZoneMember> members = new ArrayList<>();
        for (int i = 0; i < placement.backupCount(); i++) {
            PeerReport member = reports.get(placement.backup(i));
            CopyList.Held copy = member == null ? null : copyOf(member, placement.zone());
            if (member != null && member.head().isAlive() && copy != null && copy.filled() && copy.continuous()) {
                members.add(new ZoneMember(member.nid(), member.head().epoch()));
            }
        }
        ZoneMember owner = new ZoneMember(placement.owner(), epochOf(placement.owner()));
        return ZoneRecord.served(placement.zone(), epoch, owner, members, wantedCopies, false, false);
    }

    private static CopyList.@Nullable Held copyOf(PeerReport report, int zone) {
        for (CopyList.Held copy : report.copies()) {
            if (copy.zone() == zone) {
                return copy;
            }
        }
        return null;
    }

    // Ranges.

    /** A peer says that it, or another one, owns chunks. */
    private record Claim(CidRange range, int by) {

        private boolean isOwn() {
            return range.placement().owner() == by;
        }
    }

    /**
     * Returns the ranges. A claim that is painted later counts: claims are painted in the order of their epochs, and at
     * one epoch those of the owners themselves last. Chunks that earlier incarnations made and nobody claims are lost,
     * and so are those of storage peers that no report mentions.
     */
    private CidTree ranges(Set<Integer> creators) {
        CidTree tree = new CidTree();
        for (int nid : given.keySet()) {
            if (part.contains(nid) && !creators.contains(nid)) {
                tree.insert(Cid.firstOf(nid), Cid.lastOf(nid), lost());
            }
        }
        for (int nid : creators) {
            PeerReport report = reports.get(nid);
            tree.insert(Cid.firstOf(nid), Cid.lastOf(nid), lost());
            if (report != null && report.head().isAlive() && report.head().firstLid() <= Cid.MAX_LID) {
                long first = Cid.of(nid, report.head().firstLid());
                tree.migrate(first, Cid.lastOf(nid), Placement.unreplicated(nid, epoch));
            }
        }
        List<Claim> claims = new ArrayList<>();
        for (PeerReport report : reports.values()) {
            for (CidRange range : report.ranges()) {
                if (creators.contains(Cid.nid(range.startCid()))) {
                    claims.add(new Claim(range, report.nid()));
                }
            }
        }
        claims.sort(Comparator.comparingLong(
                        (Claim claim) -> claim.range().placement().epoch())
                .thenComparing(Claim::isOwn));
        for (Claim claim : claims) {
            tree.migrate(claim.range().startCid(), claim.range().endCidInclusive(), placementOf(claim));
        }
        return tree;
    }

    /**
     * Adds the range of each slot group of the part: as the claim with the highest epoch says, or lost. If any report
     * knows of some group, groups of which none knows may have been opened as well. Their epochs rise by being lost.
     */
    private void addSlotGroups(CidTree tree) {
        if (reports.values().stream().allMatch(report -> report.slotGroups().isEmpty())) {
            return;
        }
        Map<Integer, Claim> newest = new TreeMap<>();
        for (PeerReport report : reports.values()) {
            for (CidRange range : report.ranges()) {
                int nid = Cid.nid(range.startCid());
                if (SlotGroup.isGroup(nid) && part.contains(nid)) {
                    newest.merge(nid, new Claim(range, report.nid()), RebuiltArc::later);
                }
            }
        }
        for (int group = 0; group < SlotGroup.COUNT; group++) {
            int nid = SlotGroup.nid(group);
            if (part.contains(nid)) {
                Claim claim = newest.get(nid);
                tree.insert(
                        Cid.firstOf(nid),
                        claim == null
                                ? Cid.of(nid, SlotGroup.FIRST_LIDS)
                                : claim.range().endCidInclusive(),
                        claim == null ? lost() : placementOf(claim));
            }
        }
    }

    /** Returns the claim that counts: of two of the same owner at the same epoch the one that reaches further. */
    private static Claim later(Claim one, Claim other) {
        int order = Comparator.comparingLong(
                        (Claim claim) -> claim.range().placement().epoch())
                .thenComparing(Claim::isOwn)
                .thenComparing(claim -> claim.range().endCidInclusive(), Cid::compare)
                .compare(one, other);
        return order >= 0 ? one : other;
    }

    private Placement lost() {
        return new Placement(Nid.NONE, new int[0], epoch, 0, PlacementState.LOST);
    }

    private Placement placementOf(Claim claim) {
        CidRange range = claim.range();
        int owner = range.placement().owner();
        if (claim.isOwn()) {
            return placed(owner, range.placement().zone());
        }
        // Another peer says that this one is the owner: true only if this one is about to learn it.
        PeerReport report = reports.get(owner);
        if (report != null && report.head().isAlive()) {
            for (Holdings.Move move : report.head().moves()) {
                boolean covers = move.incoming()
                        && Cid.compare(move.startCid(), range.startCid()) <= 0
                        && Cid.compare(range.endCidInclusive(), move.endCidInclusive()) <= 0;
                if (covers) {
                    return placed(owner, move.zone());
                }
            }
        }
        return lost();
    }

    private Placement placed(int owner, int zone) {
        ZoneRecord record = zones.get(zone);
        return record != null && record.placement().owner() == owner
                ? record.placement()
                : Placement.unreplicated(owner, epoch);
    }

    // Migrations.

    /**
     * Those that have not ended for both sides: committed if the target has the chunks, or the source has let them go.
     */
    private List<MigrationRecord> migrations(CidTree ranges) {
        Map<String, MigrationRecord> found = new TreeMap<>();
        for (PeerReport report : reports.values()) {
            for (Holdings.Move move : report.head().moves()) {
                if (part.contains(move.creatorNid())) {
                    found.put(move.creatorNid() + "/" + move.number(), record(report.nid(), move, ranges));
                }
            }
        }
        return List.copyOf(found.values());
    }

    private MigrationRecord record(int nid, Holdings.Move move, CidTree ranges) {
        int source = move.incoming() ? move.otherNid() : nid;
        int target = move.incoming() ? nid : move.otherNid();
        Placement placement = ranges.placementOf(move.startCid());
        boolean committed = placement != null && placement.owner() == target;
        return new MigrationRecord(
                move.creatorNid(),
                move.number(),
                move.startCid(),
                move.endCidInclusive(),
                source,
                epochOf(source),
                target,
                epochOf(target),
                committed ? MigrationState.COMMITTED : MigrationState.ABORTED,
                committed ? epoch : 0,
                committed ? "" : "what its super-peers knew of it was lost");
    }

    private long epochOf(int nid) {
        PeerReport report = reports.get(nid);
        return report == null ? 0 : report.head().epoch();
    }
}
