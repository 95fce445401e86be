package dev.granary.operator.observe;

import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Names;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The volumes of pods that the cluster does not run any more. They stay because the resource wants that, or because a
 * super-peer may come back, and somebody pays for them.
 */
public record UnusedVolumes(List<Volume> volumes) {
    /** All volumes are in use. */
    public static final UnusedVolumes NONE = new UnusedVolumes(List.of());

    /** Copies the list. */
    public UnusedVolumes {
        volumes = List.copyOf(volumes);
    }

    /**
     * A volume.
     *
     * @param claim name of its claim
     * @param size its size, {@code null} when that is not known
     */
    public record Volume(String claim, @Nullable String size) {}

    /**
     * Looks for the volumes that no pod needs: those with higher ordinals than the pods that are to run. A pod that has
     * not gone yet needs its volume.
     *
     * @param claims all claims of the cluster
     */
    public static UnusedVolumes of(
            ClusterPlan plan, Collection<PersistentVolumeClaim> claims, PodsView superPeers, PodsView storage) {
        List<Volume> unused = new ArrayList<>();
        unused.addAll(of(plan.name(), Names.STORAGE, plan.storage().replicas(), claims, storage));
        unused.addAll(of(plan.name(), Names.SUPER_PEER, plan.superPeers().replicas(), claims, superPeers));
        return unused.isEmpty() ? NONE : new UnusedVolumes(unused);
    }

    private static List<Volume> of(
            String cluster, String component, int replicas, Collection<PersistentVolumeClaim> claims, PodsView pods) {
        Set<Integer> there = pods.pods().stream().map(PodView::ordinal).collect(Collectors.toSet());
        Pattern ofAPod = Names.claims(cluster, component);
        record Unused(int ordinal, Volume volume) {}
        List<Unused> unused = new ArrayList<>();
        for (PersistentVolumeClaim claim : claims) {
            Matcher name = ofAPod.matcher(claim.getMetadata().getName());
            if (name.matches() && claim.getMetadata().getDeletionTimestamp() == null) {
                int ordinal = Integer.parseInt(name.group(1));
                if (ordinal >= replicas && !there.contains(ordinal)) {
                    unused.add(
                            new Unused(ordinal, new Volume(claim.getMetadata().getName(), size(claim))));
                }
            }
        }
        return unused.stream()
                .sorted(Comparator.comparingInt(Unused::ordinal))
                .map(Unused::volume)
                .toList();
    }

    private static @Nullable String size(PersistentVolumeClaim claim) {
        Map<String, Quantity> capacity =
                claim.getStatus() == null ? null : claim.getStatus().getCapacity();
        Quantity size = capacity == null ? null : capacity.get("storage");
        return size == null ? null : size.toString();
    }
}
