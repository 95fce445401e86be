package dev.granary.operator.build;

import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Names;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.ServicePortBuilder;

/** The Services of a cluster: a headless one for each role, and one through which clients find a super-peer. */
public final class Services {
    private Services() {}

    /**
     * The Service that names the super-peers' pods. The names resolve before the pods are ready, because a ring forms
     * before it is ready.
     */
    public static Service superPeers(ClusterPlan plan) {
        return headless(plan, Names.SUPER_PEER, Names.SUPER_PEER_PORT, Names.SUPER_PEER_HTTP_PORT);
    }

    /** The Service that names the storage peers' pods. */
    public static Service storage(ClusterPlan plan) {
        return headless(plan, Names.STORAGE, Names.STORAGE_PORT, Names.STORAGE_HTTP_PORT);
    }

    /** The Service for clients, which leads to any ready super-peer. */
    public static Service client(ClusterPlan plan) {
        ObjectMeta meta = Meta.of(plan, Names.clientService(plan.name()), Names.labels(plan.name(), Names.SUPER_PEER));
        return new ServiceBuilder()
                .withMetadata(meta)
                .withNewSpec()
                .withType("ClusterIP")
                .withSelector(Names.selector(plan.name(), Names.SUPER_PEER))
                .withPorts(port("granary", Names.SUPER_PEER_PORT), port("http", Names.SUPER_PEER_HTTP_PORT))
                .endSpec()
                .build();
    }

    private static Service headless(ClusterPlan plan, String component, int port, int httpPort) {
        return new ServiceBuilder()
                .withMetadata(Meta.ofRole(plan, component))
                .withNewSpec()
                .withType("ClusterIP")
                .withClusterIP("None")
                .withPublishNotReadyAddresses(true)
                .withSelector(Names.selector(plan.name(), component))
                .withPorts(port("granary", port), port("http", httpPort))
                .endSpec()
                .build();
    }

    private static ServicePort port(String name, int number) {
        return new ServicePortBuilder()
                .withName(name)
                .withProtocol("TCP")
                .withPort(number)
                .withTargetPort(new IntOrString(name))
                .build();
    }
}
