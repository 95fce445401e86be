package dev.granary.superpeer;

import dev.granary.net.message.ZoneStatus;
import dev.granary.overlay.Nid;
import dev.granary.superpeer.state.ZoneMember;
import dev.granary.superpeer.state.ZoneRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What the arcs that this super-peer serves tell about their zones. Tasks of the node's scheduler. */
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

    private ZoneStatusView() {}

    /** Of these arcs, which this super-peer serves. */
    static ZoneStatus of(List<ArcReplica> arcs) {
        ZoneStatusView view = new ZoneStatusView();
        for (ArcReplica arc : arcs) {
            arc.state().zones().forEach(zone -> view.add(zone, arc.services().zones()));
            arc.state().rangesByOwner().forEach((nid, ranges) -> view.held(nid).ranges += ranges);
            RecoveryDriver driver = arc.services().zones().recoveries();
            view.recovered += driver.recoveredCount();
            view.recoveries.addAll(driver.list());
        }
        view.peers.remove(Nid.NONE);
        List<ZoneStatus.Holding> holdings = new ArrayList<>();
        view.peers.forEach(
                (nid, held) -> holdings.add(new ZoneStatus.Holding(nid, held.ranges, held.zones, held.copies)));
        return new ZoneStatus(
                view.inSync,
                view.degraded,
                view.recovering,
                view.lost,
                view.recovered,
                view.recoveries.subList(0, Math.min(view.recoveries.size(), ZoneStatus.MAX_RECOVERIES)),
                holdings);
    }

    private Held held(int nid) {
        return peers.computeIfAbsent(nid, any -> new Held());
    }

    /** What a zone should have may have changed since its members were committed. */
    private void add(ZoneRecord zone, ZoneService service) {
        switch (zone.placement().state()) {
            case IN_SYNC, DEGRADED -> {
                if (service.isDegraded(zone)) {
                    degraded++;
                } else {
                    inSync++;
                }
            }
            case RECOVERING -> recovering++;
            case LOST -> lost++;
        }
        held(zone.placement().owner()).zones++;
        for (ZoneMember member : zone.members()) {
            held(member.nid()).copies++;
        }
    }
}
