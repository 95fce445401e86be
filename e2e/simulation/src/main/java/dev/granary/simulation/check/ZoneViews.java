package dev.granary.simulation.check;

import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Compares what arcs have committed about zones with what the owners of these zones do. Clients see no difference
 * before the owner dies: an owner that has forgotten a backup acknowledges changes without it, and the arc would take
 * that backup for one that has them all (SAFETY rule 1).
 */
public final class ZoneViews {

    private ZoneViews() {}

    /**
     * Returns one sentence for each zone that its owner does not know, or replicates to other backups than the arc has
     * committed.
     *
     * @param placements by the name of each super-peer, the placements in the arcs that it serves
     * @param backups by owner, for each of its zones the NIDs of the backups to which it replicates the zone
     */
    public static List<String> differences(
            Map<String, List<Placement>> placements, Map<Integer, Map<Integer, Set<Integer>>> backups) {
        List<String> differences = new ArrayList<>();
        placements.forEach((superPeer, placed) -> {
            for (Placement placement : placed) {
                if (placement.isServed()) {
                    Map<Integer, Set<Integer>> owned = backups.getOrDefault(placement.owner(), Map.of());
                    difference(superPeer, placement, owned.get(placement.zone()), differences);
                }
            }
        });
        return differences;
    }

    private static void difference(
            String superPeer, Placement placement, @Nullable Set<Integer> known, List<String> differences) {
        Set<Integer> committed =
                Arrays.stream(placement.backups()).boxed().collect(Collectors.toCollection(TreeSet::new));
        if (!committed.equals(known)) {
            differences.add("zone %s has backups %s in the arc at %s, and its owner %s %s"
                    .formatted(
                            BackupZone.nameOf(placement.zone()),
                            names(committed),
                            superPeer,
                            Nid.toHex(placement.owner()),
                            known == null ? "does not know it" : "replicates it to " + names(known)));
        }
    }

    private static List<String> names(Set<Integer> nids) {
        return nids.stream().map(Nid::toHex).toList();
    }
}
