package dev.granary.operator.status;

import dev.granary.operator.api.GranaryStatus;
import dev.granary.operator.observe.ClusterView;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Sizes;
import dev.granary.operator.plan.VolumeSizes;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Makes the condition about the volumes of the storage peers, which hold the copies of others' chunks. It begins at one
 * bound and ends at a lower one, like those about memory.
 */
final class DiskConditions {
    private static final String NEARLY_FULL = "DisksNearlyFull";
    private static final double FULL = 0.85;
    private static final double EASED = 0.80;

    private final ClusterPlan plan;
    private final @Nullable GranaryStatus previous;

    DiskConditions(ClusterPlan plan, @Nullable GranaryStatus previous) {
        this.plan = plan;
        this.previous = previous;
    }

    /** Returns the condition that volumes are nearly full, or too small for what they are to hold. */
    Verdict pressure(ClusterView view) {
        long size = Sizes.bytes(
                "storagePeers.volume.size", new Quantity(plan.storage().volumeSize()));
        Condition before = StatusBuilder.find(previous, Conditions.DISK_PRESSURE);
        boolean was = before != null && NEARLY_FULL.equals(before.getReason());
        double bound = was ? EASED : FULL;
        String full = view.storagePeers().stream()
                .filter(peer -> peer.live() && peer.logBytes() > bound * size)
                .map(peer -> peer.name() + " " + MemoryConditions.percent((double) peer.logBytes() / size))
                .collect(Collectors.joining(", "));
        if (!full.isEmpty()) {
            return Verdict.yes(
                    Conditions.DISK_PRESSURE,
                    NEARLY_FULL,
                    "volumes of " + plan.storage().volumeSize() + " that are nearly full of copies: " + full
                            + ". A storage peer with a full volume takes no changes of the zones that it backs up. Raise"
                            + " spec.storagePeers.volume.size, or spec.storagePeers.replicas");
        }
        long copies = copies();
        long needed = VolumeSizes.ofCopies(copies, plan.storage().memory());
        if (needed > size) {
            return Verdict.yes(
                    Conditions.DISK_PRESSURE,
                    "VolumesTooSmall",
                    "a volume has " + plan.storage().volumeSize() + ", but " + copies + " copies of "
                            + Sizes.text(plan.storage().memory().chunkBytes()) + " of chunks take about "
                            + Sizes.text(needed) + ": raise spec.storagePeers.volume.size before the memory is full");
        }
        return Verdict.no(
                Conditions.DISK_PRESSURE,
                "Enough",
                "volumes of " + plan.storage().volumeSize() + " hold the about " + Sizes.text(needed)
                        + " that copies take when the memory is full");
    }

    private long copies() {
        return Math.clamp(plan.storage().wantedReplicas() - 1L, 0, plan.copies().backups());
    }
}
