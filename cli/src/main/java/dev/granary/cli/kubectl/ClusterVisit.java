package dev.granary.cli.kubectl;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.granary.cli.base.UserException;
import dev.granary.cli.doctor.DoctorCommand;
import dev.granary.cli.doctor.Evidence;
import dev.granary.cli.doctor.ProcessLook;
import dev.granary.cli.doctor.ProcessLook.Role;
import dev.granary.cli.doctor.Samples;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Collects what the doctor looks at: resource, pods, status and metrics, all by kubectl. */
final class ClusterVisit {

    static final int SUPER_PEER_HTTP = 7401;
    static final int STORAGE_HTTP = 7501;
    private static final int OPERATOR_HTTP = 8080;

    /** So many calls of kubectl at the same time: each is a process of its own. */
    private static final int AT_ONCE = 8;

    private final Kubectl kubectl;

    ClusterVisit(Kubectl kubectl) {
        this.kubectl = kubectl;
    }

    /** The Granary of a name. */
    Evidence look(String name) {
        JsonNode resource = kubectl.get("granary", name);
        List<JsonNode> pods = pods(name);
        JsonNode status = status(name);
        List<ProcessLook> processes = new ArrayList<>(twice(pods, status));
        processes.addAll(operators());
        return new Evidence(status, processes, resource, pods, Instant.now());
    }

    /** The pods of a Granary. */
    List<JsonNode> pods(String name) {
        return Evidence.stream(
                        kubectl.get("pods", "-l", "granary.dev/cluster=" + name).path("items"))
                .toList();
    }

    /** The status by the Service of the super-peers; a missing node when none answers, or the right is missing. */
    private JsonNode status(String name) {
        try {
            return kubectl.fetch(name, SUPER_PEER_HTTP, "/status");
        } catch (UserException e) {
            return MissingNode.getInstance();
        }
    }

    /** The metrics of all pods, read twice: counters tell by how much they grew. */
    private List<ProcessLook> twice(List<JsonNode> pods, JsonNode status) {
        List<ProcessLook> earlier = metrics(pods, status);
        DoctorCommand.pause();
        List<ProcessLook> now = metrics(pods, status);
        return IntStream.range(0, now.size())
                .mapToObj(i -> now.get(i).after(earlier.get(i)))
                .toList();
    }

    private List<ProcessLook> metrics(List<JsonNode> pods, JsonNode status) {
        String namespace = kubectl.namespace();
        try (ExecutorService executor = Executors.newFixedThreadPool(AT_ONCE)) {
            List<CompletableFuture<ProcessLook>> looks = new ArrayList<>();
            for (JsonNode pod : pods) {
                String component = pod.at("/metadata/labels")
                        .path("app.kubernetes.io/component")
                        .asText();
                if (component.equals("storage") || component.equals("super-peer")) {
                    Role role = component.equals("storage") ? Role.STORAGE_PEER : Role.SUPER_PEER;
                    String name = pod.at("/metadata/name").asText();
                    String cluster = pod.at("/metadata/labels")
                            .path("granary.dev/cluster")
                            .asText();
                    looks.add(CompletableFuture.supplyAsync(
                            () -> look(role, nid(status, name), namespace, cluster, name, httpPort(role)), executor));
                }
            }
            return looks.stream().map(CompletableFuture::join).toList();
        }
    }

    /** The NID of a pod by the status, which calls processes as their pods; empty when it is not known. */
    private static String nid(JsonNode status, String pod) {
        for (String place : List.of("/storagePeers", "/ring/superPeers", "/ring/candidates")) {
            for (JsonNode peer : status.at(place)) {
                if (peer.path("name").asText().equals(pod)) {
                    return peer.path("nid").asText();
                }
            }
        }
        return "";
    }

    static int httpPort(Role role) {
        return switch (role) {
            case STORAGE_PEER -> STORAGE_HTTP;
            case SUPER_PEER -> SUPER_PEER_HTTP;
            case OPERATOR -> OPERATOR_HTTP;
        };
    }

    private ProcessLook look(Role role, String nid, String namespace, @Nullable String cluster, String pod, int port) {
        try {
            Samples samples = Samples.parse(kubectl.fetchFromPod(namespace, cluster, pod, port, "/metrics"));
            return ProcessLook.of(role, nid, pod, samples, samples);
        } catch (UserException e) {
            return ProcessLook.unseen(role, nid, pod, String.valueOf(e.getMessage()));
        }
    }

    /** The operators of all namespaces; none when they may not be listed. */
    private List<ProcessLook> operators() {
        JsonNode pods;
        try {
            pods = kubectl.get("pods", "--all-namespaces", "-l", "app.kubernetes.io/name=granary-operator");
        } catch (UserException e) {
            return List.of();
        }
        return Evidence.stream(pods.path("items"))
                .map(pod -> look(
                        Role.OPERATOR,
                        "",
                        pod.at("/metadata/namespace").asText(),
                        null,
                        pod.at("/metadata/name").asText(),
                        OPERATOR_HTTP))
                .toList();
    }
}
