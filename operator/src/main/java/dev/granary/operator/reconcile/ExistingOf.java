package dev.granary.operator.reconcile;

import dev.granary.operator.api.Granary;
import dev.granary.operator.api.GranaryStatus;
import dev.granary.operator.build.Ports;
import dev.granary.operator.build.Secrets;
import dev.granary.operator.build.TlsVolume;
import dev.granary.operator.plan.Existing;
import dev.granary.operator.plan.Names;
import dev.granary.operator.plan.SecretPlan;
import dev.granary.operator.plan.TemplateHistory;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntSupplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** Determines the existing parts of a cluster from its resource and its StatefulSets. */
final class ExistingOf {
    private ExistingOf() {}

    /**
     * Returns the existing parts. A StatefulSet is {@code null} when there is none.
     *
     * @param keptVolumes the number of pods of a role whose volumes an earlier resource of this name has left; asked
     *     only where nothing else tells how many pods there are
     */
    static Existing of(
            Granary granary,
            @Nullable StatefulSet superPeers,
            @Nullable StatefulSet storage,
            Existing.Devices devices,
            ToIntFunction<String> keptVolumes) {
        String recorded = granary.getStatus() != null ? granary.getStatus().clusterId() : null;
        if (recorded == null && superPeers != null && superPeers.getMetadata().getAnnotations() != null) {
            recorded = superPeers.getMetadata().getAnnotations().get(Names.CLUSTER_ID_ANNOTATION);
        }
        GranaryStatus status = granary.getStatus();
        Integer recordedSuperPeers = status == null || status.superPeers() == null
                ? null
                : (Integer) status.superPeers().replicas();
        Integer recordedStorage = status == null || status.storagePeers() == null
                ? null
                : (Integer) status.storagePeers().target();
        GranaryStatus.AutoscalerStatus autoscaler = autoscaler(status);
        return new Existing(
                role(superPeers, recordedSuperPeers, () -> keptVolumes.applyAsInt(Names.SUPER_PEER)),
                role(storage, recordedStorage, () -> keptVolumes.applyAsInt(Names.STORAGE)),
                autoscaler == null ? null : (Integer) autoscaler.replicas(),
                devices,
                recorded,
                isWithoutSecret(superPeers) || isWithoutSecret(storage),
                secret(superPeers, storage, status),
                isWithoutPorts(superPeers) || isWithoutPorts(storage),
                tls(superPeers, storage));
    }

    /** Returns whether the pods have TLS; {@code null} when there are none, which may get it or lose it. */
    private static @Nullable Boolean tls(@Nullable StatefulSet superPeers, @Nullable StatefulSet storage) {
        for (StatefulSet set : Arrays.asList(superPeers, storage)) {
            if (set != null && set.getSpec().getReplicas() > 0) {
                return TlsVolume.isAmong(set.getSpec().getTemplate().getSpec().getVolumes());
            }
        }
        return null;
    }

    private static boolean isWithoutSecret(@Nullable StatefulSet set) {
        return set != null
                && !Secrets.isAmong(set.getSpec().getTemplate().getSpec().getVolumes());
    }

    /**
     * Returns the record of changes of the secret. The status has it for a cluster that has lost its StatefulSets, or
     * their annotations.
     */
    private static @Nullable String secret(
            @Nullable StatefulSet superPeers, @Nullable StatefulSet storage, @Nullable GranaryStatus status) {
        String record = SecretPlan.further(record(superPeers), record(storage));
        return record != null || status == null || status.secret() == null
                ? record
                : status.secret().record();
    }

    private static @Nullable String record(@Nullable StatefulSet set) {
        return set == null || set.getMetadata().getAnnotations() == null
                ? null
                : set.getMetadata().getAnnotations().get(Names.SECRET_ANNOTATION);
    }

    private static boolean isWithoutPorts(@Nullable StatefulSet set) {
        return set != null && !Ports.areAmong(set.getSpec().getTemplate().getSpec());
    }

    /** Returns the autoscaler's part of a status, {@code null} for none. */
    static GranaryStatus.@Nullable AutoscalerStatus autoscaler(@Nullable GranaryStatus status) {
        return status == null || status.storagePeers() == null
                ? null
                : status.storagePeers().autoscaler();
    }

    private static Existing.Role role(@Nullable StatefulSet set, @Nullable Integer recorded, IntSupplier keptVolumes) {
        if (set == null) {
            int kept = recorded != null ? recorded : keptVolumes.getAsInt();
            return new Existing.Role(kept == 0 ? null : (Integer) kept, null, TemplateHistory.NONE);
        }
        Map<String, String> annotations = set.getMetadata().getAnnotations();
        String asleep = annotations == null ? null : annotations.get(Names.ASLEEP_ANNOTATION);
        PersistentVolumeClaim claim = set.getSpec().getVolumeClaimTemplates().isEmpty()
                ? null
                : set.getSpec().getVolumeClaimTemplates().getFirst();
        int now = asleep == null ? set.getSpec().getReplicas() : Integer.parseInt(asleep);
        return new Existing.Role(
                recorded == null ? now : Math.max(now, recorded),
                claim == null ? null : size(claim),
                TemplateHistory.of(set),
                asleep != null,
                claim);
    }

    private static @Nullable String size(PersistentVolumeClaim claim) {
        return Objects.toString(claim.getSpec().getResources().getRequests().get("storage"), null);
    }
}
