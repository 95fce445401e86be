package dev.granary.e2e.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.granary.e2e.kubernetes.program.Check;
import dev.granary.e2e.kubernetes.program.Formats;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The resources of the guide as real clusters, one after the other. The small one is applied as it is; the others have
 * smaller numbers, because the nodes of these tests are small, and everything else of theirs.
 */
final class ExampleSteps {

    /** The name of this case on the command line. */
    static final String NAME = "examples";

    private static final int NODES = 3;
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final String PRIORITY_CLASS = """
            apiVersion: scheduling.k8s.io/v1
            kind: PriorityClass
            metadata: {name: cache}
            value: 1000
            """;

    private final Target target;
    private final ClusterSteps cluster;
    private final DataSteps data;
    private final PluginSteps plugin;

    ExampleSteps(Target target, ClusterSteps cluster, DataSteps data, PluginSteps plugin) {
        this.target = target;
        this.cluster = cluster;
        this.data = data;
        this.plugin = plugin;
    }

    List<Step> all() {
        return List.of(
                Step.of(
                        "examples: the small resource is deleted and applied again, and every chunk is there",
                        this::smallComesBack),
                Step.of("examples: that for Redis clients, with smaller numbers, is Ready", () -> {
                    ObjectNode redis = example("redis.yaml");
                    storage(redis).put("memory", "512Mi");
                    storage(redis).withObject("volume").put("size", "2Gi");
                    return becomesReady(Target.NAMESPACE, redis);
                }),
                Step.of("examples: that for production, with smaller numbers, is Ready", this::production),
                Step.of("examples: that for RDMA, with smaller numbers, is Ready", this::rdma));
    }

    /** Volumes stay when a resource is deleted (ADR 0237), and the pods of the same resource find them. */
    private String smallComesBack() throws Exception {
        ObjectNode small = example("small.yaml");
        target.apply(small.toString());
        awaitReady(Target.NAMESPACE, small);
        String root = data.loadGraph("load-example");
        plugin.restart(name(small), "--role", "storage");
        Target.await("a storage peer is being replaced", LIMIT, () -> !isReady(Target.NAMESPACE, small));
        awaitReady(Target.NAMESPACE, small);
        long chunks = cluster.chunks();
        target.kubectl().run("delete", "gran", name(small), "-n", Target.NAMESPACE, "--timeout=120s");
        awaitNoPods(Target.NAMESPACE, small);
        long startNanos = System.nanoTime();
        target.apply(small.toString());
        awaitReady(Target.NAMESPACE, small);
        Target.await("every chunk is there again", LIMIT, () -> cluster.chunks() == chunks);
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        data.verifyGraph("verify-example", root);
        goes(Target.NAMESPACE, small);
        return "kubectl granary restart replaced its storage peers; after kubectl delete and apply %d chunks were there"
                        .formatted(chunks)
                + " again within %.1f s".formatted(seconds);
    }

    private String production() throws Exception {
        requireNodes();
        ObjectNode production = example("production.yaml");
        production.withObject("/spec/superPeers").put("memory", "512Mi");
        storage(production).put("replicas", NODES).put("memory", "512Mi");
        storage(production).withObject("/resources/requests").put("cpu", "100m");
        storage(production).withObject("volume").put("size", "2Gi");
        target.apply(PRIORITY_CLASS);
        try {
            return withLabel("node-role.example.org/cache=", () -> becomesReady(Target.NAMESPACE, production));
        } finally {
            target.kubectl().run("delete", "priorityclass", "cache", "--ignore-not-found");
        }
    }

    private String rdma() throws Exception {
        requireNodes();
        RdmaSteps.requireResource(target);
        ObjectNode rdma = example("rdma.yaml");
        storage(rdma).put("memory", "512Mi");
        storage(rdma).withObject("/resources/requests").put("cpu", 1);
        storage(rdma).withObject("/resources/limits").put("cpu", 1);
        storage(rdma).withObject("volume").put("size", "2Gi");
        return withLabel(
                "feature.node.kubernetes.io/rdma.available=true", () -> becomesReady(Target.RDMA_NAMESPACE, rdma));
    }

    /** Three pods that must not share a node need three. */
    private void requireNodes() throws Step.StepSkipped {
        int nodes = target.client().nodes().list().getItems().size();
        if (nodes < NODES) {
            throw new Step.StepSkipped("the example wants " + NODES + " nodes, there are " + nodes);
        }
    }

    /** Does something while all nodes have a label. */
    private String withLabel(String label, Step.Body work) throws Exception {
        target.kubectl().run("label", "nodes", "--all", label);
        try {
            return work.run();
        } finally {
            target.kubectl().run("label", "nodes", "--all", label.substring(0, label.indexOf('=')) + "-");
        }
    }

    private String becomesReady(String namespace, ObjectNode granary) throws Exception {
        target.apply(namespace, granary.toString());
        try {
            awaitReady(namespace, granary);
            return target.kubectl().run("get", "gran,pods", "-n", namespace, "-o", "wide");
        } finally {
            goes(namespace, granary);
        }
    }

    private void awaitReady(String namespace, ObjectNode granary) throws Exception {
        int peers = storage(granary).path("replicas").asInt();
        Target.await(
                name(granary) + " is Ready with " + peers + " storage peers",
                LIMIT,
                () -> isReady(namespace, granary)
                        && resource(namespace, granary)
                                        .at("/status/storagePeers/live")
                                        .asInt()
                                == peers);
    }

    private boolean isReady(String namespace, ObjectNode granary) throws Exception {
        return SocialCluster.isStable(resource(namespace, granary));
    }

    private JsonNode resource(String namespace, ObjectNode granary) throws Exception {
        return target.get(namespace, "granaries", name(granary));
    }

    /** Deletes a cluster, and the volumes that it keeps. */
    private void goes(String namespace, ObjectNode granary) throws Exception {
        target.kubectl().run("delete", "gran", name(granary), "-n", namespace, "--timeout=120s");
        awaitNoPods(namespace, granary);
        target.kubectl().run("delete", "pvc", "-n", namespace, "-l", ofCluster(granary), "--timeout=60s");
    }

    private void awaitNoPods(String namespace, ObjectNode granary) throws Exception {
        target.kubectl()
                .run("wait", "--for=delete", "pods", "-l", ofCluster(granary), "-n", namespace, "--timeout=120s");
    }

    private static String ofCluster(ObjectNode granary) {
        return "app.kubernetes.io/instance=" + name(granary);
    }

    private static String name(ObjectNode granary) {
        return granary.at("/metadata/name").asText();
    }

    private static ObjectNode storage(ObjectNode granary) {
        return granary.withObject("/spec/storagePeers");
    }

    private ObjectNode example(String file) throws Exception {
        Path path = target.options().project().resolve("docs/guides/resource").resolve(file);
        JsonNode read = Formats.YAML.readTree(Files.readString(path));
        Check.that(read.isObject(), "%s is no resource", path);
        return (ObjectNode) read;
    }
}
