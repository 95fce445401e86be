package dev.granary.operator.plan;

import dev.granary.operator.api.Granary;
import dev.granary.operator.api.GranarySpec;
import dev.granary.operator.api.LoggingSpec;
import dev.granary.operator.api.MonitoringSpec;
import dev.granary.operator.api.NetworkPolicySpec;
import dev.granary.operator.api.PodOverridesSpec;
import dev.granary.operator.api.RdmaSpec;
import dev.granary.operator.api.Reference;
import dev.granary.operator.api.ServiceAccountSpec;
import dev.granary.operator.api.StorageSpec;
import dev.granary.operator.api.StorageVolumeSpec;
import dev.granary.operator.api.SuperPeerVolumeSpec;
import dev.granary.operator.api.SuperPeersSpec;
import dev.granary.operator.api.TlsSpec;
import dev.granary.operator.api.UpdateStrategySpec;
import dev.granary.operator.api.VolumeRetentionSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Makes the {@link ClusterPlan} of a resource. Repeats the defaults of the CRD, for resources that an older CRD has
 * accepted.
 *
 * <p>Invariants: (1) the plan keeps the numbers of pods that exist; the rollout changes them step by step ({@link
 * dev.granary.operator.steer}); (2) a size that is part of a volume template stays as it was; (3) a cluster whose
 * resource names no image keeps its image, also when the operator is upgraded.
 */
public final class Planner {
    private static final int SAFE_RING = 3;

    private final OperatorDefaults defaults;

    /** Makes a planner with the operator's own settings. */
    public Planner(OperatorDefaults defaults) {
        this.defaults = defaults;
    }

    /**
     * Returns the plan of a resource, given what exists.
     *
     * @throws InvalidSpecException when the resource asks for something impossible
     */
    public ClusterPlan plan(Granary granary, Existing existing) {
        GranarySpec spec = or(granary.getSpec(), GranarySpec.NONE);
        StorageSpec storage = or(spec.storagePeers(), StorageSpec.NONE);
        SuperPeersSpec superPeers = or(spec.superPeers(), SuperPeersSpec.NONE);
        TlsPlan tls = tls(spec.tls(), granary, existing);
        int wantedStorage = storage.autoscaling() != null
                ? Math.clamp(
                        or(existing.autoscaled(), or(storage.replicas(), 3)),
                        storage.autoscaling().min(),
                        storage.autoscaling().max())
                : or(storage.replicas(), 3);
        return new ClusterPlan(
                granary.getMetadata().getNamespace(),
                granary.getMetadata().getName(),
                granary.getMetadata().getUid(),
                image(spec.image(), existing),
                or(spec.imagePullPolicy(), defaults.imagePullPolicy()),
                or(spec.imagePullSecrets(), List.<Reference>of()).stream()
                        .map(Reference::name)
                        .toList(),
                superPeers(superPeers, wantedStorage, existing),
                storage(storage, wantedStorage, existing),
                copies(storage),
                rdma(spec.rdma(), wantedStorage, existing.devices()),
                RedisPlan.of(
                        spec.redis(),
                        granary.getMetadata().getName(),
                        storage.autoscaling() != null ? storage.autoscaling().max() : wantedStorage,
                        tls),
                logging(or(spec.logging(), LoggingSpec.NONE)),
                or(superPeers.console(), false),
                access(spec),
                defaults.usersAssigned(),
                or(spec.hibernate(), false),
                update(spec.updateStrategy(), annotation(granary, Names.RETRY_ANNOTATION)),
                or(spec.serviceAccount(), ServiceAccountSpec.NONE),
                retention(or(spec.volumeRetention(), VolumeRetentionSpec.NONE)),
                offeredImage(spec.image(), existing),
                secret(granary, existing),
                !existing.withoutPorts(),
                tls,
                existing.clusterId());
    }

    private static @Nullable TlsPlan tls(@Nullable TlsSpec spec, Granary granary, Existing existing) {
        TlsPlan plan = TlsPlan.of(spec, granary);
        Boolean has = existing.tls();
        if (has != null && has != (plan != null)) {
            throw new InvalidSpecException("tls.enabled cannot become " + !has
                    + " while pods run, because those with and without TLS refuse each other. Set it back to " + has
                    + ", set hibernate to true, and when the cluster is asleep set both as you want them");
        }
        return plan;
    }

    private static ClusterPlan.Role superPeers(SuperPeersSpec spec, int storageReplicas, Existing existing) {
        int wanted = ringSize(spec, storageReplicas);
        SuperPeerVolumeSpec volume = spec.volume() != null ? spec.volume() : new SuperPeerVolumeSpec(null, null);
        String size = or(volume.size(), new Quantity("1Gi")).toString();
        return new ClusterPlan.Role(
                // Super-peers start one by one, so that their ordinals are in the order of their places on the ring.
                or(existing.superPeers().replicas(), 1),
                wanted,
                MemoryPlan.forSuperPeer(Sizes.bytes("superPeers.memory", or(spec.memory(), new Quantity("512Mi")))),
                ComputePlan.of("superPeers.resources", spec.resources(), SuperPeersSpec.CPU),
                size,
                or(existing.superPeers().volume(), size),
                volume.storageClassName(),
                pods("superPeers", spec.pod()),
                existing.superPeers().history(),
                false,
                existing.superPeers().asleep(),
                existing.superPeers().claim());
    }

    private static ClusterPlan.Role storage(StorageSpec spec, int wanted, Existing existing) {
        StorageVolumeSpec volume = spec.volume() != null ? spec.volume() : new StorageVolumeSpec(null, null);
        MemoryPlan memory =
                MemoryPlan.forStorage(Sizes.bytes("storagePeers.memory", or(spec.memory(), new Quantity("2Gi"))));
        int copies = or(spec.copies(), ClusterPlan.Copies.DEFAULT.backups());
        // Volumes that exist stay as they are until the resource asks for a size.
        String size = volume.size() != null
                ? volume.size().toString()
                : or(existing.storage().volume(), VolumeSizes.byDefault(copies, memory));
        return new ClusterPlan.Role(
                or(existing.storage().replicas(), wanted),
                wanted,
                memory,
                ComputePlan.of("storagePeers.resources", spec.resources(), StorageSpec.CPU),
                size,
                or(existing.storage().volume(), size),
                volume.storageClassName(),
                pods("storagePeers", spec.pod()),
                existing.storage().history(),
                false,
                existing.storage().asleep(),
                existing.storage().claim());
    }

    /** Returns what pods get from the resource, once it is known that all of it can be read. */
    private static PodOverridesSpec pods(String role, @Nullable PodOverridesSpec asked) {
        PodOverridesSpec pods = or(asked, PodOverridesSpec.NONE);
        PodParts.of(role + ".pod", pods);
        return pods;
    }

    private static ClusterPlan.Copies copies(StorageSpec spec) {
        int backups = or(spec.copies(), ClusterPlan.Copies.DEFAULT.backups());
        String durability = oneOf(
                "storagePeers.durability",
                or(spec.durability(), ClusterPlan.Copies.DEFAULT.durability()),
                ClusterPlan.Copies.LEVELS);
        if (backups < 0 || backups > ClusterPlan.Copies.MAX_BACKUPS) {
            throw new InvalidSpecException("storagePeers.copies is " + backups + ", but must be from 0 to 3");
        }
        int leaseSeconds = or(spec.leaseSeconds(), ClusterPlan.Copies.DEFAULT.leaseSeconds());
        if (leaseSeconds < 1 || leaseSeconds > ClusterPlan.Copies.MAX_LEASE_SECONDS) {
            throw new InvalidSpecException(
                    "storagePeers.leaseSeconds is " + leaseSeconds + ", but must be from 1 to 60");
        }
        return new ClusterPlan.Copies(backups, durability, leaseSeconds);
    }

    private static ClusterPlan.Logging logging(LoggingSpec spec) {
        return new ClusterPlan.Logging(
                oneOf("logging.format", or(spec.format(), ClusterPlan.Logging.DEFAULT.format()), LoggingSpec.FORMATS),
                oneOf("logging.level", or(spec.level(), ClusterPlan.Logging.DEFAULT.level()), LoggingSpec.LEVELS));
    }

    static String oneOf(String field, String asked, List<String> possible) {
        if (!possible.contains(asked)) {
            throw new InvalidSpecException(field + " is " + asked + ", but must be "
                    + String.join(", ", possible.subList(0, possible.size() - 1)) + " or " + possible.getLast());
        }
        return asked;
    }

    private String image(@Nullable String asked, Existing existing) {
        return or(asked, or(existing.superPeers().history().image(), defaults.image()));
    }

    /** The operator's image where a cluster that keeps its own could have it. */
    private @Nullable String offeredImage(@Nullable String asked, Existing existing) {
        return asked == null && !image(null, existing).equals(defaults.image()) ? defaults.image() : null;
    }

    private static ClusterPlan.Retention retention(VolumeRetentionSpec spec) {
        return new ClusterPlan.Retention(
                retention("whenDeleted", or(spec.whenDeleted(), VolumeRetentionSpec.RETAIN)),
                retention("whenScaled", or(spec.whenScaled(), VolumeRetentionSpec.RETAIN)));
    }

    private static String retention(String field, String asked) {
        return oneOf(
                "volumeRetention." + field, asked, List.of(VolumeRetentionSpec.RETAIN, VolumeRetentionSpec.DELETE));
    }

    private static @Nullable SecretPlan secret(Granary granary, Existing existing) {
        if (existing.withoutSecret()) {
            return null;
        }
        boolean exists = existing.superPeers().history().rendered() != null
                || existing.storage().history().rendered() != null;
        return SecretPlan.of(existing.secret(), annotation(granary, Names.CHANGE_SECRET_ANNOTATION), exists);
    }

    private static @Nullable String annotation(Granary granary, String name) {
        Map<String, String> annotations = granary.getMetadata().getAnnotations();
        return annotations == null ? null : annotations.get(name);
    }

    private static ClusterPlan.Update update(@Nullable UpdateStrategySpec spec, @Nullable String retry) {
        if (spec == null) {
            return new ClusterPlan.Update(
                    false, UpdateStrategySpec.CANARY_SECONDS, UpdateStrategySpec.DEADLINE_SECONDS, retry);
        }
        return new ClusterPlan.Update(
                or(spec.paused(), false),
                or(spec.canarySeconds(), UpdateStrategySpec.CANARY_SECONDS),
                or(spec.deadlineSeconds(), UpdateStrategySpec.DEADLINE_SECONDS),
                retry);
    }

    /** Whether the resource leaves the use of RDMA devices to the Kubernetes nodes. */
    public static boolean asksNodes(@Nullable RdmaSpec spec) {
        return spec != null && RdmaSpec.AUTO.equals(spec.mode());
    }

    /** The extended resource of the devices. */
    public static String resourceName(RdmaSpec spec) {
        return or(spec.resourceName(), "rdma/hca_shared_devices_a");
    }

    private static ClusterPlan.@Nullable Rdma rdma(
            @Nullable RdmaSpec spec, int storagePeers, Existing.Devices devices) {
        boolean required = spec != null && RdmaSpec.REQUIRED.equals(spec.mode());
        if (spec == null || !(required || asksNodes(spec))) {
            return null;
        }
        int count = or(spec.count(), 1);
        return new ClusterPlan.Rdma(
                resourceName(spec),
                count,
                new TreeMap<>(or(spec.nodeSelector(), Map.of())),
                required,
                required || isGranted(devices, (long) count * storagePeers),
                devices.available());
    }

    /**
     * Whether storage pods ask for devices. Takes a grant back only when a pod waits for a device, so that the restart
     * of a Kubernetes node causes no rollout (ADR 0114).
     */
    private static boolean isGranted(Existing.Devices devices, long needed) {
        Long available = devices.available();
        boolean enough = available != null && available >= needed;
        return devices.granted() ? available == null || enough || !devices.missing() : enough;
    }

    private ClusterPlan.Access access(GranarySpec spec) {
        NetworkPolicySpec policy = spec.networkPolicy();
        MonitoringSpec monitoring = spec.monitoring();
        return new ClusterPlan.Access(
                policy != null && or(policy.enabled(), false) ? policy : null,
                monitoring != null && or(monitoring.podMonitor(), false) ? monitoring : null,
                defaults.namespace());
    }

    /**
     * Returns the number of super-peers that a spec asks for: {@code replicas}, or else the number of storage peers
     * divided by {@code storagePeersEach}, rounded up, within {@code min} and {@code max}.
     */
    static int ringSize(SuperPeersSpec spec, int storageReplicas) {
        int max = or(spec.max(), SuperPeersSpec.MOST);
        // With three, the ring outlives the loss of any; a cluster of one or two storage peers outlives no such loss.
        int min = or(spec.min(), storageReplicas >= SAFE_RING ? Math.min(SAFE_RING, max) : 1);
        if (min > max) {
            throw new InvalidSpecException("superPeers.min is " + min + " but superPeers.max is " + max);
        }
        Integer replicas = spec.replicas();
        if (replicas != null && (replicas < 1 || replicas > SuperPeersSpec.MOST)) {
            throw new InvalidSpecException("superPeers.replicas is " + replicas + ", but must be from 1 to 9");
        }
        int each = or(spec.storagePeersEach(), SuperPeersSpec.STORAGE_PEERS_EACH);
        if (each < 1) {
            throw new InvalidSpecException("superPeers.storagePeersEach is " + each + ", but must be at least 1");
        }
        return replicas != null ? replicas : Math.clamp(Math.ceilDiv(storageReplicas, each), min, max);
    }

    private static <T> T or(@Nullable T value, T otherwise) {
        return value != null ? value : otherwise;
    }
}
