package dev.granary.operator.build;

import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Names;
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
 * The secret that proves the nodes and administrators of a cluster (ADR 0325), and how pods get it. It lives as long as
 * the Granary does, and never changes.
 */
public final class Secrets {
    /** The volume with the secret. A StatefulSet that has none is one of a cluster without a secret. */
    public static final String VOLUME = "cluster-secret";

    private static final String KEY = "cluster.secret";
    private static final String DIRECTORY = "/etc/granary-secret";

    /** The file with the secret in a container that has the volume. */
    public static final String FILE = DIRECTORY + "/" + KEY;

    private Secrets() {}

    /** Builds the Secret. */
    public static Secret of(ClusterPlan plan, String text) {
        return new SecretBuilder()
                .withMetadata(Meta.of(plan, Names.secret(plan.name()), Names.labels(plan.name())))
                .withType("Opaque")
                .withImmutable(true)
                .withData(Map.of(KEY, Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8))))
                .build();
    }

    /** Returns the text that a Secret of {@link #of} has; {@code null} when it has none. */
    public static @Nullable String textOf(Secret secret) {
        return TlsSecrets.texts(secret).get(KEY);
    }

    /** Returns whether there is the volume of a secret among these. */
    public static boolean isAmong(@Nullable List<Volume> volumes) {
        return volumes != null && volumes.stream().anyMatch(volume -> VOLUME.equals(volume.getName()));
    }

    /** The volume with the secret of a cluster. */
    public static Volume volume(String cluster) {
        return new VolumeBuilder()
                .withName(VOLUME)
                .withNewSecret()
                .withSecretName(Names.secret(cluster))
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
