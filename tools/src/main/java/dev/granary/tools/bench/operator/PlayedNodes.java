package dev.granary.tools.bench.operator;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Kubernetes nodes that kwok plays: it reports them as ready and renews their leases and their status as kubelets do.
 */
final class PlayedNodes implements AutoCloseable {
    private static final String NODES = "/api/v1/nodes";
    private static final String FAKE = "kwok.x-k8s.io/node";
    private static final int READY_SECONDS = 180;
    private static final int LEASE_SECONDS = 40;

    /** The resources of each node. They include RDMA devices, so that the operator has devices to count. */
    private static final Map<String, String> RESOURCES =
            Map.of("cpu", "96", "memory", "1024Gi", "pods", "256", "rdma/hca_shared_devices_a", "8");

    /** Stages that make a node ready at once and send a heartbeat every five to ten minutes. */
    private static final String STAGES = stage("node-ready", "NotIn", "")
            + "---\n"
            + stage(
                    "node-heartbeat",
                    "In",
                    "  delay: {durationMilliseconds: 300000, jitterDurationMilliseconds: 600000}\n");

    private final Process kwok;

    private PlayedNodes(Process kwok) {
        this.kwok = kwok;
    }

    /**
     * Makes the nodes and waits until they are ready.
     *
     * @param binaries folder with {@code kwok}
     */
    static PlayedNodes start(Path binaries, Path folder, ControlPlane plane, int count)
            throws IOException, InterruptedException {
        Path stages = Files.writeString(folder.resolve("kwok-stages.yaml"), STAGES);
        PlayedNodes nodes = new PlayedNodes(ControlPlane.process(
                folder,
                "kwok",
                List.of(
                        binaries.resolve("kwok").toString(),
                        "--config=" + stages,
                        "--kubeconfig=" + plane.benchKubeconfig(),
                        "--manage-nodes-with-annotation-selector=" + FAKE + "=fake",
                        "--node-lease-duration-seconds=" + LEASE_SECONDS)));
        try {
            List<AtOnce.Task> tasks = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                Map<String, ?> node = node("node-" + i);
                tasks.add(() -> plane.api().create(NODES, node));
            }
            AtOnce.run(tasks);
            Waiting.until(
                    count + " nodes are ready (the log of kwok: " + folder + ")",
                    READY_SECONDS,
                    () -> plane.api()
                                    .get(NODES)
                                    .path("items")
                                    .valueStream()
                                    .filter(node -> BenchOperatorCommand.isTrue(node, "Ready"))
                                    .count()
                            == count);
            return nodes;
        } catch (IOException | InterruptedException | RuntimeException e) {
            nodes.close();
            throw e;
        }
    }

    private static Map<String, ?> node(String name) {
        return Map.of(
                "metadata",
                Map.of(
                        "name",
                        name,
                        "annotations",
                        Map.of(FAKE, "fake"),
                        "labels",
                        Map.of("kubernetes.io/hostname", name)),
                "status",
                Map.of("allocatable", RESOURCES, "capacity", RESOURCES));
    }

    private static String stage(String name, String whetherReady, String delay) {
        return """
                apiVersion: kwok.x-k8s.io/v1alpha1
                kind: Stage
                metadata: {name: %s}
                spec:
                  resourceRef: {apiGroup: v1, kind: Node}
                  selector:
                    matchExpressions:
                      - {key: '.status.conditions.[] | select( .type == "Ready" ) | .status', operator: %s, values: ["True"]}
                %s  next:
                    statusTemplate: |
                      {{ $now := Now }}
                      conditions:
                      {{ range NodeConditions }}
                      - type: {{ .type | Quote }}
                        status: {{ .status | Quote }}
                        reason: {{ .reason | Quote }}
                        message: {{ .message | Quote }}
                        lastHeartbeatTime: {{ $now | Quote }}
                      {{ end }}
                """.formatted(name, whetherReady, delay);
    }

    @Override
    public void close() {
        ControlPlane.end(kwok);
    }
}
