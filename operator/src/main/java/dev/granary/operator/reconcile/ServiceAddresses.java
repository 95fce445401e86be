package dev.granary.operator.reconcile;

import dev.granary.operator.api.GranaryStatus;
import dev.granary.operator.api.GranaryStatus.EndpointsStatus;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Names;
import dev.granary.operator.status.Observation;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * The cluster addresses of the Services for clients. The status keeps them: a Service that somebody has deleted is made
 * anew with the address that it had, because clients believe a resolved name for longer than it is true (ADR 0351).
 */
final class ServiceAddresses {
    private ServiceAddresses() {}

    /** Returns a Service with the address that the status has for it, and any other object as it is. */
    static HasMetadata withFormer(HasMetadata object, ClusterPlan plan, @Nullable GranaryStatus status) {
        EndpointsStatus known = status == null ? null : status.endpoints();
        if (known == null || !(object instanceof Service service)) {
            return object;
        }
        String name = service.getMetadata().getName();
        String former = name.equals(Names.clientService(plan.name()))
                ? known.clientAddress()
                : name.equals(Names.redisService(plan.name())) ? known.redisAddress() : null;
        return former == null
                ? object
                : new ServiceBuilder(service)
                        .editSpec()
                        .withClusterIP(former)
                        .endSpec()
                        .build();
    }

    /** Returns the addresses of the Services that exist and belong to the cluster. */
    static Observation.Addresses of(ClusterPlan plan, Collection<Service> services) {
        return new Observation.Addresses(
                address(plan, services, Names.clientService(plan.name())),
                address(plan, services, Names.redisService(plan.name())));
    }

    private static @Nullable String address(ClusterPlan plan, Collection<Service> services, String name) {
        return services.stream()
                .filter(service -> service.getMetadata().getName().equals(name))
                .filter(service -> Applier.isOwnedBy(service, plan.uid()))
                .map(service -> service.getSpec().getClusterIP())
                .filter(address -> address != null && !address.isEmpty() && !address.equals("None"))
                .findFirst()
                .orElse(null);
    }
}
