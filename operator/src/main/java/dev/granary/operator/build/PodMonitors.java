package dev.granary.operator.build;

import dev.granary.operator.api.MonitoringSpec;
import dev.granary.operator.certificate.Certificates;
import dev.granary.operator.certificate.Role;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Names;
import dev.granary.operator.plan.TlsPlan;
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
        if (plan.tls() != null && plan.tls().http()) {
            endpoint.put("scheme", "https");
            endpoint.put("tlsConfig", tls(plan, plan.tls()));
        }
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

    /**
     * What Prometheus shows, and trusts. It asks addresses of pods, which are in no certificate; "localhost" is in
     * those of both roles. With somebody else's CA there may be no certificate for monitoring: then it shows none.
     */
    private static Map<String, Object> tls(ClusterPlan plan, TlsPlan tls) {
        Map<String, Object> config = new TreeMap<>();
        config.put("serverName", "localhost");
        TlsPlan.Secrets others = tls.secrets();
        String shown = others == null ? Names.certificate(plan.name(), Role.MONITOR.text()) : others.monitor();
        String trusted = shown == null ? TlsVolume.secret(plan.name(), tls, Role.SUPER_PEER) : shown;
        config.put("ca", Map.of("secret", key(trusted, Certificates.CA)));
        if (shown != null) {
            config.put("cert", Map.of("secret", key(shown, Certificates.CERTIFICATE)));
            config.put("keySecret", key(shown, Certificates.KEY));
        }
        return config;
    }

    private static Map<String, Object> key(String secret, String key) {
        return Map.of("name", secret, "key", key);
    }

    private static Map<String, Object> relabeling(String podLabel, String target) {
        Map<String, Object> rule = new TreeMap<>();
        rule.put("sourceLabels", List.of("__meta_kubernetes_pod_label_" + podLabel));
        rule.put("targetLabel", target);
        return rule;
    }
}
