package dev.granary.e2e.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What is done to a cluster on a usual day, each under a load of recorded reads and writes: no client may see an error, and nothing that was
 * acknowledged may be gone. A case leaves the cluster as it found it.
 */
final class LoadCases {

    private static final String PREFIX = "under load: ";
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final String BAD_IMAGE = "localhost/granary-that-is-not-there:1";

    private final Target target;
    private final Report report;
    private final InClusterLoad load;

    LoadCases(Target target, Report report) {
        this.target = target;
        this.report = report;
        this.load = new InClusterLoad(target);
    }

    /** All cases that are asked for, in their order. */
    List<Step> all() {
        Set<String> only = target.options().only();
        return Stream.of(
                        of("scale-out", () -> {
                            scale(5);
                            settled(5);
                            return "five storage peers";
                        }),
                        of("scale-in", () -> {
                            scale(3);
                            settled(3);
                            return "three storage peers";
                        }),
                        of("scale-in-reverted", this::scaleInReverted),
                        of("super-peers-grow", () -> {
                            patch("{\"spec\":{\"superPeers\":{\"min\":3}}}");
                            ring(3);
                            return "three super-peers";
                        }),
                        of("roll", () -> {
                            patch("{\"spec\":{\"storage\":{\"cpu\":\"110m\"},\"superPeers\":{\"cpu\":\"110m\"}}}");
                            rolled("110m");
                            return "every pod runs the new template";
                        }),
                        of("canary-rollback", this::canaryRollsBack),
                        of("super-peers-shrink", () -> {
                            patch("{\"spec\":{\"superPeers\":{\"min\":1}}}");
                            ring(1);
                            return "one super-peer";
                        }),
                        of("node-drain", this::drainsNode),
                        of("operator-restart-while-scaling", this::restartsOperatorWhileScaling),
                        of("operator-upgrade", this::upgradesOperator))
                .filter(step -> only.isEmpty() || only.contains(step.name().substring(PREFIX.length())))
                .toList();
    }

    private Step of(String name, InClusterLoad.Deed deed) {
        return Step.of(PREFIX + name, () -> {
            InClusterLoad.Outcome outcome = load.during(name, firstNode(), deed);
            report.add(outcome.result());
            CaseResult result = outcome.result();
            Check.that(
                    result.clientErrors() == 0 && result.lostWrites() == 0,
                    "%d client errors, %d lost writes:%n%s",
                    result.clientErrors(),
                    result.lostWrites(),
                    outcome.log());
            return outcome.seen() + "; " + result;
        });
    }

    /** The node of the load, which no case drains: that of the operator. */
    private String firstNode() throws Exception {
        return operatorPod().at("/spec/nodeName").asText();
    }

    private JsonNode operatorPod() throws Exception {
        JsonNode pods = Target.json(target.kubectl()
                .run(
                        "get",
                        "pods",
                        "-n",
                        Target.OPERATOR_NAMESPACE,
                        "-l",
                        "app.kubernetes.io/component=operator",
                        "--field-selector=status.phase=Running",
                        "-o",
                        "json"));
        for (JsonNode pod : pods.path("items")) {
            if (pod.at("/metadata/deletionTimestamp").isMissingNode()) {
                return pod;
            }
        }
        throw new AssertionError("no operator runs");
    }

    private void scale(int replicas) throws Exception {
        target.kubectl().run("scale", "gran/social", "-n", Target.NAMESPACE, "--replicas=" + replicas);
    }

    private void patch(String change) throws Exception {
        target.kubectl().run("patch", "gran/social", "-n", Target.NAMESPACE, "--type=merge", "-p", change);
    }

    private JsonNode granary() throws Exception {
        return target.get(Target.NAMESPACE, "granaries", "social");
    }

    private static String condition(JsonNode granary, String type, String field) {
        for (JsonNode condition : granary.at("/status/conditions")) {
            if (condition.path("type").asText().equals(type)) {
                return condition.path(field).asText();
            }
        }
        return "";
    }

    private static boolean isStable(JsonNode granary) {
        return granary.at("/status/observedGeneration").asLong()
                        == granary.at("/metadata/generation").asLong()
                && condition(granary, "Ready", "status").equals("True")
                && condition(granary, "Progressing", "reason").equals("Stable");
    }

    private void settled(int storagePeers) throws Exception {
        Target.await(storagePeers + " storage peers, and nothing to do", LIMIT, () -> {
            JsonNode granary = granary();
            return isStable(granary)
                    && granary.at("/status/storage/replicas").asInt() == storagePeers
                    && granary.at("/status/storage/target").asInt() == storagePeers
                    && granary.at("/status/storage/live").asInt() == storagePeers;
        });
    }

    private void ring(int size) throws Exception {
        Target.await("a ring of " + size + ", and nothing to do", LIMIT, () -> {
            JsonNode granary = granary();
            return isStable(granary)
                    && granary.at("/status/ring/size").asInt() == size
                    && granary.at("/status/superPeers/replicas").asInt() == size
                    && granary.at("/status/superPeers/ready").asInt() == size;
        });
    }

    private JsonNode pods() throws Exception {
        return Target.json(target.kubectl()
                        .run("get", "pods", "-n", Target.NAMESPACE, "-l", "granary.dev/cluster=social", "-o", "json"))
                .path("items");
    }

    private void rolled(String cpu) throws Exception {
        Target.await("every pod asks for " + cpu, LIMIT, () -> {
            for (JsonNode pod : pods()) {
                if (!pod.at("/spec/containers/0/resources/requests/cpu")
                        .asText()
                        .equals(cpu)) {
                    return false;
                }
            }
            return isStable(granary());
        });
    }

    private List<String> uids() throws Exception {
        List<String> uids = new ArrayList<>();
        for (JsonNode pod : pods()) {
            uids.add(pod.at("/metadata/name").asText() + "="
                    + pod.at("/metadata/uid").asText());
        }
        return uids;
    }

    private String scaleInReverted() throws Exception {
        List<String> before = uids();
        scale(2);
        Target.await(
                "a storage peer is being drained",
                LIMIT,
                () -> granary().at("/status/stops/0/reason").asText().equals("ScaleIn"));
        scale(3);
        settled(3);
        List<String> after = uids();
        // Who reverts too late gets a new pod, but never loses a chunk.
        return before.equals(after) ? "no pod went" : "a pod went before it was reverted, and came back";
    }

    private String canaryRollsBack() throws Exception {
        List<String> before = uids();
        String image = target.options().image();
        patch("{\"spec\":{\"image\":\"" + BAD_IMAGE + "\"}}");
        Target.await("the update is rolled back", LIMIT, () -> {
            JsonNode granary = granary();
            return condition(granary, "Degraded", "reason").equals("UpdateRolledBack")
                    && granary.at("/status/storage/live").asInt() == 3
                    && granary.path("status").path("stops").isMissingNode();
        });
        List<String> same = new ArrayList<>(uids());
        same.retainAll(before);
        String message = condition(granary(), "Degraded", "message");
        patch("{\"spec\":{\"image\":\"" + image + "\"}}");
        settled(3);
        Check.that(same.size() >= before.size() - 1, "only %s of %s stayed", same, before);
        return same.size() + " of " + before.size() + " pods were never touched; " + message;
    }

    /** Volumes here are folders of a node, so the pod comes back to its node once that takes pods again. */
    private String drainsNode() throws Exception {
        String node = "";
        String loadNode = firstNode();
        for (JsonNode pod : pods()) {
            String candidate = pod.at("/spec/nodeName").asText();
            boolean storage = pod.at("/metadata/name").asText().startsWith("social-storage");
            if (storage && !candidate.equals(loadNode)) {
                node = candidate;
            }
        }
        Check.that(!node.isEmpty(), "all storage pods are on the node of the load");
        String output;
        try {
            output = target.kubectl()
                    .run(
                            "drain",
                            node,
                            "--ignore-daemonsets",
                            "--delete-emptydir-data",
                            "--pod-selector=granary.dev/cluster=social",
                            "--timeout=240s");
        } finally {
            target.kubectl().run("uncordon", node);
        }
        settled(3);
        return output.lines()
                .filter(line -> line.contains("evicted") || line.contains("drained"))
                .toList()
                .toString();
    }

    private String restartsOperatorWhileScaling() throws Exception {
        scale(4);
        settled(4);
        scale(3);
        Target.await(
                "a storage peer is being drained",
                LIMIT,
                () -> granary().at("/status/stops/0/reason").asText().equals("ScaleIn")
                        || granary().at("/status/storage/target").asInt() == 3);
        String killed = operatorPod().at("/metadata/name").asText();
        target.kubectl().run("delete", "pod", killed, "-n", Target.OPERATOR_NAMESPACE, "--grace-period=0", "--force");
        settled(3);
        return killed + " was killed, and its successor went on";
    }

    /** How often an operator has looked at the cluster. */
    private double reconciles(String pod) throws Exception {
        return target.kubectl()
                .run(
                        "get",
                        "--raw",
                        "/api/v1/namespaces/" + Target.OPERATOR_NAMESPACE + "/pods/" + pod + ":8080/proxy/metrics")
                .lines()
                .filter(line -> line.startsWith("granary_operator_reconciles_total") && line.contains("outcome=\"ok\""))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    /** An operator with other settings of its own, as a new version has them: another default image, another template. */
    private String upgradesOperator() throws Exception {
        List<String> before = uids();
        target.helm()
                .run(
                        "upgrade",
                        Target.RELEASE,
                        target.options().project().resolve("helm/granary").toString(),
                        "--namespace",
                        Target.OPERATOR_NAMESPACE,
                        "--reuse-values",
                        "--set",
                        "granaryImage.tag=of-another-version",
                        "--wait",
                        "--timeout",
                        "180s");
        String successor = operatorPod().at("/metadata/name").asText();
        Target.await(successor + " has looked at the cluster three times", LIMIT, () -> reconciles(successor) >= 3);
        List<String> after = uids();
        Check.that(before.equals(after), "pods before %s, after %s", before, after);
        settled(3);
        target.helm().run("rollback", Target.RELEASE, "--namespace", Target.OPERATOR_NAMESPACE, "--wait");
        return "no pod was restarted";
    }
}
