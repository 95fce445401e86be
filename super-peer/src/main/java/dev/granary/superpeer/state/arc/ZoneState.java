package dev.granary.superpeer.state.arc;

import dev.granary.overlay.Arc;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.overlay.tree.CidTree;
import dev.granary.superpeer.probe.SuperPeerProbe;
import dev.granary.superpeer.state.ArcResult;
import dev.granary.superpeer.state.ZoneMember;
import dev.granary.superpeer.state.ZoneRecord;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The zones of an arc's creators (ADR 0103): their owners and members, and how zones whose owner has ended get another
 * one (ADR 0104).
 *
 * <pre>
 *            open, reserve                 owner's incarnation has ended
 *   (none) ----------------> SERVED -----------------------------------------> RECOVERING, undecided --+
 *                            ^    |                                              |  ^                  | lose
 *              change copies +----+                                       decide |  | restart          v
 *                            ^                 end recovery                      v  |                LOST
 *                            +---------------------------------------------- RECOVERING, decided
 * </pre>
 *
 * <p>Invariants: (1) a zone's number is given once; (2) all ranges of a zone have its placement; (3) the epoch rises
 * with each change of the placement, and the next owner's is higher than any in which copies were sealed; (4) the last
 * member of a zone that has an owner is never dropped unless another one is added or none is wanted; (5) the members of
 * a zone that is recovered stay until it has an owner; (6) no zone is served by an incarnation that has ended, except
 * own zones that should have no copy, which their creator's next incarnation takes back as lost;
 * (7) an owner has at most one open zone for a creator;
 * (8) what was recovered by an owner that has had no member since is never lost as long as that one's log may come back
 * (ADR 0125); (9) spare copies are on peers that are no members, and only a zone with too few members has some.
 */
final class ZoneState {

    private static final int MAX_MEMBERS = Placement.MAX_BACKUPS;

    private final TreeMap<Integer, ZoneRecord> zones = new TreeMap<>();

    /** By creator, the last number that was given. */
    private final TreeMap<Integer, Integer> numbers = new TreeMap<>();

    /**
     * By owner, a hash of how its zones were when this copy of the state began, and of their changes since.
     * Not part of the state.
     */
    private final TreeMap<Integer, Long> marks = new TreeMap<>();

    private final ZoneCounts counts = new ZoneCounts();
    private final Supplier<CidTree> ranges;
    private final Map<Integer, Long> holders;
    private final MigrationTable migrations;

    /**
     * @param ranges that point to the zones
     * @param holders by NID, incarnations with a lower epoch have ended
     * @param migrations that bring ranges to zones
     */
    ZoneState(Supplier<CidTree> ranges, Map<Integer, Long> holders, MigrationTable migrations) {
        this.ranges = ranges;
        this.holders = holders;
        this.migrations = migrations;
    }

    Collection<ZoneRecord> all() {
        return zones.values();
    }

    /** Returns how many zones are in which state. */
    ZoneCounts counts() {
        return counts;
    }

    /** Stores a zone and returns its record from before. */
    private @Nullable ZoneRecord set(ZoneRecord next) {
        ZoneRecord before = zones.put(next.id(), next);
        if (before != null) {
            counts.remove(before);
        }
        counts.add(next);
        return before;
    }

    private void forget(ZoneRecord zone) {
        ZoneRecord before = zones.remove(zone.id());
        if (before != null) {
            counts.remove(before);
        }
    }

    @Nullable
    ZoneRecord find(int zone) {
        return zones.get(zone);
    }

    /** Returns the zone in which an owner logs the chunks of a creator that it takes over, or null. */
    @Nullable
    ZoneRecord openOf(int creatorNid, int ownerNid) {
        for (ZoneRecord zone : of(creatorNid)) {
            if (zone.open() && zone.placement().owner() == ownerNid) {
                return zone;
            }
        }
        return null;
    }

    /** Returns the zones of a creator by their numbers. */
    Collection<ZoneRecord> of(int creatorNid) {
        return zones.subMap(BackupZone.id(creatorNid, 1), true, BackupZone.id(creatorNid, BackupZone.MAX_NUMBER), true)
                .values();
    }

    /** Returns how many more zones a creator can have. */
    int numbersLeft(int creatorNid) {
        return BackupZone.MAX_NUMBER - numbers.getOrDefault(creatorNid, 0);
    }

    /** Returns the smallest number of zones that one of these creators can still get. */
    int leastNumbersLeft() {
        int most = numbers.values().stream().mapToInt(Integer::intValue).max().orElse(0);
        return BackupZone.MAX_NUMBER - most;
    }

    /** Whether an owner has a zone for chunks of a creator that it takes over, or can have one. */
    boolean canOpen(int creatorNid, int ownerNid) {
        return numbersLeft(creatorNid) > 0
                || of(creatorNid).stream()
                        .anyMatch(zone -> zone.shared() && zone.placement().owner() == ownerNid);
    }

    /**
     * Makes a zone and returns it; the creator must have a number left. Leaves out members whose incarnations have
     * ended.
     */
    ZoneRecord make(
            int creatorNid, long epoch, ZoneMember owner, List<ZoneMember> members, int wanted, boolean shared) {
        int id = BackupZone.id(creatorNid, numbers.merge(creatorNid, 1, Integer::sum));
        List<ZoneMember> present = new ArrayList<>();
        members.forEach(member -> add(present, member, owner.nid()));
        ZoneRecord made = ZoneRecord.served(id, epoch, owner, present, wanted, shared, shared);
        set(made);
        mark(made);
        return made;
    }

    private void mark(ZoneRecord zone) {
        long change = (long) zone.id() << Integer.SIZE | zone.placement().epoch();
        marks.merge(zone.placement().owner(), change, (mark, next) -> 31 * mark + next);
    }

    long markOf(int ownerNid) {
        return marks.getOrDefault(ownerNid, 0L);
    }

    /**
     * Adds a member if the zone has room for it and the peer can be a member. A zone that is full of members that have
     * restarted would never get another one: one of them makes room.
     */
    private void add(List<ZoneMember> members, ZoneMember member, int ownerNid) {
        boolean known = members.stream().anyMatch(each -> each.nid() == member.nid());
        if (known || member.nid() == ownerNid || !isPresent(member)) {
            return;
        }
        if (members.size() == MAX_MEMBERS) {
            Optional<ZoneMember> ended =
                    members.stream().filter(each -> !isPresent(each)).findFirst();
            SuperPeerProbe.ENDED_MEMBER_MADE_ROOM.hitIf(ended.isPresent());
            members.removeAll(ended.stream().toList());
        }
        if (members.size() < MAX_MEMBERS) {
            members.add(member);
        }
    }

    private boolean isPresent(ZoneMember member) {
        return holders.getOrDefault(member.nid(), 0L) <= member.epoch();
    }

    /** Begins a rebuilt arc with these zones, to which the ranges belong. */
    void rebuilt(Collection<ZoneRecord> known, Map<Integer, Integer> given) {
        known.forEach(this::begin);
        numbers.putAll(given);
    }

    /**
     * Takes a zone from another arc, a snapshot or a rebuild. Changes the mark of its owner, so that the owner asks for
     * its placement.
     */
    private void begin(ZoneRecord zone) {
        set(zone);
        mark(zone);
    }

    /** Stores a zone, gives all its ranges its placement, and returns the zone. */
    private ZoneRecord put(ZoneRecord next) {
        ZoneRecord before = set(next);
        if (before != null) {
            mark(before);
        }
        mark(next);
        ranges.get().changeZone(new BackupZone(next.placement()));
        return next;
    }

    private boolean hasRanges(ZoneRecord zone) {
        return ranges.get().zone(zone.id()).isPresent();
    }

    /** Raises a zone's epoch above another one, and returns the zone. */
    ZoneRecord raise(ZoneRecord zone, long above) {
        return zone.placement().epoch() > above ? zone : put(zone.at(above + 1));
    }

    ArcResult apply(ZoneCommand command) {
        return switch (command) {
            case ZoneCommand.OpenZone open -> open(open);
            case ZoneCommand.ChangeCopies change -> change(change);
            case ZoneCommand.DecideRecoveries decide -> {
                decide.decisions().forEach(this::decide);
                yield new ArcResult.Applied();
            }
            case ZoneCommand.EndRecovery end -> end(end);
            case ZoneCommand.RestartRecoveries restart -> {
                restart.zones().forEach(each -> {
                    ZoneRecord zone = recovering(each.zone(), each.epoch());
                    if (zone != null) {
                        put(zone.recovering());
                    }
                });
                yield new ArcResult.Applied();
            }
            case ZoneCommand.LoseZones lose -> {
                lose.zones().forEach(each -> {
                    ZoneRecord zone = recovering(each.zone(), each.epoch());
                    if (zone != null) {
                        put(zone.lost());
                    }
                });
                yield new ArcResult.Applied();
            }
            case ZoneCommand.CloseZones close -> {
                close.zones().forEach(this::close);
                yield new ArcResult.Applied();
            }
        };
    }

    private void close(ZoneCommand.ZoneAt wanted) {
        ZoneRecord zone = zones.get(wanted.zone());
        if (zone != null && zone.placement().epoch() == wanted.epoch() && isUnused(zone)) {
            SuperPeerProbe.ZONE_CLOSED.hit();
            forget(zone);
            mark(zone);
        }
    }

    /** Whether a zone has an owner but no range, and no migration may bring it a range. */
    boolean isUnused(ZoneRecord zone) {
        return zone.placement().isServed()
                && !hasRanges(zone)
                && migrations.running().stream()
                        .noneMatch(each -> each.creatorNid() == zone.creatorNid()
                                && each.targetNid() == zone.placement().owner());
    }

    /** Forgets the zones of a creator that have no range; no migration of its chunks may run. */
    void dropUnused(int creatorNid) {
        for (ZoneRecord zone : List.copyOf(of(creatorNid))) {
            if (!hasRanges(zone)) {
                forget(zone);
                mark(zone);
            }
        }
    }

    private ArcResult open(ZoneCommand.OpenZone command) {
        ZoneMember owner = new ZoneMember(command.ownerNid(), command.ownerEpoch());
        if (!isPresent(owner)) {
            return new RangeResult.NotNow("this incarnation of the owner has ended");
        }
        ZoneRecord known = openOf(command.creatorNid(), command.ownerNid());
        if (known != null && known.ownerEpoch() == command.ownerEpoch()) {
            return new RangeResult.Zone(known.placement());
        }
        // A zone that this owner has recovered will do as well as a new one.
        for (ZoneRecord zone : of(command.creatorNid())) {
            if (zone.shared()
                    && zone.placement().owner() == command.ownerNid()
                    && zone.ownerEpoch() == command.ownerEpoch()) {
                SuperPeerProbe.RECOVERED_ZONE_OPENED.hit();
                set(zone.opened());
                return new RangeResult.Zone(zone.placement());
            }
        }
        if (numbersLeft(command.creatorNid()) == 0) {
            return new RangeResult.NotNow(PeerState.outOfNumbersMessage(command.creatorNid()));
        }
        return new RangeResult.Zone(make(
                        command.creatorNid(),
                        highestEpoch(command.creatorNid()) + 1,
                        owner,
                        command.members(),
                        command.wanted(),
                        true)
                .placement());
    }

    private long highestEpoch(int creatorNid) {
        long[] highest = {0};
        ranges.get()
                .forEachRange(
                        Cid.firstOf(creatorNid),
                        Cid.lastOf(creatorNid),
                        (start, end, placement) -> highest[0] = Math.max(highest[0], placement.epoch()));
        return highest[0];
    }

    private ArcResult change(ZoneCommand.ChangeCopies command) {
        ZoneRecord zone = zones.get(command.zone());
        if (zone == null) {
            return new RangeResult.NotNow("there is no zone " + command.zone());
        }
        boolean holds = zone.placement().isServed()
                && zone.placement().owner() == command.ownerNid()
                && zone.ownerEpoch() == command.ownerEpoch()
                && zone.placement().epoch() == command.expectedEpoch()
                && isPresent(new ZoneMember(command.ownerNid(), command.ownerEpoch()));
        List<ZoneMember> next = new ArrayList<>();
        for (ZoneMember member : zone.members()) {
            boolean refilled = command.added().stream().anyMatch(each -> each.nid() == member.nid());
            if (!command.dropped().contains(member.nid()) && !refilled) {
                next.add(member);
            }
        }
        for (ZoneMember member : command.added()) {
            add(next, member, command.ownerNid());
        }
        boolean leavesNone = next.isEmpty() && !zone.members().isEmpty() && command.wanted() > 0;
        // An owner that is alone asks for this when it is to go on without copies. From then on its log does not count
        // as a copy.
        boolean without = zone.alone() && next.isEmpty() && command.wanted() == 0;
        if (!holds || leavesNone || (next.equals(zone.members()) && !without)) {
            SuperPeerProbe.CHANGE_OF_COPIES_OUTDATED.hit();
            return new RangeResult.Zone(zone.placement());
        }
        return new RangeResult.Zone(put(zone.changed(next, command.wanted())).placement());
    }

    private @Nullable ZoneRecord recovering(int id, long epoch) {
        ZoneRecord zone = zones.get(id);
        return zone != null && zone.isRecovering() && zone.placement().epoch() == epoch ? zone : null;
    }

    private void decide(ZoneCommand.Decision decision) {
        ZoneRecord zone = recovering(decision.zone(), decision.epoch());
        ZoneMember candidate = new ZoneMember(
                decision.recovery().candidateNid(), decision.recovery().candidateEpoch());
        if (zone != null && zone.recovery() == null && isPresent(candidate)) {
            set(zone.decided(decision.recovery()));
        }
    }

    private ArcResult end(ZoneCommand.EndRecovery command) {
        ZoneRecord zone = zones.get(command.zone());
        if (zone == null) {
            return new RangeResult.NotNow("there is no zone " + command.zone());
        }
        ZoneRecord.Recovery recovery = zone.recovery();
        if (recovery == null) {
            return new RangeResult.Zone(zone.placement());
        }
        boolean holds = zone.isRecovering()
                && zone.recoveryEpoch() == command.epoch()
                && recovery.candidateNid() == command.nid()
                && recovery.candidateEpoch() == command.nidEpoch()
                && isPresent(new ZoneMember(command.nid(), command.nidEpoch()));
        if (!holds) {
            return new RangeResult.Zone(zone.placement());
        }
        List<ZoneMember> members = new ArrayList<>();
        for (ZoneMember member : recovery.kept()) {
            if (members.size() < MAX_MEMBERS && member.nid() != command.nid()) {
                members.add(member);
            }
        }
        ZoneMember owner = new ZoneMember(command.nid(), command.nidEpoch());
        return new RangeResult.Zone(put(ZoneRecord.recovered(zone, owner, members, command.wanted()))
                .placement());
    }

    /** Takes the zones away from incarnations that have ended, as far as this arc knows. */
    void endOwners() {
        for (ZoneRecord zone : List.copyOf(zones.values())) {
            int owner = zone.placement().owner();
            if (!zone.placement().isServed() || isPresent(new ZoneMember(owner, zone.ownerEpoch()))) {
                continue;
            }
            if (!hasRanges(zone)) {
                forget(zone);
            } else if (zone.placement().backupCount() > 0 || zone.alone()) {
                SuperPeerProbe.ZONE_WITHOUT_OWNER.hit();
                put(zone.recovering());
            } else if (owner != zone.creatorNid()) {
                put(zone.lost());
            } else if (zone.placement().state() == PlacementState.DEGRADED) {
                end(zone);
            }
        }
    }

    /**
     * Ends a zone that never had a backup although it should have some, so that its owner took no writes (ADR 0197).
     * Its LIDs are the creator's as if they had not been reserved. Else a zone without an owner would lack copies for
     * ever, should the creator not come back.
     */
    private void end(ZoneRecord zone) {
        Placement next =
                Placement.unreplicated(zone.creatorNid(), zone.placement().epoch() + 1);
        CidTree tree = ranges.get();
        List<CidRange> own = new ArrayList<>();
        tree.forEachRange(Cid.firstOf(zone.creatorNid()), Cid.lastOf(zone.creatorNid()), (start, end, placement) -> {
            if (placement.zone() == zone.id()) {
                own.add(new CidRange(start, end, placement));
            }
        });
        own.forEach(range -> tree.migrate(range.startCid(), range.endCidInclusive(), next));
        forget(zone);
        mark(zone);
    }

    /** Forgets the zones of a creator that have no range and no owner. */
    void dropEmpty(int creatorNid) {
        for (ZoneRecord zone : List.copyOf(of(creatorNid))) {
            int owner = zone.placement().owner();
            boolean served = zone.placement().isServed() && isPresent(new ZoneMember(owner, zone.ownerEpoch()));
            if (!served && !hasRanges(zone)) {
                forget(zone);
            }
        }
    }

    /** Adds every storage peer on which the zones depend. */
    void addStrangers(Map<Integer, Long> found) {
        for (ZoneRecord zone : zones.values()) {
            if (zone.placement().owner() != Nid.NONE) {
                found.put(
                        zone.placement().owner(),
                        holders.getOrDefault(zone.placement().owner(), 0L));
            }
            zone.members().forEach(member -> found.put(member.nid(), holders.getOrDefault(member.nid(), 0L)));
            if (zone.spares() != null) {
                zone.spares().nids().forEach(nid -> found.put(nid, holders.getOrDefault(nid, 0L)));
            }
            ZoneRecord.Recovery recovery = zone.recovery();
            if (recovery != null) {
                found.put(recovery.candidateNid(), holders.getOrDefault(recovery.candidateNid(), 0L));
            }
        }
    }

    /** Whether a storage peer owns a zone of its own chunks that has a copy elsewhere. */
    boolean hasCopies(int nid) {
        for (ZoneRecord zone : of(nid)) {
            if (zone.placement().owner() == nid
                    && zone.placement().state() != PlacementState.LOST
                    && zone.placement().backupCount() > 0) {
                return true;
            }
        }
        return false;
    }

    /** Returns the zones of a piece of the ring, as they stand in a snapshot. */
    ArcSnapshot.Zones part(Arc within) {
        return new ArcSnapshot.Zones(
                numbers.entrySet().stream()
                        .filter(entry -> within.contains(entry.getKey()))
                        .map(entry -> new ArcSnapshot.LastNumber(entry.getKey(), entry.getValue()))
                        .toList(),
                zones.values().stream()
                        .filter(zone -> within.contains(zone.creatorNid()))
                        .toList());
    }

    /** Adds a {@link #part}. */
    void add(ArcSnapshot.Zones part) {
        part.numbers().forEach(last -> numbers.put(last.creatorNid(), last.number()));
        part.zones().forEach(this::begin);
    }

    void remove(Arc within) {
        numbers.keySet().removeIf(within::contains);
        List.copyOf(zones.values()).stream()
                .filter(zone -> within.contains(zone.creatorNid()))
                .forEach(this::forget);
    }
}
