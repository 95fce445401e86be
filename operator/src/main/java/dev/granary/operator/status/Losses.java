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
 * Which storage peers lost chunks: those that started anew without having handed everything over before. For each peer
 * that was stopped as planned it is written down below which LID everything had left it; until it is back the number is
 * negative and that of the start before.
 */
final class Losses {
    private Losses() {}

    /** What is written down, brought up to date. */
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

    /** Storage peers that lost chunks: others have what there are copies of, as long as no zone is without any. */
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
