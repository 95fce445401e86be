package dev.granary.operator.build;

import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Names;
import dev.granary.operator.plan.RedisPlan;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.ServicePort;
import java.util.ArrayList;
import java.util.List;

/**
 * The Services of a cluster: a headless one for each role, one through which clients find a super-peer, and one for the
 * doors of the storage peers.
 */
public final class Services {
    private Services() {}

    /**
     * The Service that names the super-peers' pods. The names resolve before the pods are ready, because a ring forms
     * before it is ready.
     */
    public static Service superPeers(ClusterPlan plan) {
        return headless(plan, Names.SUPER_PEER, superPeerPorts(plan));
    }

    /** The Service that names the storage peers' pods. */
    public static Service storage(ClusterPlan plan) {
        List<ServicePort> ports = new ArrayList<>(List.of(
                Ports.ofService("granary", Names.STORAGE_PORT), Ports.ofService("http", Names.STORAGE_HTTP_PORT)));
        ports.addAll(Ports.ofServices(plan));
        if (plan.redis() != null) {
            ports.add(Ports.ofService(RedisDoor.PORT_NAME, Names.REDIS_PORT));
        }
        return headless(plan, Names.STORAGE, ports);
    }

    /**
     * The Service for clients of Redis. It leads to any ready storage peer, as any door serves every key. While doors
     * are added one by one it leads to those pods alone that have a port of this name.
     */
    public static Service redis(ClusterPlan plan, RedisPlan redis) {
        ObjectMeta meta = Meta.of(plan, Names.redisService(plan.name()), Names.labels(plan.name(), Names.STORAGE));
        meta.setAnnotations(redis.serviceAnnotations());
        return new ServiceBuilder()
                .withMetadata(meta)
                .withNewSpec()
                .withType(redis.serviceType())
                .withSelector(Names.selector(plan.name(), Names.STORAGE))
                .withPorts(Ports.ofService(RedisDoor.PORT_NAME, Names.REDIS_PORT))
                .endSpec()
                .build();
    }

    /**
     * The Service for clients, which leads to any ready super-peer. Nodes and administrators look for a super-peer
     * there, too, each at the port of their own.
     */
    public static Service client(ClusterPlan plan) {
        ObjectMeta meta = Meta.of(plan, Names.clientService(plan.name()), Names.labels(plan.name(), Names.SUPER_PEER));
        return new ServiceBuilder()
                .withMetadata(meta)
                .withNewSpec()
                .withType("ClusterIP")
                .withSelector(Names.selector(plan.name(), Names.SUPER_PEER))
                .withPorts(superPeerPorts(plan))
                .endSpec()
                .build();
    }

    private static List<ServicePort> superPeerPorts(ClusterPlan plan) {
        List<ServicePort> ports = new ArrayList<>(List.of(
                Ports.ofService("granary", Names.SUPER_PEER_PORT),
                Ports.ofService("http", Names.SUPER_PEER_HTTP_PORT)));
        ports.addAll(Ports.ofServices(plan));
        return ports;
    }

    private static Service headless(ClusterPlan plan, String component, List<ServicePort> ports) {
        return new ServiceBuilder()
                .withMetadata(Meta.ofRole(plan, component))
                .withNewSpec()
                .withType("ClusterIP")
                .withClusterIP("None")
                .withPublishNotReadyAddresses(true)
                .withSelector(Names.selector(plan.name(), component))
                .withPorts(ports)
                .endSpec()
                .build();
    }
}
