package dev.granary.cli.kubectl;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.base.Json;
import dev.granary.cli.base.UserException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Calls kubectl with the context and the namespace of the plugin's command line. */
final class Kubectl {

    private final String program;
    private final List<String> options;
    private final @Nullable String namespace;
    private final ForwardedPages forwarded = new ForwardedPages(this);

    /**
     * @param program the program to call, such as {@code kubectl}
     * @param context the context of the kubeconfig, {@code null} for the current one
     * @param namespace the namespace, {@code null} for that of the context
     */
    Kubectl(String program, @Nullable String context, @Nullable String namespace) {
        this.program = program;
        this.namespace = namespace;
        this.options = new ArrayList<>();
        if (context != null) {
            options.add("--context=" + context);
        }
        if (namespace != null) {
            options.add("--namespace=" + namespace);
        }
    }

    /** The namespace of all objects. */
    String namespace() {
        if (namespace != null) {
            return namespace;
        }
        String found = run("config", "view", "--minify", "-o", "jsonpath={..namespace}")
                .strip();
        return found.isEmpty() ? "default" : found;
    }

    /** An object or a list as JSON. */
    JsonNode get(String... what) {
        List<String> arguments = new ArrayList<>(List.of("get"));
        arguments.addAll(List.of(what));
        arguments.addAll(List.of("-o", "json"));
        return Json.parse("kubectl's answer", run(arguments.toArray(String[]::new)));
    }

    /** The answer of the HTTP port of a cluster's Service, through the API server, as JSON. */
    JsonNode fetch(String service, int port, String path) {
        String inNamespace = namespace();
        String url = "/api/v1/namespaces/%s/services/%s:%d/proxy%s".formatted(inNamespace, service, port, path);
        String answer = proxied(url, inNamespace, service, "service/" + service, port, path);
        return Json.parse("the answer of " + service, answer);
    }

    /**
     * The answer of a pod's HTTP port, through the API server.
     *
     * @param cluster the Granary that it belongs to; null for the operator
     */
    String fetchFromPod(String inNamespace, @Nullable String cluster, String pod, int port, String path) {
        String url = "/api/v1/namespaces/%s/pods/%s:%d/proxy%s".formatted(inNamespace, pod, port, path);
        return proxied(url, inNamespace, cluster, "pod/" + pod, port, path);
    }

    private String proxied(
            String url, String inNamespace, @Nullable String cluster, String target, int port, String path) {
        if (cluster != null && forwarded.areRead(inNamespace, cluster)) {
            return forwarded.read(inNamespace, cluster, target, port, path);
        }
        try {
            return run("get", "--raw", url);
        } catch (UserException e) {
            if (cluster == null || !isSecured(inNamespace, cluster)) {
                throw e;
            }
            return forwarded.read(inNamespace, cluster, target, port, path);
        }
    }

    private boolean isSecured(String inNamespace, String cluster) {
        try {
            return forwarded.areNeeded(inNamespace, cluster);
        } catch (UserException e) {
            // The first failure says more.
            return false;
        }
    }

    /** Calls kubectl for objects of another namespace than that of the command line. */
    String runIn(String otherNamespace, String... arguments) {
        // Of two options of the same name kubectl takes the last.
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add("--namespace=" + otherNamespace);
        return run(all.toArray(String[]::new));
    }

    /** Makes an object that does not exist yet, and returns what kubectl says. */
    String create(Object object) {
        return call(Json.compact(object), "create", "-f", "-");
    }

    /**
     * Calls kubectl.
     *
     * @return what it printed
     * @throws UserException with kubectl's error output, when it fails
     */
    String run(String... arguments) {
        return call("", arguments);
    }

    private String call(String input, String... arguments) {
        try {
            Process process = builder(arguments).start();
            try (OutputStream stdin = process.getOutputStream()) {
                stdin.write(input.getBytes(StandardCharsets.UTF_8));
            }
            CompletableFuture<String> complaints = CompletableFuture.supplyAsync(() -> text(process.errorReader()));
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new UserException(complaints.join().strip());
            }
            return output;
        } catch (IOException e) {
            throw new UserException("kubectl cannot be called: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UserException("interrupted", e);
        }
    }

    /** Calls kubectl with this process's terminal, and returns its exit code. */
    int pass(String... arguments) {
        try {
            return builder(arguments).inheritIO().start().waitFor();
        } catch (IOException e) {
            throw new UserException("kubectl cannot be called: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UserException("interrupted", e);
        }
    }

    /** Starts kubectl, which goes on until somebody ends it. */
    Process start(String... arguments) {
        try {
            return builder(arguments).start();
        } catch (IOException e) {
            throw new UserException("kubectl cannot be called: " + e.getMessage(), e);
        }
    }

    private ProcessBuilder builder(String... arguments) {
        List<String> command = new ArrayList<>(List.of(program));
        command.addAll(options);
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command);
    }

    private static String text(java.io.BufferedReader reader) {
        return String.join("\n", reader.lines().toList());
    }
}
