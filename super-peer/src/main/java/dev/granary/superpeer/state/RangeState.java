package dev.granary.superpeer.state;

import dev.granary.overlay.Arc;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.CidTree;
import dev.granary.overlay.Placement;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Who owns which range of CIDs. A range belongs to the NID of the peer that made its CIDs, whoever owns it now.
 *
 * <p>Invariant: the CIDs of a peer that ever was are in exactly one range each.
 *
 * <pre>
 * in snapshots: ranges list
 *  range    startCid i64, endCidInclusive i64, owner u16, backups u8 + u16 each, epoch i64, zone i32, state u8
 * </pre>
 */
final class RangeState implements ArcPart {

    private CidTree ranges = new CidTree();

    @Override
    public int id() {
        return 2;
    }

    /** A peer is there for the first time: all its CIDs are one range. */
    void peerAdded(int nid, long epoch) {
        ranges.insert(Cid.firstOf(nid), Cid.lastOf(nid), Placement.unreplicated(nid, epoch));
    }

    /** A peer has a new incarnation: the ranges that it owns have its epoch. */
    void epochRaised(int nid, long epoch) {
        Placement placement = Placement.unreplicated(nid, epoch);
        for (CidRange range : all()) {
            if (range.placement().owner() == nid) {
                ranges.migrate(range.startCid(), range.endCidInclusive(), placement);
            }
        }
    }

    /** The range that a CID lies in, or null when nobody ever had it. */
    @Nullable
    CidRange find(long cid) {
        return ranges.find(cid).orElse(null);
    }

    long count() {
        return ranges.rangeCount();
    }

    /** All ranges, ascending. */
    List<CidRange> all() {
        List<CidRange> all = new ArrayList<>();
        ranges.forEachRange((start, end, placement) -> all.add(new CidRange(start, end, placement)));
        return all;
    }

    /** The number of ranges that each storage peer owns, by its NID. */
    Map<Integer, Long> countByOwner() {
        Map<Integer, Long> counts = new TreeMap<>();
        ranges.forEachRange((start, end, placement) -> counts.merge(placement.owner(), 1L, Long::sum));
        return counts;
    }

    @Override
    public ArcCommand readCommand(int type, ByteBuf in) {
        throw new IllegalArgumentException("arc command of the unknown type " + type);
    }

    @Override
    public ArcResult apply(ArcCommand command) {
        throw new IllegalArgumentException("not a command of ranges: " + command);
    }

    @Override
    public void write(Arc within, ByteBuf out) {
        List<CidRange> chosen = all().stream()
                .filter(range -> within.contains(Cid.nid(range.startCid())))
                .toList();
        out.writeIntLE(chosen.size());
        chosen.forEach(range -> Fields.writeRange(out, range));
    }

    @Override
    public void read(ByteBuf in) {
        Fields.readList(in, Fields::readRange)
                .forEach(range -> ranges.insert(range.startCid(), range.endCidInclusive(), range.placement()));
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
    }
}
