package dev.granary.operator.plan;

import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The resources of a container other than memory, as quantities by their names.
 *
 * @param requests what the container asks for; always has {@code cpu}
 * @param limits what it may use at most
 */
public record ComputePlan(SortedMap<String, String> requests, SortedMap<String, String> limits) {
    private static final String CPU = "cpu";

    /**
     * Returns the plan that a resource asks for.
     *
     * @param cpu the request for CPU where the resource names neither a request nor a limit
     * @throws InvalidSpecException when the resource says something about memory, which has a field of its own
     */
    static ComputePlan of(String field, @Nullable ResourceRequirements asked, String cpu) {
        SortedMap<String, String> requests = texts(asked == null ? null : asked.getRequests());
        SortedMap<String, String> limits = texts(asked == null ? null : asked.getLimits());
        if (requests.containsKey("memory") || limits.containsKey("memory")) {
            throw new InvalidSpecException(
                    field + " must not have memory: the field memory beside it is request and limit of the container");
        }
        // As Kubernetes has it: a request that is left out is the limit.
        requests.putIfAbsent(CPU, limits.getOrDefault(CPU, cpu));
        return new ComputePlan(requests, limits);
    }

    private static SortedMap<String, String> texts(@Nullable Map<String, Quantity> quantities) {
        SortedMap<String, String> texts = new TreeMap<>();
        if (quantities != null) {
            quantities.forEach((name, quantity) -> texts.put(name, quantity.toString()));
        }
        return texts;
    }
}
