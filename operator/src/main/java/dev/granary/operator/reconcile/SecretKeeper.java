package dev.granary.operator.reconcile;

import dev.granary.net.access.ClusterSecret;
import dev.granary.operator.build.Secrets;
import dev.granary.operator.plan.ClusterPlan;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Makes the Secret of a cluster once, and reads it. It is neither watched nor changed nor listed, so the operator needs
 * no more than the rights to get and to create Secrets. Thread-safe.
 */
final class SecretKeeper {
    private final KubernetesClient client;
    private final RandomGenerator random;

    /** @param random draws secrets; nobody can predict it */
    SecretKeeper(KubernetesClient client, RandomGenerator random) {
        this.client = client;
        this.random = random;
    }

    /**
     * Returns the secret of a cluster, and makes it when there is none; {@code null} for a cluster that runs without.
     *
     * @throws NameTakenException when the Secret belongs to someone else, or has no secret
     */
    @Nullable
    String keep(ClusterPlan plan) {
        if (!plan.hasSecret()) {
            return null;
        }
        Secret wanted = Secrets.of(plan, ClusterSecret.random(random));
        Secret found = client.resource(wanted).get();
        if (found == null) {
            // Whoever makes it in this moment makes this call fail, and the next one finds it.
            client.resource(wanted).create();
            return Secrets.textOf(wanted);
        }
        String text = Applier.isOwnedBy(found, plan.uid()) ? Secrets.textOf(found) : null;
        if (text == null) {
            throw new NameTakenException(
                    "Secret " + found.getMetadata().getName()
                            + " exists already and is not the secret of this cluster. Delete it, or give the Granary another name");
        }
        return text;
    }
}
