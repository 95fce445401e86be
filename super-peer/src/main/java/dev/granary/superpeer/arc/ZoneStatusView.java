package dev.granary.superpeer.arc;

import dev.granary.net.message.ZoneMessages.ZoneStatus;
import dev.granary.overlay.Nid;
import dev.granary.superpeer.state.arc.ZoneCounts;
import dev.granary.superpeer.zone.RecoveryDriver;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntUnaryOperator;

/** Sums up the zones of the arcs that this super-peer serves. Tasks of the node's scheduler. */
final class ZoneStatusView {

    private static final class Held {
        private long ranges;
        private int zones;
        private int copies;
    }

    private int inSync;
    private int degraded;
    private int recovering;
    private int lost;
    private long recovered;
    private final List<ZoneStatus.Recovery> recoveries = new ArrayList<>();
    private final Map<Integer, Held> peers = new TreeMap<>();
    private final List<ZoneStatus.OwnedRange> hotRanges = new ArrayList<>();

    /** Returns the zone status of these arcs, which this super-peer serves. */
    static ZoneStatus of(List<ArcReplica> arcs) {
        return of(arcs, true);
    }

    /** Returns the same without the numbers of ranges, for which all ranges may have to be counted. */
    static ZoneStatus statesOf(List<ArcReplica> arcs) {
        return of(arcs, false);
    }

    private static ZoneStatus of(List<ArcReplica> arcs, boolean withRanges) {
        ZoneStatusView view = new ZoneStatusView();
        for (ArcReplica arc : arcs) {
            view.add(arc.state().zoneCounts(), arc.services().zones()::atLeastWanted);
            if (withRanges) {
                arc.state().rangesByOwner().forEach((nid, ranges) -> view.held(nid).ranges += ranges);
            }
            RecoveryDriver driver = arc.services().zones().recoveries();
            view.recovered += driver.recoveredCount();
            view.recoveries.addAll(driver.list());
            if (withRanges) {
                view.hotRanges.addAll(arc.services()
                        .loads()
                        .hottestRanges(arc.services().peers().peersUncounted()));
            }
        }
        return view.status();
    }

    ZoneStatus status() {
        peers.remove(Nid.NONE);
        List<ZoneStatus.Holding> holdings = new ArrayList<>();
        peers.forEach((nid, held) -> holdings.add(new ZoneStatus.Holding(nid, held.ranges, held.zones, held.copies)));
        return new ZoneStatus(
                inSync,
                degraded,
                recovering,
                lost,
                recovered,
                recoveries.subList(0, Math.min(recoveries.size(), ZoneStatus.MAX_RECOVERIES)),
                holdings,
                hotRanges);
    }

    private Held held(int nid) {
        return peers.computeIfAbsent(nid, any -> new Held());
    }

    /**
     * Adds the zones of an arc. How many members they should have may have changed since their members were committed.
     *
     * @param wanted by owner, how many members its zones should have; asked once for each owner
     */
    void add(ZoneCounts counts, IntUnaryOperator wanted) {
        recovering += counts.recovering();
        lost += counts.lost();
        counts.forEachOwner((nid, byMembers) -> {
            int enough = wanted.applyAsInt(nid);
            for (int members = 0; members < byMembers.length; members++) {
                if (members < enough) {
                    degraded += byMembers[members];
                } else {
                    inSync += byMembers[members];
                }
                held(nid).zones += byMembers[members];
            }
        });
        counts.copies().forEach((nid, copies) -> held(nid).copies += copies);
    }
}
