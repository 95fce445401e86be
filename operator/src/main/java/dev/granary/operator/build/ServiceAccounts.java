package dev.granary.operator.build;

import dev.granary.operator.api.ServiceAccountSpec;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Names;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import java.util.Map;
import java.util.TreeMap;

/** The identity of a cluster's pods. They never talk to the API server, so no token is mounted. */
public final class ServiceAccounts {
    private ServiceAccounts() {}

    /** Builds the service account. */
    public static ServiceAccount of(ClusterPlan plan) {
        ServiceAccountSpec asked = plan.serviceAccount();
        Map<String, String> labels = new TreeMap<>(asked.labels() == null ? Map.of() : asked.labels());
        labels.putAll(Names.labels(plan.name()));
        ObjectMeta meta = Meta.of(plan, Names.serviceAccount(plan.name()), labels);
        meta.setAnnotations(asked.annotations());
        return new ServiceAccountBuilder()
                .withMetadata(meta)
                .withAutomountServiceAccountToken(false)
                .build();
    }
}
