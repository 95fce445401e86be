package dev.granary.cli.kubectl;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.base.Json;
import dev.granary.cli.base.UserException;
import dev.granary.cli.base.VersionProvider;
import dev.granary.cli.doctor.Diagnosis;
import dev.granary.cli.doctor.Evidence;
import dev.granary.cli.doctor.ProcessLook.Role;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Collects what support needs to see of a Granary: objects, conditions, events, logs, metrics, status and findings,
 * without secrets. What cannot be read is listed with the reason, and the rest goes on.
 */
final class SupportReport {

    /** Objects that carry the label of a cluster. Secrets are never read. */
    private static final List<String> LABELLED = List.of(
            "pods",
            "statefulsets",
            "services",
            "configmaps",
            "persistentvolumeclaims",
            "poddisruptionbudgets",
            "networkpolicies",
            "jobs");

    /** Objects of a namespace that refer to a Granary. */
    private static final List<String> REFERRING =
            List.of("granarybackups", "granarybackupschedules", "granaryrestores", "granaryusers", "events");

    private final Kubectl kubectl;
    private final String name;
    private final String folder;
    private final int logLines;
    private final ZipOutputStream archive;
    private final List<String> missing = new ArrayList<>();

    /**
     * @param name of the Granary
     * @param folder what all names in the archive begin with
     * @param logLines how many lines of each log are taken
     */
    SupportReport(Kubectl kubectl, String name, String folder, int logLines, ZipOutputStream archive) {
        this.kubectl = kubectl;
        this.name = name;
        this.folder = folder;
        this.logLines = logLines;
        this.archive = archive;
    }

    /**
     * Writes everything.
     *
     * @return what is missing, with the reasons
     */
    List<String> write(Instant now) throws IOException {
        text(
                "about.txt",
                () -> "Granary " + name + " in namespace " + kubectl.namespace() + "\nmade at " + now + "\nby granary "
                        + VersionProvider.version() + "\n" + kubectl.run("version"));
        json("objects/granary.json", () -> kubectl.get("granary", name));
        for (String kind : LABELLED) {
            json("objects/" + kind + ".json", () -> kubectl.get(kind, "-l", "granary.dev/cluster=" + name));
        }
        for (String kind : REFERRING) {
            json("objects/" + kind + ".json", () -> kubectl.get(kind));
        }
        json("status.json", () -> kubectl.fetch(name, ClusterVisit.SUPER_PEER_HTTP, "/status"));
        json("doctor.json", () -> Json.tree(Diagnosis.make(ResourceChecks.ALL, new ClusterVisit(kubectl).look(name))));
        pods(kubectl.namespace(), podsOf("-l", "granary.dev/cluster=" + name));
        operators();
        text("missing.txt", () -> String.join("\n", missing) + "\n");
        return List.copyOf(missing);
    }

    private List<JsonNode> podsOf(String... which) {
        List<String> arguments = new ArrayList<>(List.of("pods"));
        arguments.addAll(List.of(which));
        try {
            return Evidence.stream(kubectl.get(arguments.toArray(String[]::new)).path("items"))
                    .toList();
        } catch (UserException e) {
            missing.add("pods " + String.join(" ", which) + ": " + e.getMessage());
            return List.of();
        }
    }

    private void pods(String namespace, List<JsonNode> pods) throws IOException {
        for (JsonNode pod : pods) {
            String podName = pod.at("/metadata/name").asText();
            boolean superPeer = pod.at("/metadata/labels")
                    .path("app.kubernetes.io/component")
                    .asText()
                    .equals("super-peer");
            int port = ClusterVisit.httpPort(superPeer ? Role.SUPER_PEER : Role.STORAGE_PEER);
            logs(namespace, podName, pod);
            text("metrics/" + podName + ".txt", () -> kubectl.fetchFromPod(namespace, name, podName, port, "/metrics"));
            if (!superPeer) {
                json(
                        "status/" + podName + ".json",
                        () -> Json.parse("a status", kubectl.fetchFromPod(namespace, name, podName, port, "/status")));
            }
        }
    }

    private void operators() throws IOException {
        for (JsonNode pod : podsOf("--all-namespaces", "-l", "app.kubernetes.io/name=granary-operator")) {
            String namespace = pod.at("/metadata/namespace").asText();
            String podName = pod.at("/metadata/name").asText();
            logs(namespace, podName, pod);
            int port = ClusterVisit.httpPort(Role.OPERATOR);
            text("metrics/" + podName + ".txt", () -> kubectl.fetchFromPod(namespace, null, podName, port, "/metrics"));
        }
    }

    private void logs(String namespace, String podName, JsonNode pod) throws IOException {
        String tail = "--tail=" + logLines;
        text("logs/" + podName + ".log", () -> kubectl.runIn(namespace, "logs", podName, tail, "--all-containers"));
        if (pod.at("/status/containerStatuses").findValues("restartCount").stream()
                .anyMatch(count -> count.asInt() > 0)) {
            text(
                    "logs/" + podName + ".previous.log",
                    () -> kubectl.runIn(namespace, "logs", podName, tail, "--all-containers", "--previous"));
        }
    }

    private void json(String file, Supplier<JsonNode> content) throws IOException {
        add(file, () -> Json.pretty(Redaction.clean(content.get())) + "\n");
    }

    private void text(String file, Supplier<String> content) throws IOException {
        add(file, () -> Redaction.clean(content.get()));
    }

    /** Adds a file; when its content cannot be had, the reason goes to the list of what is missing. */
    private void add(String file, Supplier<String> content) throws IOException {
        String text;
        try {
            text = content.get();
        } catch (UserException e) {
            missing.add(file + ": " + e.getMessage());
            return;
        }
        archive.putNextEntry(new ZipEntry(folder + "/" + file));
        archive.write(text.getBytes(StandardCharsets.UTF_8));
        archive.closeEntry();
    }
}
