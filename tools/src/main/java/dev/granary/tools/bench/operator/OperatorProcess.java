package dev.granary.tools.bench.operator;

import dev.granary.cli.base.UserException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The operator's process with the chart's JVM options. */
final class OperatorProcess implements AutoCloseable {
    private static final Pattern JVM_OPTIONS = Pattern.compile("^jvmOptions: \"(.*)\"$", Pattern.MULTILINE);
    private static final Pattern RECONCILES = Pattern.compile("^granary_operator_reconciles_total\\{.*} (\\S+)$");
    private static final int START_SECONDS = 60;

    private final Process process;
    private final HttpClient http;
    private final URI metrics;

    private OperatorProcess(Process process, HttpClient http, URI metrics) {
        this.process = process;
        this.http = http;
        this.metrics = metrics;
    }

    /**
     * Starts the operator and waits until it leads.
     *
     * @param project the root of the repository
     */
    static OperatorProcess start(Path project, Path folder, Path kubeconfig, String namespace, int httpPort)
            throws IOException, InterruptedException {
        Path program = project.resolve("operator/target/dist/bin/granary-operator");
        if (!Files.isExecutable(program)) {
            throw new UserException(program
                    + " is missing: build it with 'mvn -pl operator -am -DskipTests package', and call this from"
                    + " the root of the repository or with --project");
        }
        ProcessBuilder builder = new ProcessBuilder(program.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("operator.log").toFile());
        builder.environment()
                .putAll(Map.of(
                        "JAVA_HOME",
                        System.getProperty("java.home"),
                        "KUBECONFIG",
                        kubeconfig.toString(),
                        "GRANARY_IMAGE",
                        "localhost/granary:bench",
                        "GRANARY_HTTP_HOST",
                        "127.0.0.1",
                        "GRANARY_HTTP_PORT",
                        Integer.toString(httpPort),
                        "GRANARY_OPERATOR_LEASE_NAMESPACE",
                        namespace,
                        "GRANARY_JVM_OPTIONS",
                        jvmOptions(project)));
        HttpClient http = HttpClient.newHttpClient();
        OperatorProcess operator =
                new OperatorProcess(builder.start(), http, URI.create("http://127.0.0.1:" + httpPort + "/metrics"));
        try {
            Waiting.until("the operator leads (its log: " + folder + ")", START_SECONDS, () -> operator.metrics()
                    .contains("granary_operator_leader 1.0"));
            return operator;
        } catch (IOException | InterruptedException | RuntimeException e) {
            operator.close();
            throw e;
        }
    }

    private static String jvmOptions(Path project) throws IOException {
        Path values = project.resolve("helm/granary/values.yaml");
        Matcher matcher = JVM_OPTIONS.matcher(Files.readString(values));
        if (!matcher.find()) {
            throw new UserException(values + " has no jvmOptions");
        }
        return matcher.group(1);
    }

    /** The number of reconciles of all resources so far, failed ones included. */
    long reconciles() throws InterruptedException {
        return metrics()
                .lines()
                .map(RECONCILES::matcher)
                .filter(Matcher::matches)
                .mapToLong(matcher -> (long) Double.parseDouble(matcher.group(1)))
                .sum();
    }

    private String metrics() throws InterruptedException {
        try {
            HttpRequest request = HttpRequest.newBuilder(metrics)
                    .timeout(Duration.ofSeconds(10))
                    .build();
            return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
        } catch (IOException e) {
            return "";
        }
    }

    /** A line of {@code /proc/PID/status} in bytes: VmRSS is the present memory, VmHWM the most ever. */
    long memoryBytes(String line) throws IOException {
        return Files.readString(Path.of("/proc", Long.toString(process.pid()), "status"))
                        .lines()
                        .filter(text -> text.startsWith(line + ":"))
                        .mapToLong(text -> Long.parseLong(text.replaceAll("[^0-9]", "")))
                        .findFirst()
                        .orElseThrow(() -> new UserException("/proc has no " + line + " of the operator"))
                * 1024;
    }

    @Override
    public void close() {
        http.close();
        ControlPlane.end(process);
    }
}
