package dev.granary.operator.reconcile;

import dev.granary.net.access.ClusterSecret;
import dev.granary.operator.api.GranaryStatus;
import dev.granary.operator.build.Secrets;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.InvalidSpecException;
import dev.granary.operator.plan.Names;
import dev.granary.operator.plan.SecretPlan;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the Secrets with the secret of a cluster (ADR 0376): one with the file of its nodes, and one with the secret of
 * its administrators, which are the same Secret until the secret is first changed. They are neither watched nor listed.
 * Thread-safe; one thread at a time for a resource.
 *
 * <p>Invariants: (1) a Secret that nodes mount is never changed, and is there before a template names it; (2) each file
 * follows from the one before, but for the new secret that is drawn with the first file of a change. So an operator
 * that ends between two writes goes on where it was; (3) administrators prove themselves as nodes with the newest file
 * do.
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
     * Makes the Secrets that the plan asks for, and deletes those of a change that has ended.
     *
     * @param before the last status, {@code null} for none
     * @return the file of the nodes, with which the operator administers the cluster; {@code null} for a cluster that
     *     runs without a secret
     * @throws NameTakenException when a Secret belongs to someone else, or has no secret
     * @throws InvalidSpecException when a Secret from which another one is to be made is gone
     */
    @Nullable
    String keep(ClusterPlan plan, @Nullable GranaryStatus before) {
        SecretPlan secret = plan.secret();
        if (secret == null) {
            return null;
        }
        String nodes = text(plan, secret.file());
        if (nodes == null) {
            nodes = file(plan, secret);
            // Whoever makes it in this moment makes this call fail, and the next one finds it.
            client.resource(Secrets.ofNodes(plan, secret.file(), nodes)).create();
        }
        if (secret.file() == 0) {
            return nodes;
        }
        keepOfAdministrators(plan, first(nodes));
        if (secret.phase() == SecretPlan.Phase.STEADY && !wasSteady(before)) {
            deleteFormer(plan, secret.file());
        }
        return nodes;
    }

    private static boolean wasSteady(@Nullable GranaryStatus before) {
        return before != null
                && before.secret() != null
                && before.secret().phase().equals(SecretPlan.Phase.STEADY.text());
    }

    /** Returns the content of a file that is to be made. */
    private String file(ClusterPlan plan, SecretPlan secret) {
        if (secret.file() == 0) {
            return ClusterSecret.random(random);
        }
        String former = text(plan, secret.file() - 1);
        // It has the one secret that nodes prove themselves by, which is all that is needed but for two.
        String usual = former != null ? former : text(plan, 0);
        return switch (secret.phase()) {
            case ACCEPTING -> first(known(plan, secret, usual)) + "\n" + ClusterSecret.random(random);
            case PROVING ->
                String.join("\n", known(plan, secret, former).lines().toList().reversed());
            case ENDING, STEADY -> first(known(plan, secret, usual));
        };
    }

    private static String known(ClusterPlan plan, SecretPlan secret, @Nullable String text) {
        if (text == null) {
            throw new InvalidSpecException("Secret " + Names.nodesSecret(plan.name(), secret.file() - 1)
                    + " is gone, without which Secret " + Names.nodesSecret(plan.name(), secret.file())
                    + " cannot be made. Restore either of them with its ownerReferences; running pods have its content"
                    + " in the file " + Secrets.FILE);
        }
        return text;
    }

    private static String first(String text) {
        return text.lines().findFirst().orElseThrow();
    }

    /** Returns the content of a file, {@code null} when there is no such Secret. */
    private @Nullable String text(ClusterPlan plan, int file) {
        Secret found = own(plan, Names.nodesSecret(plan.name(), file));
        return found == null ? null : Secrets.textOf(found);
    }

    /** Returns the Secret of this name, {@code null} when there is none. */
    private @Nullable Secret own(ClusterPlan plan, String name) {
        Secret found =
                client.secrets().inNamespace(plan.namespace()).withName(name).get();
        if (found != null && (!Applier.isOwnedBy(found, plan.uid()) || Secrets.textOf(found) == null)) {
            throw new NameTakenException(
                    "Secret " + name
                            + " exists already and is not the secret of this cluster. Delete it, or give the Granary another name");
        }
        return found;
    }

    private void keepOfAdministrators(ClusterPlan plan, String text) {
        Secret found = own(plan, Names.secret(plan.name()));
        Secret wanted = Secrets.ofAdministrators(plan, text);
        if (found != null && text.equals(Secrets.textOf(found))) {
            return;
        }
        if (found != null && !Objects.equals(found.getImmutable(), true)) {
            // Unless somebody has changed it since it was read.
            wanted.getMetadata().setResourceVersion(found.getMetadata().getResourceVersion());
            client.resource(wanted).update();
            return;
        }
        if (found != null) {
            delete(found);
        }
        client.resource(wanted).create();
    }

    /** Deletes the files before this one: two of the change, and the one with the old secret alone. */
    private void deleteFormer(ClusterPlan plan, int file) {
        for (int former : List.of(file - 1, file - 2, file - SecretPlan.FILES)) {
            Secret found = former == 0 ? null : own(plan, Names.nodesSecret(plan.name(), former));
            if (found != null) {
                delete(found);
            }
        }
    }

    private void delete(Secret found) {
        client.resource(found)
                .lockResourceVersion(found.getMetadata().getResourceVersion())
                .delete();
    }
}
