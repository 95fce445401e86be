package dev.granary.operator.build;

import dev.granary.operator.certificate.Role;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Names;
import dev.granary.operator.plan.TlsPlan;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How pods get their certificates (ADR 0335). The whole directory is mounted: single files would never change. */
public final class TlsVolume {
    /** The volume with the certificate. A StatefulSet that has none is one of a cluster without TLS. */
    public static final String VOLUME = "tls";

    /** Where containers have it. */
    public static final String DIRECTORY = "/etc/granary-tls";

    private static final int GROUP_READS = 0440;

    private TlsVolume() {}

    /** Returns whether there is the volume of certificates among these. */
    public static boolean isAmong(@Nullable List<Volume> volumes) {
        return volumes != null && volumes.stream().anyMatch(volume -> VOLUME.equals(volume.getName()));
    }

    /** Returns the variables of a process with TLS. */
    static List<EnvVar> environment(ClusterPlan plan, TlsPlan tls, boolean isStorage) {
        List<EnvVar> variables = new ArrayList<>();
        variables.add(EnvVars.of("GRANARY_TLS_DIRECTORY", DIRECTORY));
        variables.add(EnvVars.of("GRANARY_TLS_CLIENT_AUTHENTICATION", tls.clients()));
        if (tls.http()) {
            variables.add(EnvVars.of("GRANARY_HTTP_TLS", "true"));
        }
        if (isStorage && plan.redis() != null) {
            variables.add(EnvVars.of("GRANARY_REDIS_TLS", Boolean.toString(tls.redis())));
            if (tls.redisClients() != null) {
                variables.add(EnvVars.of("GRANARY_REDIS_TLS_CLIENT_AUTHENTICATION", tls.redisClients()));
            }
        }
        return variables;
    }

    /** Returns the Secret with the certificate of a role. */
    public static String secret(String cluster, TlsPlan tls, Role role) {
        TlsPlan.Secrets others = tls.secrets();
        if (others == null) {
            return Names.certificate(cluster, role.text());
        }
        return switch (role) {
            case SUPER_PEER -> others.superPeers();
            case STORAGE -> others.storagePeers();
            case OPERATOR -> others.operator();
            case CLIENT, MONITOR -> throw new IllegalArgumentException("no Secret is named for " + role.text());
        };
    }

    /** Returns the volume with a Secret. */
    public static Volume volume(String secret) {
        return new VolumeBuilder()
                .withName(VOLUME)
                .withNewSecret()
                .withSecretName(secret)
                .withDefaultMode(GROUP_READS)
                .endSecret()
                .build();
    }

    /** Returns where a container sees it. */
    public static VolumeMount mount() {
        return new VolumeMountBuilder()
                .withName(VOLUME)
                .withMountPath(DIRECTORY)
                .withReadOnly(true)
                .build();
    }
}
