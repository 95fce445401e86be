package dev.granary.operator.apiserver;

import dev.granary.operator.Golden;
import dev.granary.operator.LeanSerialization;
import io.fabric8.kubeapitest.KubeAPIServer;
import io.fabric8.kubeapitest.KubeAPIServerConfigBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * One API server with etcd for all tests of a run, with the CRD of {@code crds/}. Its binaries (etcd, kube-apiserver,
 * kubectl) must lie in {@code $GRANARY_KUBE_BIN}, or where the e2e suite puts them:
 * {@code ${XDG_CACHE_HOME:-~/.cache}/granary-e2e/bin}. The tests fail without them.
 */
final class ApiServer {
    private static final String VERSION = "1.34.4";
    /** Each JVM of the tests has a server of its own. */
    private static final Path DIRECTORY =
            Path.of("target/kube-api-test", "" + ProcessHandle.current().pid()).toAbsolutePath();

    /** The exit code and the output of kubectl. */
    record Result(int exitCode, String output) {}

    private static final class Holder {
        static final ApiServer INSTANCE = new ApiServer();
    }

    private final KubernetesClient client;
    private final Path kubeconfig;
    private final Path kubectl;

    static ApiServer get() {
        return Holder.INSTANCE;
    }

    private ApiServer() {
        Path binaries = DIRECTORY.resolve("k8s/" + VERSION + "-linux-amd64");
        try {
            Files.createDirectories(binaries);
            for (String name : List.of("etcd", "kube-apiserver", "kubectl")) {
                link(binaries.resolve(name), source().resolve(name));
            }
            kubectl = binaries.resolve("kubectl");
            KubeAPIServer server = new KubeAPIServer(KubeAPIServerConfigBuilder.anAPIServerConfig()
                    .withTestDir(DIRECTORY.toString())
                    .withApiServerVersion(VERSION)
                    .withOfflineMode(true)
                    .withUpdateKubeConfig(false)
                    .withStartupTimeout(120_000)
                    .build());
            server.start();
            Runtime.getRuntime().addShutdownHook(new Thread(server::stop, "stop-api-server"));
            kubeconfig = DIRECTORY.resolve("kubeconfig.yaml");
            Files.writeString(kubeconfig, server.getKubeConfigYaml());
            client = new KubernetesClientBuilder()
                    .withConfig(Config.fromKubeconfig(server.getKubeConfigYaml()))
                    .build();
            for (String plural : List.of(
                    "granaries", "granarybackups", "granaryrestores", "granarybackupschedules", "granaryusers")) {
                installCrd(plural + ".granary.dev");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    KubernetesClient client() {
        return client;
    }

    /** A new client that acts as a service account, {@code namespace:name}, or as an administrator for {@code null}. */
    KubernetesClient clientAs(@Nullable String serviceAccount) {
        ConfigBuilder config = new ConfigBuilder(client.getConfiguration());
        if (serviceAccount != null) {
            config.withImpersonateUsername("system:serviceaccount:" + serviceAccount)
                    .withImpersonateGroups("system:serviceaccounts", "system:authenticated");
        }
        return new KubernetesClientBuilder()
                .withConfig(config.build())
                .withKubernetesSerialization(new LeanSerialization())
                .build();
    }

    /** A new namespace. */
    String namespace(String prefix) {
        return client.namespaces()
                .resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withGenerateName(prefix + "-")
                        .endMetadata()
                        .build())
                .create()
                .getMetadata()
                .getName();
    }

    /** Runs kubectl with a text as its standard input. */
    Result kubectl(String input, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(kubectl.toString(), "--kubeconfig", kubeconfig.toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (var out = process.getOutputStream()) {
            out.write(input.getBytes(StandardCharsets.UTF_8));
        }
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IllegalStateException("kubectl hangs: " + output);
        }
        return new Result(process.exitValue(), output);
    }

    /**
     * Creates a Granary as kubectl would, which sends unknown fields as they are and asks the server to refuse them.
     * Returns the words of the server, or nothing if it took the Granary.
     */
    String refusal(String namespace, String yaml) {
        URI uri = URI.create(client.getMasterUrl().toString())
                .resolve("/apis/granary.dev/v1alpha1/namespaces/" + namespace + "/granaries?fieldValidation=Strict");
        HttpClient http = client.getHttpClient();
        HttpResponse<String> response = http.sendAsync(
                        http.newHttpRequestBuilder()
                                .uri(uri)
                                .post("application/yaml", yaml)
                                .build(),
                        String.class)
                .orTimeout(60, TimeUnit.SECONDS)
                .join();
        return response.isSuccessful()
                ? ""
                : Serialization.unmarshal(response.body(), Status.class).getMessage();
    }

    private void installCrd(String name) throws IOException {
        Path crd = Golden.repository().resolve("crds/" + name + ".yaml");
        try (var in = Files.newInputStream(crd)) {
            client.load(in).serverSideApply();
        }
        Awaitility.await().atMost(30, TimeUnit.SECONDS).until(() -> {
            CustomResourceDefinition now = client.apiextensions()
                    .v1()
                    .customResourceDefinitions()
                    .withName(name)
                    .get();
            return now != null
                    && now.getStatus() != null
                    && now.getStatus().getConditions() != null
                    && now.getStatus().getConditions().stream()
                            .anyMatch(c -> c.getType().equals("Established")
                                    && c.getStatus().equals("True"));
        });
    }

    private static Path source() {
        String chosen = System.getenv("GRANARY_KUBE_BIN");
        if (chosen != null) {
            return Path.of(chosen);
        }
        String cache = Optional.ofNullable(System.getenv("XDG_CACHE_HOME"))
                .orElse(System.getProperty("user.home") + "/.cache");
        return Path.of(cache, "granary-e2e", "bin");
    }

    private static void link(Path link, Path target) throws IOException {
        if (!Files.isExecutable(target)) {
            throw new IllegalStateException(target + " is missing: set GRANARY_KUBE_BIN to a folder with etcd,"
                    + " kube-apiserver and kubectl, or let e2e/kubernetes build them");
        }
        Files.deleteIfExists(link);
        Files.createSymbolicLink(link, target);
    }
}
