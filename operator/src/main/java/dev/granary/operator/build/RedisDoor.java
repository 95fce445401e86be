package dev.granary.operator.build;

import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Names;
import dev.granary.operator.plan.RedisPlan;
import io.fabric8.kubernetes.api.model.EnvVar;
import java.util.ArrayList;
import java.util.List;

/** What the pod of a storage peer is told of its door (ADR 0263). */
final class RedisDoor {
    /** The name of the port in containers and Services. */
    static final String PORT_NAME = "redis";

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
        return variables;
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
