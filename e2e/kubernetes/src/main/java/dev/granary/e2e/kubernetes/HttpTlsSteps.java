package dev.granary.e2e.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.e2e.kubernetes.program.Check;
import dev.granary.e2e.kubernetes.program.Program;
import java.time.Duration;

/**
 * The HTTP ports of a running cluster get TLS and readers, and lose them again, while a load works. The API server's
 * proxy stands for a stranger: it can show a pod neither a certificate nor a password.
 */
final class HttpTlsSteps {
    private static final Duration LIMIT = Duration.ofMinutes(6);

    private final Target target;
    private final PluginSteps plugin;
    private final String cluster;

    HttpTlsSteps(Target target, PluginSteps plugin, String cluster) {
        this.target = target;
        this.plugin = plugin;
        this.cluster = cluster;
    }

    /** Turns TLS of HTTP on, lets strangers and the plugin read, and turns it off. */
    String turnsOnAndOff() throws Exception {
        awaitRolled("");
        double onSeconds = change(true);
        int refused = 0;
        for (JsonNode pod : target.podsOf(cluster)) {
            String status = said(pod, "https", "status");
            // So kubectl says 401.
            Check.contains(status, "must be logged in");
            Check.contains(said(pod, "https", "readyz"), "ready");
            Check.that(!said(pod, "http", "readyz").startsWith("ready"), "a port with TLS answered without");
            refused++;
        }
        String shown = plugin.shows(cluster);
        // The load makes ranges hot.
        Check.contains(shown, "HOT RANGE");
        double offSeconds = change(false);
        for (JsonNode pod : target.podsOf(cluster)) {
            Check.contains(said(pod, "http", "status"), "{");
        }
        return "TLS was on after %.1f s and off after %.1f s; %d pods refused the status to strangers; %s"
                .formatted(onSeconds, offSeconds, refused, shown);
    }

    /** Returns the seconds until all pods have it. */
    private double change(boolean on) throws Exception {
        long startNanos = System.nanoTime();
        target.patch(cluster, "{\"spec\":{\"tls\":{\"http\":" + on + "}}}");
        awaitRolled(on ? "https" : "");
        return (System.nanoTime() - startNanos) / 1e9;
    }

    private void awaitRolled(String scheme) throws Exception {
        Target.await("all pods have the HTTP port as it is asked for", LIMIT, () -> {
            JsonNode granary = target.get(Target.NAMESPACE, "granaries", cluster);
            return SocialCluster.isStable(granary)
                    && granary.at("/status/storagePeers/live").asInt() == 3
                    && target.podsOf(cluster).stream()
                            .allMatch(pod -> pod.at("/metadata/annotations/prometheus.io~1scheme")
                                    .asText("")
                                    .equals(scheme));
        });
    }

    /** Returns what a page answers by the API server's proxy, or the error. */
    private String said(JsonNode pod, String scheme, String page) throws Exception {
        String name = SocialCluster.name(pod);
        String port = name.startsWith(cluster + "-super-peer") ? "7401" : "7501";
        Program.Result result = target.kubectl()
                .call(
                        null,
                        "get",
                        "--raw",
                        "/api/v1/namespaces/" + Target.NAMESPACE + "/pods/" + scheme + ":" + name + ":" + port
                                + "/proxy/" + page);
        return result.output();
    }
}
