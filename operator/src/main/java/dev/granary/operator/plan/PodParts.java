package dev.granary.operator.plan;

import dev.granary.operator.api.PodOverridesSpec;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The volumes and containers that pods get from the resource. The CRD does not describe all their fields, which would
 * make it several times as large, so the API server takes a resource with wrong ones; they are read here (ADR 0353).
 */
public record PodParts(List<Volume> volumes, List<Container> sidecars, List<Container> initContainers) {
    /**
     * Reads them.
     *
     * @param field where the spec is in the resource
     * @throws InvalidSpecException when a value is not of the type that Kubernetes has for its field
     */
    public static PodParts of(String field, PodOverridesSpec pods) {
        return new PodParts(
                read(field + ".volumes", pods.volumes(), Volume.class),
                read(field + ".sidecars", pods.sidecars(), Container.class),
                read(field + ".initContainers", pods.initContainers(), Container.class));
    }

    private static <T> List<T> read(String field, @Nullable List<Map<String, Object>> asked, Class<T> type) {
        List<T> read = new ArrayList<>();
        if (asked != null) {
            for (Map<String, Object> one : asked) {
                try {
                    read.add(Serialization.unmarshal(Serialization.asJson(one), type));
                } catch (IllegalArgumentException | KubernetesClientException e) {
                    String[] lines = String.valueOf(e.getMessage()).split("\n", 2);
                    throw new InvalidSpecException(
                            field + "[" + read.size() + "] is none that Kubernetes knows: " + lines[0]);
                }
            }
        }
        return read;
    }
}
