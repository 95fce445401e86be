package dev.granary.operator.reconcile;

import dev.granary.operator.api.Granary;
import dev.granary.operator.plan.Names;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds the volumes that an earlier resource of the same name has left ({@code volumeRetention.whenDeleted: Retain}). A
 * cluster goes on with them only when all its super-peers start together: one of three has no majority (ADR 0237).
 */
final class KeptVolumes {
    private final KubernetesClient client;

    KeptVolumes(KubernetesClient client) {
        this.client = client;
    }

    /** Returns the number of pods of a role that need these volumes: one more than the highest ordinal, 0 for none. */
    int count(Granary granary, String component) {
        String name = granary.getMetadata().getName();
        Pattern ofAPod = Names.claims(name, component);
        return client
                .persistentVolumeClaims()
                .inNamespace(granary.getMetadata().getNamespace())
                .withLabels(Names.selector(name, component))
                .list()
                .getItems()
                .stream()
                // Volumes with an owner go with it, because an earlier resource wanted that.
                .filter(claim -> claim.getMetadata().getDeletionTimestamp() == null
                        && claim.getMetadata().getOwnerReferences().isEmpty())
                .map(claim -> ofAPod.matcher(claim.getMetadata().getName()))
                .filter(Matcher::matches)
                .mapToInt(claim -> 1 + Integer.parseInt(claim.group(1)))
                .max()
                .orElse(0);
    }
}
