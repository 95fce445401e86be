package dev.granary.operator.build;

import dev.granary.operator.api.MonitoringSpec;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Names;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The PodMonitor of one cluster. Its series have the labels of the chart's PodMonitor for all clusters. */
public final class PodMonitors {
    /** API version of the Prometheus operator's resources. */
    public static final String API_VERSION = "monitoring.coreos.com/v1";

    /** Kind of the object. */
    public static final String KIND = "PodMonitor";

    private PodMonitors() {}

    /** The name of a cluster's monitor. */
    public static String name(String cluster) {
        return Names.configMap(cluster);
    }

    /** The monitor that the resource asks for. */
    public static GenericKubernetesResource of(ClusterPlan plan, MonitoringSpec spec) {
        Map<String, String> labels = new TreeMap<>();
        if (spec.labels() != null) {
            labels.putAll(spec.labels());
        }
        labels.putAll(Names.labels(plan.name()));
        ObjectMeta meta = Meta.of(plan, name(plan.name()), labels);
        Map<String, String> members = Names.selector(plan.name(), "");
        members.remove(Names.COMPONENT_LABEL);
        GenericKubernetesResource monitor = new GenericKubernetesResource();
        monitor.setApiVersion(API_VERSION);
        monitor.setKind(KIND);
        monitor.setMetadata(meta);
        Map<String, Object> endpoint = new TreeMap<>();
        endpoint.put("port", "http");
        endpoint.put("path", "/metrics");
        int seconds = spec.intervalSeconds() == null ? MonitoringSpec.INTERVAL_SECONDS : spec.intervalSeconds();
        endpoint.put("interval", seconds + "s");
        endpoint.put(
                "relabelings",
                List.of(
                        relabeling("granary_dev_cluster", "granary"),
                        relabeling("app_kubernetes_io_component", "component")));
        Map<String, Object> monitored = new TreeMap<>();
        monitored.put("selector", Map.of("matchLabels", members));
        monitored.put("podMetricsEndpoints", List.of(endpoint));
        monitor.setAdditionalProperty("spec", monitored);
        return monitor;
    }

    private static Map<String, Object> relabeling(String podLabel, String target) {
        Map<String, Object> rule = new TreeMap<>();
        rule.put("sourceLabels", List.of("__meta_kubernetes_pod_label_" + podLabel));
        rule.put("targetLabel", target);
        return rule;
    }
}
