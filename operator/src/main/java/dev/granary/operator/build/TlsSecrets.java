package dev.granary.operator.build;

import dev.granary.operator.certificate.Role;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Names;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The Secrets with the CA of a cluster and the certificates of its roles. They go with the Granary. */
public final class TlsSecrets {
    private TlsSecrets() {}

    /** Builds the Secret of the CA. No pod mounts it. */
    public static Secret authority(ClusterPlan plan, Map<String, String> texts) {
        return secret(plan, Names.authority(plan.name()), "Opaque", texts);
    }

    /** Builds the Secret of a role. */
    public static Secret certificate(ClusterPlan plan, Role role, Map<String, String> texts) {
        return secret(plan, Names.certificate(plan.name(), role.text()), "kubernetes.io/tls", texts);
    }

    private static Secret secret(ClusterPlan plan, String name, String type, Map<String, String> texts) {
        Map<String, String> data = new TreeMap<>();
        texts.forEach((key, text) ->
                data.put(key, Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8))));
        return new SecretBuilder()
                .withMetadata(Meta.of(plan, name, Names.labels(plan.name())))
                .withType(type)
                .withData(data)
                .build();
    }

    /** Returns the texts of a Secret, none when there is no Secret. */
    public static Map<String, String> texts(@Nullable Secret secret) {
        Map<String, String> texts = new TreeMap<>();
        if (secret != null && secret.getData() != null) {
            secret.getData()
                    .forEach((key, data) ->
                            texts.put(key, new String(Base64.getDecoder().decode(data), StandardCharsets.UTF_8)));
        }
        return texts;
    }
}
