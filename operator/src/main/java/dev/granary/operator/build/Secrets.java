package dev.granary.operator.build;

import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Names;
import dev.granary.operator.plan.SecretPlan;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The Secrets with the secret that proves the nodes and administrators of a cluster (ADR 0325), and how pods get it.
 * One that nodes mount never changes: nodes get another secret by a template that names another Secret (ADR 0376).
 */
public final class Secrets {
    /** The volume with the secret. A StatefulSet that has none is one of a cluster without a secret. */
    public static final String VOLUME = "cluster-secret";

    private static final String KEY = "cluster.secret";
    private static final String DIRECTORY = "/etc/granary-secret";

    /** The file with the secret in a container that has the volume. */
    public static final String FILE = DIRECTORY + "/" + KEY;

    private Secrets() {}

    /** Builds the Secret with a file of the nodes, which {@link SecretPlan} numbers. */
    public static Secret ofNodes(ClusterPlan plan, int file, String text) {
        return secret(plan, Names.nodesSecret(plan.name(), file), true, text);
    }

    /**
     * Builds the Secret of administrators after the first change. Its name stays and its content changes, so it is not
     * immutable: the kubelet would never look at it again.
     */
    public static Secret ofAdministrators(ClusterPlan plan, String text) {
        return secret(plan, Names.secret(plan.name()), null, text);
    }

    private static Secret secret(ClusterPlan plan, String name, @Nullable Boolean immutable, String text) {
        return new SecretBuilder()
                .withMetadata(Meta.of(plan, name, Names.labels(plan.name())))
                .withType("Opaque")
                .withImmutable(immutable)
                .withData(Map.of(KEY, Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8))))
                .build();
    }

    /** Returns the text that such a Secret has; {@code null} when it has none. */
    public static @Nullable String textOf(Secret secret) {
        return TlsSecrets.texts(secret).get(KEY);
    }

    /** Returns whether there is the volume of a secret among these. */
    public static boolean isAmong(@Nullable List<Volume> volumes) {
        return volumes != null && volumes.stream().anyMatch(volume -> VOLUME.equals(volume.getName()));
    }

    /** The volume with a Secret. */
    public static Volume volume(String secret) {
        return new VolumeBuilder()
                .withName(VOLUME)
                .withNewSecret()
                .withSecretName(secret)
                .endSecret()
                .build();
    }

    /** Where a container sees it. */
    public static VolumeMount mount() {
        return new VolumeMountBuilder()
                .withName(VOLUME)
                .withMountPath(DIRECTORY)
                .withReadOnly(true)
                .build();
    }
}
