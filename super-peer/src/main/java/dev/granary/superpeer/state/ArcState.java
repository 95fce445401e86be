package dev.granary.superpeer.state;

import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.CidTree;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.superpeer.state.ArcResult.Reason;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What one arc knows: its storage peers, the LIDs that are reserved for them, and who owns which range. Deterministic;
 * one thread at a time.
 *
 * <p>Invariants: (1) a NID belongs to one disk for ever; (2) the epoch of a peer rises by one with each new incarnation
 * and never otherwise, and the placement of its ranges has the same epoch; (3) firstLid of a new incarnation is the
 * lidLimit of the one before, and lidLimit never falls, so that no LID is given twice; (4) an incarnation that was
 * replaced changes nothing any more; (5) the CIDs of a peer that ever was are in exactly one range each.
 *
 * <pre>
 * snapshot: version u8 (1), leaseNanos i64, peers list, ranges list
 *  peer     nid u16, diskId, incarnation i64, fencedIncarnation i64, epoch i64, firstLid i64, lidLimit i64, closed u8,
 *           name, address, httpAddress, capacityBytes i64
 *  range    startCid i64, endCidInclusive i64, owner u16, backups u8 + u16 each, epoch i64, zone i32, state u8
 * </pre>
 */
public final class ArcState implements StateMachine<ArcCommand, ArcResult> {

    private static final int SNAPSHOT_VERSION = 1;
    private static final long LID_END = Cid.MAX_LID + 1;

    /** By NID; sorted, so that a snapshot has one form. */
    private final TreeMap<Integer, PeerRecord> peers = new TreeMap<>();

    private CidTree ranges = new CidTree();
    private long leaseNanos;

    /** The storage peer with this NID, or null when there never was one. */
    public @Nullable PeerRecord peer(int nid) {
        return peers.get(nid);
    }

    /** All storage peers, by NID. */
    public Collection<PeerRecord> peers() {
        return Collections.unmodifiableCollection(peers.values());
    }

    /** The range that a CID lies in, or null when nobody ever had it. */
    public @Nullable CidRange find(long cid) {
        return ranges.find(cid).orElse(null);
    }

    /** The number of ranges of the arc. */
    public long rangeCount() {
        return ranges.rangeCount();
    }

    /** All ranges, ascending. */
    public List<CidRange> ranges() {
        List<CidRange> all = new ArrayList<>();
        ranges.forEachRange((start, end, placement) -> all.add(new CidRange(start, end, placement)));
        return all;
    }

    /** The number of ranges that each storage peer owns, by its NID. */
    public Map<Integer, Long> rangesByOwner() {
        Map<Integer, Long> counts = new TreeMap<>();
        ranges.forEachRange((start, end, placement) -> counts.merge(placement.owner(), 1L, Long::sum));
        return counts;
    }

    /** No lease that is out is longer; 0 when there never was one. */
    public long leaseNanos() {
        return leaseNanos;
    }

    @Override
    public ArcResult apply(ArcCommand command) {
        return switch (command) {
            case ArcCommand.OpenPeer open -> open(open);
            case ArcCommand.ReserveLids reserve -> reserve(reserve);
            case ArcCommand.CloseLease close -> close(close);
            case ArcCommand.SetLeaseLength length -> {
                leaseNanos = length.leaseNanos();
                yield new ArcResult.LeaseLengthSet();
            }
        };
    }

    private ArcResult open(ArcCommand.OpenPeer command) {
        PeerRecord known = peers.get(command.nid());
        if (known == null) {
            PeerRecord first = incarnation(command, 0, 1, Cid.MIN_LID);
            peers.put(first.nid(), first);
            Placement placement = Placement.unreplicated(first.nid(), first.epoch());
            ranges.insert(Cid.firstOf(first.nid()), Cid.lastOf(first.nid()), placement);
            return new ArcResult.Done(first);
        }
        ArcResult.Refused refusal = refusal(known, command);
        if (refusal != null) {
            return refusal;
        }
        boolean same = known.incarnation() == command.incarnation();
        PeerRecord next = same
                ? known.at(command.name(), command.address(), command.httpAddress(), command.capacityBytes())
                : incarnation(command, known.incarnation(), known.epoch() + 1, known.lidLimit());
        peers.put(next.nid(), next);
        if (!same) {
            raiseEpochOfRanges(next);
        }
        return new ArcResult.Done(next);
    }

    private static ArcResult.@Nullable Refused refusal(PeerRecord known, ArcCommand.OpenPeer command) {
        String nid = Nid.toHex(known.nid());
        if (!known.diskId().equals(command.diskId())) {
            return new ArcResult.Refused(
                    Reason.OTHER_DISK,
                    "NID " + nid + " belongs to the disk " + known.diskId() + ", not to " + command.diskId());
        }
        boolean replaced = known.fencedIncarnation() == command.incarnation();
        boolean gaveBack = known.incarnation() == command.incarnation() && known.closed();
        if (replaced || gaveBack) {
            return new ArcResult.Refused(
                    Reason.FENCED,
                    "this incarnation of " + nid + " has ended: "
                            + (replaced ? "a later one took its place" : "it gave its lease back"));
        }
        if (known.incarnation() != command.incarnation() && known.lidLimit() >= LID_END) {
            return new ArcResult.Refused(Reason.LIDS_EXHAUSTED, nid + " has used all its chunk identifiers");
        }
        return null;
    }

    private static PeerRecord incarnation(ArcCommand.OpenPeer command, long fenced, long epoch, long firstLid) {
        // lidCount is at least 1 and firstLid below LID_END: the sum cannot overflow before it is cut.
        long lidLimit = command.lidCount() >= LID_END - firstLid ? LID_END : firstLid + command.lidCount();
        return new PeerRecord(
                command.nid(),
                command.diskId(),
                command.incarnation(),
                fenced,
                epoch,
                firstLid,
                lidLimit,
                false,
                command.name(),
                command.address(),
                command.httpAddress(),
                command.capacityBytes());
    }

    private void raiseEpochOfRanges(PeerRecord peer) {
        Placement placement = Placement.unreplicated(peer.nid(), peer.epoch());
        for (CidRange range : ranges()) {
            if (range.placement().owner() == peer.nid()) {
                ranges.migrate(range.startCid(), range.endCidInclusive(), placement);
            }
        }
    }

    private ArcResult reserve(ArcCommand.ReserveLids command) {
        PeerRecord known = peers.get(command.nid());
        if (known == null || known.incarnation() != command.incarnation() || known.closed()) {
            return notPresent(command.nid());
        }
        PeerRecord next = known.withLidLimit(Math.clamp(command.lidLimit(), known.lidLimit(), LID_END));
        peers.put(next.nid(), next);
        return new ArcResult.Done(next);
    }

    private ArcResult close(ArcCommand.CloseLease command) {
        PeerRecord known = peers.get(command.nid());
        if (known == null || known.incarnation() != command.incarnation()) {
            return notPresent(command.nid());
        }
        PeerRecord next = known.withLeaseClosed();
        peers.put(next.nid(), next);
        return new ArcResult.Done(next);
    }

    private static ArcResult notPresent(int nid) {
        return new ArcResult.Refused(
                Reason.UNKNOWN_INCARNATION, "this is not the present incarnation of storage peer " + Nid.toHex(nid));
    }

    @Override
    public void encode(ArcCommand command, ByteBuf out) {
        ArcCommand.write(out, command);
    }

    @Override
    public ArcCommand decode(ByteBuf in) {
        return ArcCommand.read(in);
    }

    @Override
    public void writeSnapshot(ByteBuf out) {
        out.writeByte(SNAPSHOT_VERSION).writeLongLE(leaseNanos);
        out.writeIntLE(peers.size());
        peers.values().forEach(peer -> peer.write(out));
        List<CidRange> all = ranges();
        out.writeIntLE(all.size());
        all.forEach(range -> Fields.writeRange(out, range));
    }

    @Override
    public void readSnapshot(ByteBuf in) {
        int version = in.readUnsignedByte();
        if (version != SNAPSHOT_VERSION) {
            throw new IllegalArgumentException(
                    "arc snapshot of version " + version + "; this program knows " + SNAPSHOT_VERSION);
        }
        leaseNanos = in.readLongLE();
        peers.clear();
        Fields.readList(in, PeerRecord::read).forEach(peer -> peers.put(peer.nid(), peer));
        CidTree read = new CidTree();
        Fields.readList(in, Fields::readRange)
                .forEach(range -> read.insert(range.startCid(), range.endCidInclusive(), range.placement()));
        ranges = read;
    }
}
