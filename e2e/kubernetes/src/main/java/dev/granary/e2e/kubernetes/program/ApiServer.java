package dev.granary.e2e.kubernetes.program;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the API server answers, as {@code kubectl get -o json} prints it. The steps ask again and again while they wait,
 * and a process for each question would take a tenth of a second of a processor. Thread-safe.
 */
public final class ApiServer implements AutoCloseable {

    private static final String OURS = "/apis/granary.dev/v1alpha1";

    /** Where kinds that are not in the core of Kubernetes are. */
    private static final Map<String, String> GROUPS = Map.of(
            "granaries", OURS,
            "granarybackups", OURS,
            "granaryrestores", OURS,
            "granaryusers", OURS,
            "jobs", "/apis/batch/v1",
            "statefulsets", "/apis/apps/v1",
            "leases", "/apis/coordination.k8s.io/v1");

    private static final int TIMEOUT_MILLIS = 60_000;

    /** Like kubectl, it does not ask twice: a page of a process that is away is an answer, too. */
    private final KubernetesClient client = new KubernetesClientBuilder()
            .withConfig(new ConfigBuilder(Config.autoConfigure(null))
                    .withRequestRetryBackoffLimit(0)
                    .withRequestTimeout(TIMEOUT_MILLIS)
                    .build())
            .build();

    /** Returns an object; fails if there is none. The namespace is empty for kinds outside namespaces. */
    public JsonNode get(String namespace, String kind, String name) throws IOException {
        return required(collection(namespace, kind) + "/" + name);
    }

    /** Returns the objects of a kind that have a label, {@code name=value}; all of them for an empty text. */
    public List<JsonNode> list(String namespace, String kind, String label) throws IOException {
        String selector = label.isEmpty() ? "" : "?labelSelector=" + URLEncoder.encode(label, StandardCharsets.UTF_8);
        List<JsonNode> items = new ArrayList<>();
        required(collection(namespace, kind) + selector).path("items").forEach(items::add);
        return items;
    }

    /** Returns the page of a process in a pod; empty when it cannot be had. */
    public Optional<String> page(String namespace, String pod, int port, String path) {
        try {
            return Optional.ofNullable(
                    client.raw("/api/v1/namespaces/%s/pods/%s:%d/proxy%s".formatted(namespace, pod, port, path)));
        } catch (KubernetesClientException e) {
            return Optional.empty();
        }
    }

    /** Returns what a pod has printed; fails when it has printed nothing that can be had. */
    public String log(String namespace, String pod) {
        return answer("/api/v1/namespaces/%s/pods/%s/log".formatted(namespace, pod));
    }

    /** Returns the last lines of that. */
    public String log(String namespace, String pod, int lines) {
        return answer("/api/v1/namespaces/%s/pods/%s/log?tailLines=%d".formatted(namespace, pod, lines));
    }

    private JsonNode required(String path) throws IOException {
        return Formats.JSON.readTree(answer(path));
    }

    private String answer(String path) {
        @Nullable String answer;
        try {
            answer = client.raw(path);
        } catch (KubernetesClientException e) {
            throw new AssertionError(path + ": " + e.getMessage(), e);
        }
        if (answer == null) {
            throw new AssertionError(path + " is not there");
        }
        return answer;
    }

    private static String collection(String namespace, String kind) {
        String inNamespace = namespace.isEmpty() ? "" : "/namespaces/" + namespace;
        return GROUPS.getOrDefault(kind, "/api/v1") + inNamespace + "/" + kind;
    }

    @Override
    public void close() {
        client.close();
    }
}
