package dev.granary.superpeer.state.arc;

import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.NameMessages.NameEntry;
import dev.granary.net.message.NameMessages.NameList;
import dev.granary.net.message.RangeMessages.CreatorList;
import dev.granary.net.message.RecordBytes;
import dev.granary.overlay.Arc;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Nid;
import dev.granary.overlay.name.NameTrie;
import dev.granary.overlay.tree.CidTree;
import dev.granary.superpeer.state.ArcCommand;
import dev.granary.superpeer.state.ArcPart;
import dev.granary.superpeer.state.ArcResult;
import dev.granary.superpeer.state.ArcResult.Reason;
import dev.granary.superpeer.state.ArcTransfer;
import dev.granary.superpeer.state.MigrationRecord;
import dev.granary.superpeer.state.PeerRecord;
import dev.granary.superpeer.state.Plan;
import dev.granary.superpeer.state.StateMachine;
import dev.granary.superpeer.state.ZoneRecord;
import dev.granary.superpeer.state.name.LockRecord;
import dev.granary.superpeer.state.name.NamePart;
import io.netty.buffer.ByteBuf;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The replicated state of one arc: its storage peers, the LIDs that are reserved for them, and the owners of ranges,
 * each kind in an {@link ArcPart} of its own. Deterministic; one thread at a time.
 *
 * <p>Invariant: ranges of a peer that are in no zone have at least the peer's epoch.
 *
 * <pre>
 * snapshot: version u8 (7), count of parts u8, parts: id u8, length i32, bytes; then {@link ArcSnapshot.Transfers}
 * </pre>
 */
public final class ArcState implements StateMachine<ArcCommand, ArcResult> {

    private static final int SNAPSHOT_VERSION = 7;
    /** Bytes of one range, which points to a shared placement record. */
    private static final long RANGE_BYTES = 16;

    private static final long ZONE_BYTES = 512;
    private static final long PEER_BYTES = 1024;

    private static final Arc WHOLE_RING = new Arc(Nid.MAX, Nid.MAX);

    private final TransferState transfers = new TransferState();
    private RangeState ranges = new RangeState();
    private PeerState peers = new PeerState(ranges);
    private NamePart names = new NamePart();
    private SlotGroupState slotGroups = new SlotGroupState(ranges);
    private List<ArcPart> parts = List.of(peers, ranges, names, slotGroups);

    /** Returns the storage peer with this NID, or null when there never was one. */
    public @Nullable PeerRecord peer(int nid) {
        return peers.peer(nid);
    }

    /** Returns all storage peers, by NID. */
    public Collection<PeerRecord> peers() {
        return peers.all();
    }

    /**
     * Returns the creators of CIDs of a piece of the ring, also those in the cluster whose backup was restored here; by
     * NID.
     */
    public List<CreatorList.Creator> creators(Arc within) {
        return peers.creators(within);
    }

    /** Returns the range of a CID, or null when no storage peer ever had the CID. */
    public @Nullable CidRange find(long cid) {
        return ranges.find(cid);
    }

    /** Returns the range of a slot group; null when it was never opened, or the NID is none of a group. */
    public @Nullable CidRange slotGroup(int groupNid) {
        return slotGroups.find(groupNid);
    }

    /** Returns the ranges of the slot groups that were ever opened, ascending. */
    public List<CidRange> slotGroups() {
        return slotGroups.all();
    }

    /** Returns the limit of the slot group with this range: LIDs below it belong to the group. */
    public static long limitOf(CidRange slotGroup) {
        return SlotGroupState.limitOf(slotGroup);
    }

    /** Returns the number of ranges of the arc. */
    public long rangeCount() {
        return ranges.count();
    }

    /** Returns all ranges, ascending. */
    public List<CidRange> ranges() {
        return ranges.all();
    }

    /** Returns the number of ranges that each storage peer owns, by its NID. */
    public Map<Integer, Long> rangesByOwner() {
        return ranges.countByOwner();
    }

    /** Returns the ranges that overlap a span, uncut and ascending. */
    public List<CidRange> rangesIn(long startCid, long endCidInclusive) {
        return ranges.within(startCid, endCidInclusive);
    }

    /**
     * Returns the ranges of a creator from a CID on that the creator does not own, ascending, at most {@code limit}.
     */
    public List<CidRange> awayRanges(int creatorNid, long fromCid, int limit) {
        return ranges.away(creatorNid, fromCid, limit);
    }

    /**
     * Returns the storage peers that own chunks of other creators here or take part in a migration, with their
     * incarnation epochs as known here.
     */
    public Map<Integer, Long> strangers() {
        return ranges.strangers();
    }

    /** Returns the zones, by their ids. */
    public Collection<ZoneRecord> zones() {
        return ranges.zones().all();
    }

    /** Returns how many zones are in which state; the counts follow each change. */
    public ZoneCounts zoneCounts() {
        return ranges.zones().counts();
    }

    /** Returns the zones of a creator, by their numbers. */
    public Collection<ZoneRecord> zonesOf(int creatorNid) {
        return ranges.zones().of(creatorNid);
    }

    /** Returns the zone with this id, or null. */
    public @Nullable ZoneRecord zone(int id) {
        return ranges.zones().find(id);
    }

    /** Whether a zone has an owner but no range, and no migration may bring it a range. */
    public boolean isUnused(ZoneRecord zone) {
        return ranges.zones().isUnused(zone);
    }

    /** Returns the ranges of a zone from a CID of its creator on, ascending, at most {@code limit}. */
    public List<CidRange> rangesOfZone(int zone, long fromCid, int limit) {
        return ranges.within(fromCid, Cid.lastOf(BackupZone.creatorOf(zone))).stream()
                .filter(range -> range.placement().zone() == zone)
                .limit(limit)
                .toList();
    }

    /** Returns the zone in which an owner logs the chunks of a creator that it takes over, or null. */
    public @Nullable ZoneRecord openZone(int creatorNid, int ownerNid) {
        return ranges.zones().openOf(creatorNid, ownerNid);
    }

    /** Returns a number that changes when the zones change that a storage peer owns or owned. */
    public long zonesMark(int ownerNid) {
        return ranges.zones().markOf(ownerNid);
    }

    /** Returns how many more zones a creator can have. */
    public int zoneNumbersLeft(int creatorNid) {
        return ranges.zones().numbersLeft(creatorNid);
    }

    /** Returns the message about a storage peer that has used all numbers for its zones. */
    public static String outOfZonesMessage(int creatorNid) {
        return PeerState.outOfNumbersMessage(creatorNid);
    }

    /** Returns the smallest number of zones that a creator of this arc can still get. */
    public int leastZoneNumbersLeft() {
        return ranges.zones().leastNumbersLeft();
    }

    /** Whether an owner has a zone for chunks of a creator that it takes over, or can have one. */
    public boolean canOpenZone(int creatorNid, int ownerNid) {
        return ranges.zones().canOpen(creatorNid, ownerNid);
    }

    /** Whether other storage peers have copies of the own chunks that a storage peer of this arc owns. */
    public boolean hasCopies(int nid) {
        return ranges.zones().hasCopies(nid);
    }

    /** Whether a storage peer of this arc owns any of its own chunks: of the LIDs that were ever reserved for it. */
    public boolean ownsItsOwn(PeerRecord peer) {
        return peer.lidLimit() > Cid.MIN_LID
                && rangesIn(Cid.firstOf(peer.nid()), Cid.of(peer.nid(), peer.lidLimit() - 1)).stream()
                        .anyMatch(range -> range.placement().owner() == peer.nid());
    }

    /**
     * Returns the incarnation epoch of a storage peer below which its incarnations have ended, as far as this arc
     * knows.
     */
    public long presentEpoch(int nid) {
        return ranges.presentEpoch(nid);
    }

    /** Returns the running migrations, oldest first. */
    public List<MigrationRecord> runningMigrations() {
        return List.copyOf(ranges.migrations().running());
    }

    /** Returns a migration that runs or has ended not long ago, or null. */
    public @Nullable MigrationRecord migration(int creatorNid, long number) {
        return ranges.migrations().find(creatorNid, number);
    }

    /**
     * Whether a migration of this arc was ever given this number. Numbers are given in ascending order, before anybody
     * hears of them.
     */
    public boolean wasMigrationBegun(long number) {
        return ranges.migrations().wasGiven(number);
    }

    /** Returns the rebalance plans that run or have ended not long ago, oldest first. */
    public List<Plan> plans() {
        return List.copyOf(ranges.plans().all());
    }

    /** Returns the rebalance plan with this number, or null. */
    public @Nullable Plan plan(long number) {
        return ranges.plans().find(number);
    }

    /** Whether a storage peer of this arc is being drained or was drained. */
    public boolean isDraining(int nid) {
        return ranges.plans().isDraining(nid);
    }

    /** Returns how far the drain of a storage peer is. */
    public PeerInfo.Drain drainOf(int nid) {
        return ranges.plans().drainOf(nid);
    }

    /** Returns the length that no granted lease exceeds; 0 when no lease was ever granted. */
    public long leaseNanos() {
        return peers.leaseNanos();
    }

    /** Returns the CID for which a name stands; empty when there is no such name. */
    public OptionalLong cidOf(String name) {
        return names.names().get(name);
    }

    /**
     * Returns names of a piece of the ring, in the order of their bytes.
     *
     * @param after names up to this one are left out; empty for none
     * @param limit the most names, at least 1
     */
    public NameList names(Arc piece, String prefix, String after, int limit) {
        return names.names().page(piece, prefix, after, limit);
    }

    /** Returns the version of the names, which rises with every change of a name; 0 before the first change. */
    public long nameVersion() {
        return names.names().version();
    }

    /**
     * Returns the changes of names after a version, one for each version, at most {@code limit}; null when the oldest
     * of them is forgotten.
     */
    public @Nullable List<NameEntry> nameChangesSince(long version, int limit) {
        return names.names().changesSince(version, limit);
    }

    /** Returns the number of names. */
    public int nameCount() {
        return names.names().size();
    }

    /**
     * Returns roughly the bytes of heap of the remembered changes of names. Their number is limited, and removing names
     * adds to them as well.
     */
    public long historyBytes() {
        return names.names().historyBytes();
    }

    /** Returns roughly the bytes of heap of everything else. Only adds up a few numbers. */
    public long footprintBytes() {
        TransferState.Incoming coming = transfers.incoming();
        return names.names().footprintBytes()
                + names.locks().footprintBytes()
                + RANGE_BYTES * ranges.count()
                + ZONE_BYTES * ranges.zones().all().size()
                + PEER_BYTES * peers.all().size()
                + (coming == null ? 0 : coming.bytes().capacity());
    }

    /** Returns the client lock of a chunk, null when nobody holds it. */
    public @Nullable LockRecord lock(long cid) {
        return names.locks().lock(cid);
    }

    /** Whether a lock request was granted a lock that has ended, as far as is remembered. */
    public boolean hasLockEnded(long cid, long lockId) {
        return names.locks().hasEnded(cid, lockId);
    }

    /** Returns all client locks that are held, by CID. */
    public List<LockRecord> locks() {
        return names.locks().all();
    }

    /** Returns the number of client locks that are held. */
    public int lockCount() {
        return names.locks().size();
    }

    /** Begins a rebuilt arc with these storage peers, and with lock tokens above {@code lastToken}. */
    void rebuilt(List<PeerRecord> known, long leaseNanos, long lastToken) {
        peers.rebuilt(known, leaseNanos);
        names.locks().rebuilt(lastToken);
    }

    /** Begins a rebuilt arc with these names, at this version. */
    void rebuilt(NameTrie known, long version) {
        names.names().rebuilt(known, version);
    }

    /** Begins a rebuilt arc with these ranges and zones, and numbers that go on from the given ones. */
    void rebuilt(
            CidTree known,
            Map<Integer, Long> holders,
            Collection<ZoneRecord> zones,
            Map<Integer, Integer> zoneNumbers,
            List<MigrationRecord> migrations,
            long lastNumber) {
        ranges.rebuilt(known, holders, migrations, lastNumber);
        ranges.zones().rebuilt(zones, zoneNumbers);
    }

    @Override
    public boolean isOfAClient(ArcCommand command) {
        return command.isOfAClient();
    }

    @Override
    public ArcResult apply(ArcCommand command) {
        if (command instanceof ArcTransfer transfer) {
            return apply(transfer);
        }
        if (isMoving(command.position())) {
            return new ArcResult.Refused(
                    Reason.MOVING, "this part of the arc is on its way to another super-peer, or is there");
        }
        return partOf(command.type()).apply(command);
    }

    private ArcResult apply(ArcTransfer command) {
        boolean done =
                switch (command) {
                    case ArcTransfer.Seal seal -> transfers.seal(seal);
                    case ArcTransfer.Unseal unseal -> transfers.release(unseal.operation()) != null;
                    case ArcTransfer.Drop drop -> {
                        ArcTransfer.Seal left = transfers.release(drop.operation());
                        if (left != null) {
                            removePart(left.arc());
                            transfers.left(left.arc());
                        }
                        yield left != null;
                    }
                    case ArcTransfer.Import piece -> transfers.add(piece);
                    case ArcTransfer.Accept accept -> accept(accept.operation());
                    case ArcTransfer.Discard discard -> transfers.take(discard.operation()) != null;
                };
        return done
                ? new ArcResult.Applied()
                : new ArcResult.Refused(Reason.MOVING, "operation " + command.operation() + " is not at this step");
    }

    /**
     * Accepts an imported part in place of what this arc has there. So an arc that has not dropped its former state of
     * the part yet is not spoilt.
     */
    private boolean accept(int operation) {
        TransferState.Incoming arrived = transfers.incoming();
        if (arrived == null || arrived.operation() != operation || !arrived.isComplete()) {
            return false;
        }
        transfers.take(operation);
        ArcTransfer.Seal left = transfers.sealed();
        if (left != null && arrived.arc().contains(left.arc())) {
            transfers.release(left.operation());
        }
        removePart(arrived.arc());
        readPart(arrived.bytes());
        transfers.came(arrived.arc());
        return true;
    }

    /** Whether a NID position is in a part that is leaving this arc, coming into it, or has left it. */
    public boolean isMoving(int position) {
        return position != Nid.NONE && transfers.isShut(position);
    }

    /** Whether a piece of the ring overlaps a part that is leaving this arc, coming into it, or has left it. */
    public boolean isAnyMoving(Arc piece) {
        return transfers.isShutWithin(piece);
    }

    /** Returns the operation by which a part is leaving this arc, 0 for none. */
    public int leavingBy() {
        ArcTransfer.Seal leaving = transfers.sealed();
        return leaving == null ? 0 : leaving.operation();
    }

    /**
     * Returns the part that is leaving this arc.
     *
     * @throws NullPointerException when there is none
     */
    public Arc leavingPart() {
        return Objects.requireNonNull(transfers.sealed()).arc();
    }

    /**
     * Returns the part that is coming into this arc.
     *
     * @throws NullPointerException when there is none
     */
    public Arc comingPart() {
        return Objects.requireNonNull(transfers.incoming()).arc();
    }

    /**
     * Returns the version of the first view of the ring that has the operation by which a part is leaving or coming; 0
     * for none.
     */
    public long movingSince(int operation) {
        ArcTransfer.Seal leaving = transfers.sealed();
        TransferState.Incoming coming = transfers.incoming();
        if (leaving != null && leaving.operation() == operation) {
            return leaving.version();
        }
        return coming != null && coming.operation() == operation ? coming.version() : 0;
    }

    /** Returns the operation by which a part is coming into this arc, 0 for none. */
    public int comingBy() {
        TransferState.Incoming coming = transfers.incoming();
        return coming == null ? 0 : coming.operation();
    }

    /** Whether the part of an operation was accepted or discarded by this arc. It is not to be taken again. */
    public boolean isArrivalOver(int operation) {
        return transfers.isArrivalOver(operation);
    }

    /** Whether the part that is coming into this arc has arrived completely. */
    public boolean hasArrived() {
        TransferState.Incoming coming = transfers.incoming();
        return coming != null && coming.isComplete();
    }

    /**
     * Returns the {@link ArcPart} to which a type of command belongs.
     *
     * @throws IllegalArgumentException when there is none
     */
    private ArcPart partOf(int type) {
        for (ArcPart part : parts) {
            if (part.id() == type / ArcPart.TYPES_PER_PART) {
                return part;
            }
        }
        throw new IllegalArgumentException("arc command of the unknown type " + type);
    }

    @Override
    public void encode(ArcCommand command, ByteBuf out) {
        out.writeByte(ArcCommand.VERSION).writeByte(command.type());
        command.writeFields(out);
    }

    @Override
    public ArcCommand decode(ByteBuf in) {
        int version = in.readUnsignedByte();
        if (version != ArcCommand.VERSION) {
            throw new IllegalArgumentException(
                    "arc command of version " + version + "; this program knows " + ArcCommand.VERSION);
        }
        int type = in.readUnsignedByte();
        if (type >= ArcTransfer.FIRST_TYPE && type < 2 * ArcPart.TYPES_PER_PART) {
            return RecordBytes.read(ArcTransfer.TYPES, type, in);
        }
        return partOf(type).readCommand(type, in);
    }

    @Override
    public void writeSnapshot(ByteBuf out) {
        writePart(WHOLE_RING, out);
        RecordBytes.write(transfers.snapshot(), out);
    }

    @Override
    public void readSnapshot(ByteBuf in) {
        ranges = new RangeState();
        peers = new PeerState(ranges);
        names = new NamePart();
        slotGroups = new SlotGroupState(ranges);
        parts = List.of(peers, ranges, names, slotGroups);
        readPart(in);
        transfers.restore(RecordBytes.read(ArcSnapshot.Transfers.class, in));
    }

    /** Appends everything that belongs to NID positions within an arc, laid out as a snapshot. */
    public void writePart(Arc within, ByteBuf out) {
        out.writeByte(SNAPSHOT_VERSION).writeByte(parts.size());
        for (ArcPart part : parts) {
            out.writeByte(part.id());
            int lengthIndex = out.writerIndex();
            out.writeIntLE(0);
            part.write(within, out);
            out.setIntLE(lengthIndex, out.writerIndex() - lengthIndex - Integer.BYTES);
        }
    }

    /**
     * Adds what {@link #writePart} wrote, here or on another super-peer; nothing of that arc must be here.
     *
     * @throws IllegalArgumentException when the bytes have no layout that this version knows
     */
    public void readPart(ByteBuf in) {
        int version = in.readUnsignedByte();
        if (version != SNAPSHOT_VERSION) {
            throw new IllegalArgumentException(
                    "arc snapshot of version " + version + "; this program knows " + SNAPSHOT_VERSION);
        }
        int count = in.readUnsignedByte();
        for (int i = 0; i < count; i++) {
            int id = in.readUnsignedByte();
            ByteBuf bytes = in.readSlice(in.readIntLE());
            partOf(id * ArcPart.TYPES_PER_PART).read(bytes);
            if (bytes.isReadable()) {
                throw new IllegalArgumentException(
                        "part " + id + " of an arc snapshot has " + bytes.readableBytes() + " bytes too many");
            }
        }
    }

    /** Drops everything that belongs to NID positions within an arc. */
    public void removePart(Arc within) {
        parts.forEach(part -> part.remove(within));
    }
}
