package dev.granary.superpeer.state.arc;

import dev.granary.net.message.MigrationMessages.MigrationState;
import dev.granary.net.message.RecordBytes;
import dev.granary.overlay.Arc;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.overlay.SlotGroup;
import dev.granary.overlay.tree.CidTree;
import dev.granary.superpeer.probe.SuperPeerProbe;
import dev.granary.superpeer.state.ArcCommand;
import dev.granary.superpeer.state.ArcPart;
import dev.granary.superpeer.state.ArcResult;
import dev.granary.superpeer.state.MigrationRecord;
import dev.granary.superpeer.state.NewZone;
import dev.granary.superpeer.state.ZoneMember;
import dev.granary.superpeer.state.ZoneRecord;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The owners of ranges of CIDs, the migrations and the rebalance plans. A range belongs to the NID of its creator,
 * whichever storage peer owns it now.
 *
 * <p>Invariants: (1) each CID of a peer that has ever existed is in exactly one range; (2) the epoch of a CID's
 * placement rises with each change of its owner or of the owner's incarnation, and never falls; (3) only the
 * incarnation of a NID in {@code holders} owns anything. The chunks of other creators that an earlier incarnation owned
 * are lost. Its own chunks are owned by the present incarnation, which knows that they are lost (ADR 0083, 0093).
 * Neither holds where a copy of the zone is left (ADR 0104).
 */
final class RangeState implements ArcPart {

    private static final int[] NO_BACKUPS = {};

    private CidTree ranges = new CidTree();
    private final MigrationTable migrations = new MigrationTable();
    private final PlanTable plans = new PlanTable();

    /**
     * By the NID of each storage peer that owns, owned or copies something: incarnations with a lower epoch have ended.
     */
    private final TreeMap<Integer, Long> holders = new TreeMap<>();

    private final ZoneState zones = new ZoneState(() -> ranges, holders, migrations);
    private @Nullable Counts counts;

    /**
     * How many ranges each storage peer owned at one moment. It is kept because many ask for it, and counting walks
     * over all ranges.
     */
    private record Counts(CidTree of, long changes, Map<Integer, Long> byOwner) {}

    @Override
    public int id() {
        return 2;
    }

    /** Begins with these. */
    void rebuilt(CidTree known, Map<Integer, Long> present, List<MigrationRecord> records, long lastNumber) {
        ranges = known;
        holders.putAll(present);
        migrations.rebuilt(records, lastNumber);
        plans.rebuilt(lastNumber);
    }

    /** Adds a new storage peer: all its CIDs are one range. */
    void peerAdded(int nid, long epoch) {
        holders.put(nid, epoch);
        ranges.insert(Cid.firstOf(nid), Cid.lastOf(nid), Placement.unreplicated(nid, epoch));
    }

    /**
     * Raises the incarnation epoch of a peer of this arc. The new incarnation owns the own chunks that it owned before,
     * which are lost, and takes back those that other owners have lost.
     */
    void epochRaised(int nid, long epoch) {
        fence(nid, epoch);
        zones.endOwners();
        for (CidRange range : of(nid)) {
            Placement placement = range.placement();
            if (placement.owner() == nid || placement.state() == PlacementState.LOST) {
                long raised = Math.max(epoch, placement.epoch() + 1);
                ranges.migrate(range.startCid(), range.endCidInclusive(), Placement.unreplicated(nid, raised));
            }
        }
        zones.dropEmpty(nid);
    }

    /** Makes zones for the reserved LIDs of a peer, from {@code firstLid} on. */
    void zonesAdded(int nid, long epoch, long firstLid, List<NewZone> added) {
        long lid = firstLid;
        for (NewZone each : added) {
            each.members().forEach(member -> fence(member.nid(), member.epoch()));
            if (zones.numbersLeft(nid) == 0 || lid + each.lids() - 1 > Cid.MAX_LID) {
                return;
            }
            long first = Cid.of(nid, lid);
            long last = Cid.of(nid, lid + each.lids() - 1);
            List<CidRange> before = within(first, last);
            long highest = before.stream()
                    .mapToLong(range -> range.placement().epoch())
                    .max()
                    .orElse(1);
            ZoneRecord zone =
                    zones.make(nid, highest, new ZoneMember(nid, epoch), each.members(), each.wanted(), false);
            for (CidRange range : before) {
                if (range.placement().owner() == nid) {
                    ranges.migrate(
                            Math.max(first, range.startCid()),
                            Math.min(last, range.endCidInclusive()),
                            zone.placement());
                }
            }
            lid += each.lids();
        }
    }

    /** Ends an incarnation of a peer. Zones with copies are to be recovered; everything else that it owned is lost. */
    void ownerEnded(int nid, long epoch) {
        fence(nid, epoch + 1);
    }

    /** Whether a creator owns all its chunks, or there is no such creator. */
    boolean isOwnedByCreator(int nid) {
        return of(nid).stream().allMatch(range -> range.placement().owner() == nid);
    }

    /**
     * Begins to restore the chunks of a creator below a LID. Until they come nobody owns them, and requests for them
     * have to wait.
     */
    void restoring(int nid, long lidLimit) {
        if (of(nid).isEmpty()) {
            ranges.insert(Cid.firstOf(nid), Cid.lastOf(nid), nobodys(1, PlacementState.LOST));
        }
        long highest = of(nid).stream()
                .mapToLong(range -> range.placement().epoch())
                .max()
                .orElse(1);
        if (lidLimit > Cid.MIN_LID) {
            ranges.migrate(
                    Cid.firstOf(nid), Cid.of(nid, lidLimit - 1), nobodys(highest + 1, PlacementState.RECOVERING));
        }
    }

    /** Ends a restore: chunks that have not come are lost. */
    void endRestore(int nid) {
        migrations.abort(
                each -> each.creatorNid() == nid && each.sourceNid() == Nid.NONE, "nothing more is to be restored");
        for (CidRange range : of(nid)) {
            if (isRestoring(range)) {
                ranges.migrate(range.startCid(), range.endCidInclusive(), lost(range));
            }
        }
    }

    /**
     * Whether a range waits for a restore. Ranges in recovery have a zone; ranges that wait for a restore have none.
     */
    private static boolean isRestoring(CidRange range) {
        return range.placement().state() == PlacementState.RECOVERING
                && range.placement().zone() == 0;
    }

    private static Placement nobodys(long epoch, PlacementState state) {
        return new Placement(Nid.NONE, NO_BACKUPS, epoch, 0, state);
    }

    long presentEpoch(int nid) {
        return holders.getOrDefault(nid, 0L);
    }

    ZoneState zones() {
        return zones;
    }

    /** Notes that a command names an incarnation as a present one: earlier ones have ended. */
    void named(ZoneMember member) {
        fence(member.nid(), member.epoch());
    }

    boolean isPresent(ZoneMember member) {
        return holders.getOrDefault(member.nid(), 0L) <= member.epoch();
    }

    /** Adds a range where there is none. */
    void insert(long startCid, long endCidInclusive, Placement placement) {
        ranges.insert(startCid, endCidInclusive, placement);
    }

    /** Gives a range another placement. */
    void place(CidRange range, Placement placement) {
        ranges.migrate(range.startCid(), range.endCidInclusive(), placement);
    }

    /**
     * Fences incarnations of a peer below an epoch: what they owned of other creators' chunks is lost, unless it has
     * copies.
     */
    private void fence(int nid, long epoch) {
        if (holders.getOrDefault(nid, 0L) >= epoch) {
            return;
        }
        holders.put(nid, epoch);
        SuperPeerProbe.OWNER_CHANGED_DURING_A_MIGRATION.hitIf(
                migrations.running().stream().anyMatch(each -> each.sourceNid() == nid || each.targetNid() == nid));
        for (CidRange range : all()) {
            Placement placement = range.placement();
            if (placement.owner() == nid && placement.zone() == 0 && Cid.nid(range.startCid()) != nid) {
                ranges.migrate(range.startCid(), range.endCidInclusive(), lost(range));
            }
        }
        zones.endOwners();
        migrations.abort(
                each -> (each.sourceNid() == nid && each.sourceEpoch() < epoch)
                        || (each.targetNid() == nid && each.targetEpoch() < epoch),
                "storage peer " + Nid.toHex(nid) + " has started anew");
    }

    /** Whether something is known of a creator's chunks. */
    boolean hasAnyOf(int creatorNid) {
        return !of(creatorNid).isEmpty();
    }

    /** Returns the ranges of a creator's chunks. */
    private List<CidRange> of(int creatorNid) {
        return within(Cid.firstOf(creatorNid), Cid.lastOf(creatorNid));
    }

    /** Returns the ranges that overlap a span, uncut. */
    List<CidRange> within(long startCid, long endCidInclusive) {
        List<CidRange> found = new ArrayList<>();
        ranges.forEachRange(
                startCid, endCidInclusive, (start, end, placement) -> found.add(new CidRange(start, end, placement)));
        return found;
    }

    /** Returns the ranges of a creator from a CID on that the creator does not own, at most {@code limit}. */
    List<CidRange> away(int creatorNid, long fromCid, int limit) {
        return within(fromCid, Cid.lastOf(creatorNid)).stream()
                .filter(range -> range.placement().owner() != creatorNid)
                .limit(limit)
                .toList();
    }

    /**
     * Returns the storage peers that own chunks of other creators, or take part in a running migration, with their
     * incarnation epochs as known here.
     */
    Map<Integer, Long> strangers() {
        Map<Integer, Long> found = new TreeMap<>();
        ranges.forEachRange((start, end, placement) -> {
            if (placement.owner() != Nid.NONE && placement.owner() != Cid.nid(start)) {
                found.put(placement.owner(), holders.getOrDefault(placement.owner(), 0L));
            }
        });
        for (MigrationRecord each : migrations.running()) {
            if (each.sourceNid() != Nid.NONE) {
                found.put(each.sourceNid(), each.sourceEpoch());
            }
            found.put(each.targetNid(), each.targetEpoch());
        }
        zones.addStrangers(found);
        return found;
    }

    MigrationTable migrations() {
        return migrations;
    }

    PlanTable plans() {
        return plans;
    }

    /** Returns the range of a CID, or null when no storage peer ever had the CID. */
    @Nullable
    CidRange find(long cid) {
        return ranges.find(cid).orElse(null);
    }

    long count() {
        return ranges.rangeCount();
    }

    /** Returns all ranges, ascending. */
    List<CidRange> all() {
        List<CidRange> all = new ArrayList<>();
        ranges.forEachRange((start, end, placement) -> all.add(new CidRange(start, end, placement)));
        return all;
    }

    /** The number of ranges that each storage peer owns, by its NID. They are counted again only after a change. */
    Map<Integer, Long> countByOwner() {
        Counts present = counts;
        if (present == null || present.of != ranges || present.changes != ranges.changes()) {
            Map<Integer, Long> byOwner = new TreeMap<>();
            ranges.forEachRange((start, end, placement) -> byOwner.merge(placement.owner(), 1L, Long::sum));
            present = new Counts(ranges, ranges.changes(), Collections.unmodifiableMap(byOwner));
            counts = present;
        }
        return present.byOwner;
    }

    @Override
    public ArcCommand readCommand(int type, ByteBuf in) {
        return type >= ZoneCommand.FIRST_TYPE
                ? RecordBytes.read(ZoneCommand.TYPES, type, in)
                : RecordBytes.read(RangeCommand.TYPES, type, in);
    }

    @Override
    public ArcResult apply(ArcCommand command) {
        if (command instanceof ZoneCommand ofZones) {
            return apply(ofZones);
        }
        if (!(command instanceof RangeCommand ofRanges)) {
            throw new IllegalArgumentException("not a command of ranges: " + command);
        }
        return switch (ofRanges) {
            case RangeCommand.BeginMigration begin -> begin(begin);
            case RangeCommand.CommitMigration commit -> commit(commit);
            case RangeCommand.AbortMigration abort -> abort(abort);
            case RangeCommand.FencePeer fence -> {
                fence(fence.nid(), fence.epoch());
                yield new ArcResult.Applied();
            }
            case RangeCommand.StartPlan start -> plans.apply(start);
            case RangeCommand.AddMoves add -> plans.apply(add);
            case RangeCommand.EndMove end -> plans.apply(end);
            case RangeCommand.EndPlan end -> plans.apply(end);
        };
    }

    /**
     * Applies a command about zones. If it names a later incarnation than this arc knows, the earlier ones have ended.
     */
    private ArcResult apply(ZoneCommand command) {
        command.named().forEach(this::named);
        return zones.apply(command);
    }

    private ArcResult begin(RangeCommand.BeginMigration command) {
        if (command.sourceNid() == Nid.NONE) {
            // A restore that died is started again from its beginning: abort what it left.
            migrations.abort(
                    each -> each.sourceNid() == Nid.NONE
                            && each.startCid() == command.startCid()
                            && each.endCidInclusive() == command.endCidInclusive(),
                    "it was begun once more");
        }
        String problem = command.sourceNid() == Nid.NONE ? problemOfRestore(command) : problemOf(command);
        if (problem != null) {
            SuperPeerProbe.MIGRATION_NOT_NOW.hit();
            return new RangeResult.NotNow(problem);
        }
        if (SlotGroup.isGroup(Cid.nid(command.startCid()))) {
            // The target logs the group in a new zone: tombstones for all LIDs without a chunk would be too many.
            zones.dropUnused(Cid.nid(command.startCid()));
        }
        return new RangeResult.Migration(migrations.begin(new MigrationRecord(
                Cid.nid(command.startCid()),
                migrations.nextNumber(),
                command.startCid(),
                command.endCidInclusive(),
                command.sourceNid(),
                command.sourceEpoch(),
                command.targetNid(),
                command.targetEpoch(),
                MigrationState.RUNNING,
                0,
                "")));
    }

    private @Nullable String problemOfRestore(RangeCommand.BeginMigration command) {
        boolean restoring = Cid.nid(command.startCid()) == Cid.nid(command.endCidInclusive())
                && Cid.compare(command.startCid(), command.endCidInclusive()) <= 0
                && !within(command.startCid(), command.endCidInclusive()).isEmpty()
                && within(command.startCid(), command.endCidInclusive()).stream()
                        .allMatch(RangeState::isRestoring);
        if (!restoring) {
            return "the chunks are not waiting to be restored";
        }
        return problemOfTarget(command);
    }

    private @Nullable String problemOf(RangeCommand.BeginMigration command) {
        CidRange range = find(command.startCid());
        if (range == null
                || Cid.compare(command.startCid(), command.endCidInclusive()) > 0
                || Cid.compare(command.endCidInclusive(), range.endCidInclusive()) > 0) {
            // Neighbouring ranges with the same owner and different zone epochs are separate ranges.
            boolean oneOwner = range != null
                    && Cid.nid(command.startCid()) == Cid.nid(command.endCidInclusive())
                    && Cid.compare(command.startCid(), command.endCidInclusive()) <= 0
                    && within(command.startCid(), command.endCidInclusive()).stream()
                            .allMatch(each -> each.placement().owner() == command.sourceNid());
            if (!oneOwner) {
                return "the chunks are not of one owner";
            }
        } else if (range.placement().owner() != command.sourceNid()) {
            return "storage peer " + Nid.toHex(command.sourceNid()) + " does not own the chunks";
        }
        if (command.sourceNid() == command.targetNid()) {
            return "source and target are the same";
        }
        if (isPartOfAGroup(command.startCid(), command.endCidInclusive())) {
            return "a slot group moves as a whole";
        }
        if (holders.getOrDefault(command.sourceNid(), 0L) != command.sourceEpoch()) {
            return "the source has restarted";
        }
        return problemOfTarget(command);
    }

    /** Whether a span has some of the chunks of a slot group, but not all. */
    private boolean isPartOfAGroup(long startCid, long endCidInclusive) {
        int nid = Cid.nid(startCid);
        return SlotGroup.isGroup(nid)
                && (startCid != Cid.firstOf(nid)
                        || endCidInclusive != of(nid).getLast().endCidInclusive());
    }

    private @Nullable String problemOfTarget(RangeCommand.BeginMigration command) {
        if (holders.getOrDefault(command.targetNid(), 0L) > command.targetEpoch()) {
            return "the target has restarted";
        }
        return migrations.overlapsRunning(command.startCid(), command.endCidInclusive())
                ? "some of the chunks are being migrated already"
                : null;
    }

    private ArcResult commit(RangeCommand.CommitMigration command) {
        MigrationRecord record = migrations.find(command.creatorNid(), command.number());
        if (record == null) {
            return new RangeResult.NotNow("there is no such migration");
        }
        if (record.state() != MigrationState.RUNNING) {
            SuperPeerProbe.MIGRATION_DECIDED_TWICE.hit();
            return new RangeResult.Migration(record);
        }
        if (record.sourceNid() != command.sourceNid() || record.sourceEpoch() != command.sourceEpoch()) {
            return new RangeResult.NotNow("this is not the source of the migration");
        }
        // If this arc still counts on an earlier incarnation of the target, that one has ended, and what it owned is
        // lost.
        fence(record.targetNid(), record.targetEpoch());
        long highest = within(record.startCid(), record.endCidInclusive()).stream()
                .mapToLong(range -> range.placement().epoch())
                .max()
                .orElse(0);
        ZoneRecord zone = zones.openOf(record.creatorNid(), record.targetNid());
        Placement placement = zone == null
                ? Placement.unreplicated(record.targetNid(), highest + 1)
                : zones.raise(zone, highest).placement();
        ranges.migrate(record.startCid(), record.endCidInclusive(), placement);
        return new RangeResult.Migration(migrations.end(record.committed(placement.epoch())));
    }

    private ArcResult abort(RangeCommand.AbortMigration command) {
        MigrationRecord record = migrations.find(command.creatorNid(), command.number());
        if (record == null) {
            return new RangeResult.NotNow("there is no such migration");
        }
        return new RangeResult.Migration(
                record.state() == MigrationState.RUNNING ? migrations.end(record.aborted(command.note())) : record);
    }

    @Override
    public void write(Arc within, ByteBuf out) {
        ArcSnapshot.Ranges part = new ArcSnapshot.Ranges(
                all().stream()
                        .filter(range -> within.contains(Cid.nid(range.startCid())))
                        .toList(),
                holders.entrySet().stream()
                        .map(holder -> new ArcSnapshot.Holder(holder.getKey(), holder.getValue()))
                        .toList(),
                migrations.part(within),
                plans.part(within),
                zones.part(within));
        RecordBytes.write(part, out);
    }

    /**
     * Takes in a part of another arc. Either side may know of new incarnations of which the other has not heard yet:
     * then what the former incarnations owned is lost on both sides.
     */
    @Override
    public void read(ByteBuf in) {
        ArcSnapshot.Ranges part = RecordBytes.read(ArcSnapshot.Ranges.class, in);
        Map<Integer, Long> theirs = new TreeMap<>();
        part.holders().forEach(holder -> theirs.put(holder.nid(), holder.epoch()));
        theirs.forEach(this::fence);
        part.ranges()
                .forEach(range -> ranges.insert(
                        range.startCid(),
                        range.endCidInclusive(),
                        isOfFormer(range, theirs) ? lost(range) : range.placement()));
        migrations.add(part.migrations());
        migrations.abort(
                each -> each.sourceEpoch() < holders.getOrDefault(each.sourceNid(), 0L)
                        || each.targetEpoch() < holders.getOrDefault(each.targetNid(), 0L),
                "a storage peer has started anew");
        plans.add(part.plans());
        zones.add(part.zones());
        zones.endOwners();
        assert isWhole();
    }

    /** Looks at every range, so it is called only when a part of an arc has come. */
    private boolean isWhole() {
        ranges.verify();
        return true;
    }

    /** Whether a range of another creator's chunks was owned by an incarnation that has ended, as this arc knows. */
    private boolean isOfFormer(CidRange range, Map<Integer, Long> epochs) {
        int owner = range.placement().owner();
        return owner != Nid.NONE
                && range.placement().zone() == 0
                && owner != Cid.nid(range.startCid())
                && epochs.getOrDefault(owner, 0L) < holders.getOrDefault(owner, 0L);
    }

    private static Placement lost(CidRange range) {
        return nobodys(range.placement().epoch() + 1, PlacementState.LOST);
    }

    @Override
    public void remove(Arc within) {
        CidTree kept = new CidTree();
        for (CidRange range : all()) {
            if (!within.contains(Cid.nid(range.startCid()))) {
                kept.insert(range.startCid(), range.endCidInclusive(), range.placement());
            }
        }
        ranges = kept;
        migrations.remove(within);
        plans.remove(within);
        zones.remove(within);
    }
}
