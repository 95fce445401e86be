package dev.granary.operator.status;

import dev.granary.operator.api.GranaryStatus.ChunksStatus;
import dev.granary.operator.observe.ClusterView;
import dev.granary.operator.observe.ClusterView.StoragePeer;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.steer.Stop;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds the storage peers that lost chunks: those that restarted before they had handed over all their chunks. For each
 * storage peer that was stopped as planned, the status has the LID below which the peer had handed over everything.
 * Until the peer is back, the number is negative and belongs to its former incarnation.
 */
final class Losses {
    private Losses() {}

    /** Returns the LIDs in the status for planned stops, brought up to date. */
    static Map<String, Long> planned(@Nullable ChunksStatus before, ClusterView view, List<Stop> stops) {
        Map<String, Long> planned = new TreeMap<>();
        if (before != null && before.plannedBelow() != null) {
            planned.putAll(before.plannedBelow());
        }
        for (Stop stop : stops) {
            if (stop.phase() == Stop.Phase.RELEASED) {
                view.storagePeer(stop.pod()).ifPresent(peer -> planned.put(stop.pod(), -peer.lostLidsBelow()));
            }
        }
        planned.replaceAll((pod, below) -> view.storagePeer(pod)
                .map(StoragePeer::lostLidsBelow)
                .filter(now -> below < 0 && now > -below)
                .orElse(below));
        return planned;
    }

    /**
     * Returns the number of storage peers that lost chunks. With backups it is 0 while every zone has a copy, because
     * other storage peers have taken over the chunks.
     */
    static int count(ClusterPlan.Copies copies, ClusterView view, Map<String, Long> planned) {
        ClusterView.Zones zones = view.zones();
        if (copies.backups() > 0 && zones != null && zones.lost() == 0) {
            return 0;
        }
        return (int) view.storagePeers().stream()
                .filter(peer -> peer.lostLidsBelow() > 1
                        && Math.abs(planned.getOrDefault(peer.name(), 0L)) != peer.lostLidsBelow())
                .count();
    }
}
