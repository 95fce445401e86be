package dev.granary.operator.build;

import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Names;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.ContainerPortBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.ServicePortBuilder;
import java.util.List;

/** The ports of pods, and those that only nodes and administrators use (ADR 0365). */
public final class Ports {
    private Ports() {}

    /** A port of a container. */
    static ContainerPort ofContainer(String name, int number) {
        return new ContainerPortBuilder()
                .withName(name)
                .withContainerPort(number)
                .withProtocol("TCP")
                .build();
    }

    /** A port of a Service that leads to the port of the same name. */
    static ServicePort ofService(String name, int number) {
        return new ServicePortBuilder()
                .withName(name)
                .withProtocol("TCP")
                .withPort(number)
                .withTargetPort(new IntOrString(name))
                .build();
    }

    /** What tells a process of its ports beside the one of clients. */
    static List<EnvVar> environment(ClusterPlan plan) {
        return plan.hasPorts()
                ? List.of(
                        EnvVars.of("GRANARY_INSIDE_PORT", Integer.toString(Names.INSIDE_PORT)),
                        EnvVars.of("GRANARY_ADMIN_PORT", Integer.toString(Names.ADMIN_PORT)))
                : List.of();
    }

    static List<ContainerPort> ofContainers(ClusterPlan plan) {
        return plan.hasPorts()
                ? List.of(ofContainer(Names.INSIDE, Names.INSIDE_PORT), ofContainer(Names.ADMIN, Names.ADMIN_PORT))
                : List.of();
    }

    static List<ServicePort> ofServices(ClusterPlan plan) {
        return plan.hasPorts()
                ? List.of(ofService(Names.INSIDE, Names.INSIDE_PORT), ofService(Names.ADMIN, Names.ADMIN_PORT))
                : List.of();
    }

    /** Returns whether the pods of a template have ports of their own for nodes and administrators. */
    public static boolean areAmong(PodSpec pod) {
        List<ContainerPort> ports = pod.getContainers().getFirst().getPorts();
        return ports != null && ports.stream().anyMatch(port -> Names.INSIDE.equals(port.getName()));
    }
}
