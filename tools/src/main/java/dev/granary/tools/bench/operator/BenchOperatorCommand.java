package dev.granary.tools.bench.operator;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.base.Json;
import dev.granary.cli.base.Sizes;
import dev.granary.cli.cluster.Directories;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Measures the cost of Granary resources for the operator and the API server. */
@Command(
        name = "operator",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Measure the operator, as a process with the chart's JVM flags, against a real API server and etcd: time until"
                    + " resources are Ready, requests to the API server for each reconcile and in an idle hour, memory.",
        },
        footer = {
            "",
            "  granary bench operator --json result.json",
            "",
            "Pods are played: the benchmark makes them, says that they run, and answers as their super-peers. So the time to"
                    + " Ready is that of the operator and the API server, not that of starting processes. Call it from the"
                    + " root of the repository.",
        })
public final class BenchOperatorCommand implements Callable<Integer> {
    private static final String SYSTEM = "granary-system";
    private static final String CLUSTERS = "bench";
    private static final String CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    private static final String GRANARIES = "/apis/granary.dev/v1alpha1/namespaces/" + CLUSTERS + "/granaries";
    /** The super-peer that is played for each cluster. */
    private static final Map<String, Object> ONE = Map.of("min", 1);

    private static final int READY_SECONDS = 300;
    private static final int READY_SECONDS_EACH = 5;
    private static final int OPERATOR_PORT = 17480;

    @Option(
            names = "--resources",
            paramLabel = "N",
            split = ",",
            defaultValue = "1,50,200",
            description = "Measure with so many resources, in rising order. Default: ${DEFAULT-VALUE}")
    private List<Integer> resources = List.of();

    @Option(
            names = "--idle-seconds",
            paramLabel = "N",
            defaultValue = "60",
            description = "How long nothing is changed each time. Default: ${DEFAULT-VALUE}")
    private int idleSeconds = 60;

    @Option(
            names = "--nodes",
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "So many nodes, which kwok plays; the first resource leaves RDMA to them, so that the operator"
                            + " counts their devices. Default: ${DEFAULT-VALUE}")
    private int nodes;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the results here, too.")
    private @Nullable Path json;

    @Option(
            names = "--kube-bin",
            paramLabel = "DIR",
            defaultValue = "${env:GRANARY_KUBE_BIN:-${sys:user.home}/.cache/granary-e2e/bin}",
            description = "Folder with etcd and kube-apiserver, and with kwok for --nodes. Default: ${DEFAULT-VALUE}")
    private Path kubeBin = Path.of("");

    @Option(
            names = "--project",
            paramLabel = "DIR",
            defaultValue = ".",
            description = "The root of the repository. Default: the current folder")
    private Path project = Path.of("");

    @Spec
    private CommandSpec spec = CommandSpec.create();

    private final PrintStream out = System.out;
    private final Map<String, Long> createdNanos = new HashMap<>();
    private final Map<String, Double> readySeconds = new HashMap<>();

    @Override
    public Integer call() throws IOException, InterruptedException, GeneralSecurityException {
        if (resources.stream().anyMatch(count -> count < 1 || count > 1000)
                || idleSeconds < 1
                || nodes < 0
                || nodes > 5000) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--resources are from 1 to 1000, --idle-seconds is at least 1, and --nodes from 0 to 5000.");
        }
        ControlPlane.requirePrograms(kubeBin, nodes > 0);
        Path folder = Files.createTempDirectory("granary-bench-operator");
        List<OperatorLine> lines;
        try (ControlPlane plane = ControlPlane.start(kubeBin, folder)) {
            prepare(plane.api());
            try (PlayedNodes played = nodes == 0 ? null : PlayedNodes.start(kubeBin, folder, plane, nodes);
                    PlayedPods pods = new PlayedPods(plane.api(), PlayedPods.HTTP_PORT);
                    OperatorProcess operator = OperatorProcess.start(
                            project.toAbsolutePath().normalize(),
                            folder,
                            plane.operatorKubeconfig(),
                            SYSTEM,
                            OPERATOR_PORT)) {
                lines = measure(plane, pods, operator);
            }
        }
        if (json != null) {
            Files.writeString(json, Json.pretty(lines) + "\n");
        }
        Directories.delete(folder);
        return 0;
    }

    private void prepare(Api api) throws IOException, InterruptedException {
        for (String namespace : List.of(SYSTEM, CLUSTERS)) {
            api.create("/api/v1/namespaces", Map.of("metadata", Map.of("name", namespace)));
        }
        for (String plural :
                List.of("granaries", "granarybackups", "granaryrestores", "granarybackupschedules", "granaryusers")) {
            String name = plural + ".granary.dev";
            api.createYaml(CRDS, Files.readString(project.resolve("crds/" + name + ".yaml")));
            Waiting.until("the CRD is established", 30, () -> isTrue(api.get(CRDS + "/" + name), "Established"));
        }
    }

    private List<OperatorLine> measure(ControlPlane plane, PlayedPods pods, OperatorProcess operator)
            throws IOException, InterruptedException {
        out.printf(
                "%-10s %12s %12s %15s %20s %19s %10s %10s%n",
                "resources",
                "ready p50 s",
                "ready max s",
                "requests/recon.",
                "idle requests/recon.",
                "requests/idle hour",
                "RSS",
                "peak");
        List<OperatorLine> lines = new ArrayList<>();
        int before = 0;
        for (int count : resources.stream().sorted().distinct().toList()) {
            OperatorLine line = measure(plane, pods, operator, before, count);
            lines.add(line);
            out.printf(
                    Locale.ROOT,
                    "%-10d %12.1f %12.1f %15.1f %20.1f %19d %10s %10s%n",
                    line.resources(),
                    line.readyP50Seconds(),
                    line.readyMaxSeconds(),
                    line.requestsPerReconcile(),
                    line.requestsPerIdleReconcile(),
                    line.requestsPerIdleHour(),
                    Sizes.bytes(line.residentBytes()),
                    Sizes.bytes(line.residentPeakBytes()));
            before = count;
        }
        return lines;
    }

    private OperatorLine measure(ControlPlane plane, PlayedPods pods, OperatorProcess operator, int from, int to)
            throws IOException, InterruptedException {
        Map<String, Long> requestsAtStart = plane.auditLog().byVerb();
        long reconcilesAtStart = operator.reconciles();
        for (int i = from; i < to; i++) {
            String name = "granary-" + i;
            createdNanos.put(name, System.nanoTime());
            plane.api()
                    .create(
                            GRANARIES,
                            Map.of(
                                    "apiVersion",
                                    "granary.dev/v1alpha1",
                                    "kind",
                                    "Granary",
                                    "metadata",
                                    Map.of("name", name),
                                    "spec",
                                    i == 0 && nodes > 0
                                            ? Map.of("superPeers", ONE, "rdma", Map.of("mode", "auto"))
                                            : Map.of("superPeers", ONE)));
        }
        int seconds = READY_SECONDS + READY_SECONDS_EACH * (to - from);
        Waiting.until(to + " resources are Ready and settled", seconds, () -> {
            pods.play();
            return look(plane.api()) == to;
        });
        Map<String, Long> requestsWhenReady = plane.auditLog().byVerb();
        long reconcilesWhenReady = operator.reconciles();
        // The faster pace before Ready may go on for a minute.
        TimeUnit.SECONDS.sleep(15);
        Map<String, Long> idleStart = plane.auditLog().byVerb();
        long idleReconciles = operator.reconciles();
        long startNanos = System.nanoTime();
        TimeUnit.SECONDS.sleep(idleSeconds);
        Map<String, Long> idle = AuditLog.difference(idleStart, plane.auditLog().byVerb());
        double idleFor = (System.nanoTime() - startNanos) / 1e9;
        long reconciles = operator.reconciles() - idleReconciles;
        Map<String, Long> busy = AuditLog.difference(requestsAtStart, requestsWhenReady);
        busy.remove("watch");
        idle.remove("watch");
        List<Double> ready = readySeconds.entrySet().stream()
                .filter(entry -> number(entry.getKey()) >= from)
                .map(Map.Entry::getValue)
                .sorted()
                .toList();
        return new OperatorLine(
                nodes,
                to,
                to - from,
                ready.get(ready.size() / 2),
                ready.getLast(),
                ratio(AuditLog.sum(busy), reconcilesWhenReady - reconcilesAtStart),
                ratio(AuditLog.sum(idle), reconciles),
                Math.round(AuditLog.sum(idle) * 3600 / idleFor),
                idle,
                idleFor,
                operator.memoryBytes("VmRSS"),
                operator.memoryBytes("VmHWM"));
    }

    private static double ratio(long requests, long reconciles) {
        return reconciles == 0 ? 0 : (double) requests / reconciles;
    }

    private static int number(String name) {
        return Integer.parseInt(name.substring(name.lastIndexOf('-') + 1));
    }

    /** Notes the resources that have become ready. Returns how many are ready and have nothing left to do. */
    private int look(Api api) throws IOException, InterruptedException {
        int settled = 0;
        for (JsonNode granary : api.get(GRANARIES).path("items")) {
            String name = granary.at("/metadata/name").asText();
            if (isTrue(granary, "Ready")) {
                readySeconds.computeIfAbsent(
                        name, _ -> (System.nanoTime() - createdNanos.getOrDefault(name, System.nanoTime())) / 1e9);
                settled += granary.at("/status/conditions")
                                .valueStream()
                                .anyMatch(condition ->
                                        condition.path("reason").asText().equals("Stable"))
                        ? 1
                        : 0;
            }
        }
        return settled;
    }

    static boolean isTrue(JsonNode object, String type) {
        return object.at("/status/conditions")
                .valueStream()
                .anyMatch(condition -> condition.path("type").asText().equals(type)
                        && condition.path("status").asText().equals("True"));
    }
}
