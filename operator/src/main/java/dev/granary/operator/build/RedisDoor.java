package dev.granary.operator.build;

import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Names;
import dev.granary.operator.plan.RedisPlan;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the pod of a storage peer is told of its door (ADR 0263), and that of a super-peer of the users. */
public final class RedisDoor {
    /** The name of the port in containers and Services. */
    static final String PORT_NAME = "redis";

    private static final String USERS_VOLUME = "redis-users";

    /** The whole directory is mounted, since a single file of a Secret would never change in a running pod. */
    private static final String USERS_DIRECTORY = "/etc/granary-redis-users";

    /** The file with users, and the key of a Secret that has it. */
    static final String USERS_FILE = "users.acl";

    private static final int GROUP_READS = 0440;

    private RedisDoor() {}

    /** Returns the variables of a pod with a door. Those of the pod's name and address must stand before them. */
    static List<EnvVar> environment(ClusterPlan plan, RedisPlan.Door door) {
        List<EnvVar> variables = new ArrayList<>();
        if (door.host().contains("{ordinal}") || door.firstPort() != null) {
            variables.add(EnvVars.fromField("POD_INDEX", "metadata.labels['apps.kubernetes.io/pod-index']"));
        }
        if (door.host().contains("{nodeAddress}")) {
            variables.add(EnvVars.fromField("POD_HOST_IP", "status.hostIP"));
        }
        variables.add(EnvVars.of("GRANARY_REDIS_PORT", Integer.toString(Names.REDIS_PORT)));
        variables.add(EnvVars.of("GRANARY_REDIS_ADVERTISE_HOST", host(plan, door.host())));
        if (door.port() != null) {
            variables.add(EnvVars.of("GRANARY_REDIS_ADVERTISE_PORT", door.port().toString()));
        }
        if (door.firstPort() != null) {
            variables.add(
                    EnvVars.of("GRANARY_REDIS_ADVERTISE_PORT", door.firstPort().toString()));
            variables.add(EnvVars.of("GRANARY_REDIS_ADVERTISE_PORT_OFFSET", "$(POD_INDEX)"));
        }
        variables.add(EnvVars.of("GRANARY_REDIS_REDIRECT", door.redirect()));
        variables.add(EnvVars.of("GRANARY_REDIS_CLIENTS_MAX", Integer.toString(door.maxClients())));
        if (door.idleSeconds() != null) {
            variables.add(EnvVars.of("GRANARY_REDIS_CLIENTS_TIMEOUT", door.idleSeconds() + "s"));
        }
        if (door.usersSecret() != null) {
            variables.add(EnvVars.of("GRANARY_REDIS_USERS_FILE", USERS_DIRECTORY + "/" + USERS_FILE));
        }
        return variables;
    }

    /** Returns the users' Secret that super-peers have as well, where nodes prove that they are nodes (ADR 0348). */
    private static RedisPlan.@Nullable Door ofSuperPeers(ClusterPlan plan) {
        boolean isProved = plan.hasSecret() || plan.tls() != null;
        return plan.redis() == null || !isProved || plan.redis().door().usersSecret() == null
                ? null
                : plan.redis().door();
    }

    /** Returns the variables of a super-peer for the users of the cluster. */
    static List<EnvVar> superPeerEnvironment(ClusterPlan plan) {
        return ofSuperPeers(plan) == null
                ? List.of()
                : List.of(EnvVars.of("GRANARY_USERS_FILE", USERS_DIRECTORY + "/" + USERS_FILE));
    }

    /** Returns the volumes of a super-peer for them. */
    static List<Volume> superPeerVolumes(ClusterPlan plan) {
        RedisPlan.Door door = ofSuperPeers(plan);
        return door == null ? List.of() : volumes(door);
    }

    /** Returns where a super-peer has them. */
    static List<VolumeMount> superPeerMounts(ClusterPlan plan) {
        RedisPlan.Door door = ofSuperPeers(plan);
        return door == null ? List.of() : mounts(door);
    }

    /** Returns the volumes of a pod with a door. */
    static List<Volume> volumes(RedisPlan.Door door) {
        return door.usersSecret() == null
                ? List.of()
                : List.of(new VolumeBuilder()
                        .withName(USERS_VOLUME)
                        .withNewSecret()
                        .withSecretName(door.usersSecret())
                        .withDefaultMode(GROUP_READS)
                        .addNewItem()
                        .withKey(USERS_FILE)
                        .withPath(USERS_FILE)
                        .endItem()
                        .endSecret()
                        .build());
    }

    /** Returns where the container has them. */
    static List<VolumeMount> mounts(RedisPlan.Door door) {
        return door.usersSecret() == null
                ? List.of()
                : List.of(new VolumeMountBuilder()
                        .withName(USERS_VOLUME)
                        .withMountPath(USERS_DIRECTORY)
                        .withReadOnly(true)
                        .build());
    }

    /** Returns whether pods of these volumes have the users of a Secret. */
    public static boolean hasUsers(@Nullable List<Volume> volumes, String secret) {
        return volumes != null
                && volumes.stream()
                        .anyMatch(volume -> USERS_VOLUME.equals(volume.getName())
                                && volume.getSecret() != null
                                && secret.equals(volume.getSecret().getSecretName()));
    }

    /** Returns the host with variables of the container in place of what stands in braces. */
    private static String host(ClusterPlan plan, String template) {
        return template.replace("{address}", "$(POD_IP)")
                .replace("{hostname}", "$(POD_NAME)." + Names.storageDomain(plan))
                .replace("{nodeAddress}", "$(POD_HOST_IP)")
                .replace("{pod}", "$(POD_NAME)")
                .replace("{ordinal}", "$(POD_INDEX)");
    }
}
