package dev.granary.operator.plan;

import dev.granary.operator.api.Granary;
import dev.granary.operator.api.GranarySpec;
import dev.granary.operator.api.RdmaSpec;
import dev.granary.operator.api.StorageSpec;
import dev.granary.operator.api.StorageVolumeSpec;
import dev.granary.operator.api.SuperPeerVolumeSpec;
import dev.granary.operator.api.SuperPeersSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Makes a {@link ClusterPlan} of a resource. The defaults are those of the CRD, said again for resources that an older CRD let through.
 *
 * <p>Invariants: (1) the number of super-peers never changes once there are some; (2) the number of storage peers never shrinks, since
 * this version cannot move chunks off a peer; (3) a size that is part of a volume template stays as it was.
 */
public final class Planner {
    private final OperatorDefaults defaults;

    /** Makes a planner with the operator's own settings. */
    public Planner(OperatorDefaults defaults) {
        this.defaults = defaults;
    }

    /**
     * The plan of a resource, given what exists.
     *
     * @throws InvalidSpecException when the resource asks for something impossible
     */
    public ClusterPlan plan(Granary granary, Existing existing) {
        GranarySpec spec = granary.getSpec() != null
                ? granary.getSpec()
                : new GranarySpec(null, null, null, null, null, null, null);
        StorageSpec storage = spec.storage() != null ? spec.storage() : new StorageSpec(null, null, null, null);
        SuperPeersSpec superPeers =
                spec.superPeers() != null ? spec.superPeers() : new SuperPeersSpec(null, null, null, null, null, null);
        int wantedStorage = or(storage.replicas(), 3);
        return new ClusterPlan(
                granary.getMetadata().getNamespace(),
                granary.getMetadata().getName(),
                granary.getMetadata().getUid(),
                or(spec.image(), defaults.image()),
                or(spec.imagePullPolicy(), defaults.imagePullPolicy()),
                or(spec.imagePullSecrets(), List.of()),
                superPeers(superPeers, wantedStorage, existing),
                storage(storage, wantedStorage, existing),
                rdma(spec.rdma()),
                existing.clusterId());
    }

    private static ClusterPlan.Role superPeers(SuperPeersSpec spec, int storageReplicas, Existing existing) {
        int wanted = ringSize(or(spec.share(), 0.08), or(spec.min(), 1), or(spec.max(), 9), storageReplicas);
        SuperPeerVolumeSpec volume = spec.volume() != null ? spec.volume() : new SuperPeerVolumeSpec(null, null);
        String size = or(volume.size(), new Quantity("1Gi")).toString();
        return new ClusterPlan.Role(
                or(existing.superPeers(), wanted),
                wanted,
                MemoryPlan.forSuperPeer(Sizes.bytes("superPeers.memory", or(spec.memory(), new Quantity("512Mi")))),
                or(spec.cpu(), new Quantity("100m")).toString(),
                size,
                or(existing.superPeerVolume(), size),
                volume.storageClassName());
    }

    private static ClusterPlan.Role storage(StorageSpec spec, int wanted, Existing existing) {
        StorageVolumeSpec volume = spec.volume() != null ? spec.volume() : new StorageVolumeSpec(null, null);
        String size = or(volume.size(), new Quantity("10Gi")).toString();
        return new ClusterPlan.Role(
                Math.max(wanted, or(existing.storagePeers(), 0)),
                wanted,
                MemoryPlan.forStorage(Sizes.bytes("storage.memory", or(spec.memory(), new Quantity("2Gi")))),
                or(spec.cpu(), new Quantity("100m")).toString(),
                size,
                or(existing.storageVolume(), size),
                volume.storageClassName());
    }

    private static ClusterPlan.@Nullable Rdma rdma(@Nullable RdmaSpec spec) {
        if (spec == null
                || spec.mode() == null
                || !(spec.mode().equals("on") || spec.mode().equals("true"))) {
            return null;
        }
        return new ClusterPlan.Rdma(
                or(spec.resourceName(), "rdma/hca_shared_devices_a"),
                or(spec.count(), 1),
                new TreeMap<>(or(spec.nodeSelector(), Map.of())));
    }

    /** Super-peers that {@code share} of the storage peers makes, rounded up, within {@code min} and {@code max}. */
    static int ringSize(double share, int min, int max, int storageReplicas) {
        if (min > max) {
            throw new InvalidSpecException("superPeers.min is " + min + " but superPeers.max is " + max);
        }
        // A share such as 0.08 has no exact binary form: 25 * 0.08 must be 2, not a little more.
        double exact = share * storageReplicas;
        int wanted = (int) Math.ceil(exact - 1e-9);
        return Math.clamp(wanted, min, max);
    }

    private static <T> T or(@Nullable T value, T otherwise) {
        return value != null ? value : otherwise;
    }
}
