package dev.granary.cli.kubectl;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Examines a Granary and says what is wrong and what to do: a pure function of what kubectl shows. */
final class Doctor {

    /** The healthy value of each condition; absent conditions are skipped. */
    private static final Map<String, String> HEALTHY =
            Map.of("Ready", "True", "Degraded", "False", "MemoryPressure", "False", "Balanced", "True");

    private Doctor() {}

    /**
     * Examines a Granary and returns what was found.
     *
     * @param granary the resource
     * @param pods the list of its pods
     */
    static List<Finding> examine(JsonNode granary, JsonNode pods) {
        List<Finding> findings = new ArrayList<>();
        long generation = granary.at("/metadata/generation").asLong();
        long seen = granary.at("/status/observedGeneration").asLong();
        findings.add(
                seen == generation
                        ? Finding.well("the operator has applied the newest spec")
                        : Finding.ill(
                                "the operator has not applied the newest spec",
                                "the condition Stalled or Reconciling says why; if neither does, look at the operator: "
                                        + "kubectl get pods -A -l app.kubernetes.io/name=granary-operator"));
        for (JsonNode condition : granary.at("/status/conditions")) {
            String type = condition.path("type").asText();
            String wanted = HEALTHY.get(type);
            if (wanted != null) {
                String text = type + " is " + condition.path("status").asText() + " ("
                        + condition.path("reason").asText() + ")";
                findings.add(
                        condition.path("status").asText().equals(wanted)
                                ? Finding.well(text)
                                : Finding.ill(text, condition.path("message").asText()));
            }
        }
        for (JsonNode stop : granary.at("/status/stops")) {
            if (stop.path("phase").asText().equals("Blocked")) {
                findings.add(Finding.ill(
                        stop.path("pod").asText() + " cannot go",
                        stop.path("message").asText()));
            }
        }
        for (JsonNode pod : pods.path("items")) {
            findings.addAll(examinePod(pod));
        }
        int superPeers = granary.at("/status/ring/size").asInt();
        findings.add(
                superPeers >= 3
                        ? Finding.well("the ring has " + superPeers + " super-peers")
                        : Finding.ill(
                                "the ring has " + superPeers + (superPeers == 1 ? " super-peer" : " super-peers"),
                                "leases of an arc end when its super-peer is away for long; superPeers.replicas: 3 lets"
                                        + " any of them die"));
        return findings;
    }

    private static List<Finding> examinePod(JsonNode pod) {
        List<Finding> findings = new ArrayList<>();
        String name = pod.at("/metadata/name").asText();
        for (JsonNode status : pod.at("/status/containerStatuses")) {
            int restarts = status.path("restartCount").asInt();
            if (restarts > 0) {
                String reason = status.at("/lastState/terminated/reason").asText("unknown");
                findings.add(Finding.ill(
                        name + " was restarted " + restarts + " times, last because of " + reason,
                        "kubectl granary logs " + name + " --previous"));
            }
            String waiting = status.at("/state/waiting/reason").asText("");
            if (!waiting.isEmpty()) {
                findings.add(Finding.ill(
                        name + " waits: " + waiting,
                        status.at("/state/waiting/message").asText("kubectl describe pod " + name)));
            }
        }
        return findings;
    }
}
