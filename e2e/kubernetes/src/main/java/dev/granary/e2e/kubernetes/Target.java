package dev.granary.e2e.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.e2e.kubernetes.program.ApiServer;
import dev.granary.e2e.kubernetes.program.Check;
import dev.granary.e2e.kubernetes.program.Formats;
import dev.granary.e2e.kubernetes.program.Program;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** The cluster under test and the programs that reach it. Thread-safe. */
final class Target implements AutoCloseable {

    /** The namespace of the operator. */
    static final String OPERATOR_NAMESPACE = "granary-system";
    /** The namespace of the cluster under test; it enforces the restricted pod security standard. */
    static final String NAMESPACE = "granary-e2e";
    /** A namespace that allows the capability which RDMA needs. */
    static final String RDMA_NAMESPACE = "granary-e2e-rdma";
    /** The Helm release. */
    static final String RELEASE = "granary";
    /** The CRD of the Granary resource. */
    static final String CRD = "granaries.granary.dev";

    /** All CRDs of Granary. */
    static final List<String> CRDS = List.of(
            CRD,
            "granarybackups.granary.dev",
            "granarybackupschedules.granary.dev",
            "granaryrestores.granary.dev",
            "granaryusers.granary.dev");

    /** Questions cost little, and the steps wait a hundred times for something that takes seconds. */
    private static final long PAUSE_MILLIS = 200;

    private final Options options;
    private final Program kubectl;
    private final Program helm;
    private final KubernetesClient client = new KubernetesClientBuilder().build();
    private final ApiServer apiServer = new ApiServer();

    Target(Options options) {
        this.options = options;
        this.kubectl = new Program(options.kubectl(), List.of());
        this.helm = new Program(options.helm(), List.of());
    }

    Options options() {
        return options;
    }

    Program kubectl() {
        return kubectl;
    }

    Program helm() {
        return helm;
    }

    KubernetesClient client() {
        return client;
    }

    ApiServer apiServer() {
        return apiServer;
    }

    /** Returns the object as JSON, as the API server returns it. */
    JsonNode get(String namespace, String kind, String name) throws IOException {
        return apiServer.get(namespace, kind, name);
    }

    /** Applies objects in the namespace of the cluster under test, and fails when the API server refuses them. */
    void apply(String yaml) throws IOException, InterruptedException {
        apply(NAMESPACE, yaml);
    }

    /** Applies objects, YAML or JSON, and fails when the API server refuses them. */
    void apply(String namespace, String yaml) throws IOException, InterruptedException {
        Program.Result applied = kubectl.call(yaml, "apply", "-n", namespace, "-f", "-");
        Check.that(applied.exitCode() == 0, "%s", applied.output());
    }

    /** Changes a Granary by a merge patch. */
    void patch(String cluster, String change) throws IOException, InterruptedException {
        kubectl.run("patch", "gran/" + cluster, "-n", NAMESPACE, "--type=merge", "-p", change);
    }

    /** Upgrades the release of the operator with one value changed, and waits until it is ready. */
    void upgradeRelease(String value) throws IOException, InterruptedException {
        helm.run(
                "upgrade",
                RELEASE,
                options.project().resolve("helm/granary").toString(),
                "--namespace",
                OPERATOR_NAMESPACE,
                "--reuse-values",
                "--set",
                value,
                "--wait",
                "--timeout",
                "180s");
    }

    /** Returns the pods of a Granary, as the API server returns them. */
    List<JsonNode> podsOf(String cluster) throws IOException {
        return apiServer.list(NAMESPACE, "pods", "granary.dev/cluster=" + cluster);
    }

    /** Returns JSON from a process's own HTTP port, through the API server, which reaches every pod. */
    JsonNode fetch(Pod pod, int port, String path) throws IOException {
        return json(client.raw("/api/v1/namespaces/%s/pods/%s:%d/proxy%s"
                .formatted(pod.getMetadata().getNamespace(), pod.getMetadata().getName(), port, path)));
    }

    static JsonNode json(String text) throws IOException {
        return Formats.JSON.readTree(text);
    }

    /** Makes a namespace that enforces a pod security standard: privileged, baseline or restricted. */
    void createNamespace(String name, String podSecurity) throws Exception {
        kubectl.run("create", "namespace", name);
        kubectl.run("label", "namespace", name, "pod-security.kubernetes.io/enforce=" + podSecurity);
        // Kubernetes adds these two to every new namespace a moment later.
        await(
                "the namespace " + name + " is complete",
                Duration.ofSeconds(30),
                () -> kubectl.call(null, "get", "serviceaccount/default", "configmap/kube-root-ca.crt", "-n", name)
                                .exitCode()
                        == 0);
    }

    /** Waits until the condition holds; otherwise fails after the timeout with what was waited for. */
    static void await(String what, Duration timeout, Condition condition) throws Exception {
        long endNanos = System.nanoTime() + timeout.toNanos();
        while (!condition.holds()) {
            Check.that(System.nanoTime() < endNanos, "%s: not within %s", what, timeout);
            Thread.sleep(PAUSE_MILLIS);
        }
    }

    /** A condition that becomes true. */
    @FunctionalInterface
    interface Condition {
        boolean holds() throws Exception;
    }

    @Override
    public void close() {
        client.close();
        apiServer.close();
    }
}
