package dev.granary.operator.apiserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.granary.operator.OperatorProgram;
import dev.granary.operator.Samples;
import dev.granary.operator.api.Granary;
import dev.granary.process.Program;
import dev.granary.process.config.Config;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The operator's program with its Lease, its ports and its orderly stop. */
@Tag("api-server")
class OperatorProgramTest {
    private final ApiServer server = ApiServer.get();
    private final AtomicReference<@Nullable String> failure = new AtomicReference<>();

    @Test
    void start_leaderElection_leadsReconcilesShowsMetricsAndStopsCleanly() throws Exception {
        String namespace = server.namespace("program");
        KubernetesClient client = server.client();
        int port = freePort();
        Program.Running running = start(namespace, port);
        try (HttpClient http = HttpClient.newHttpClient()) {
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> metrics(http, port).contains("granary_operator_leader 1.0"));
            Lease lease = client.leases()
                    .inNamespace(namespace)
                    .withName("granary-operator")
                    .require();
            assertThat(lease.getSpec().getHolderIdentity()).isNotBlank();
            assertThat(get(http, port, "/readyz").statusCode()).isEqualTo(200);

            Granary granary = Samples.granary("social", "{}");
            granary.getMetadata().setNamespace(namespace);
            granary.getMetadata().setUid(null);
            client.resource(granary).create();
            String reconciled = "{namespace=\"" + namespace + "\",name=\"social\",";
            await().atMost(Duration.ofSeconds(30)).until(() -> metrics(http, port)
                    .contains("granary_operator_last_success_timestamp_seconds" + reconciled));
            assertThat(metrics(http, port))
                    .contains(
                            "granary_operator_reconciles_total" + reconciled + "outcome=\"ok\",} ",
                            "granary_operator_resources 1.0",
                            "jvm_");
            assertThat(get(http, port, "/status").body()).contains("\"leader\":true", "\"resources\":1");
        } finally {
            running.stop();
        }
        assertThat(failure.get()).isNull();
    }

    @Test
    void start_twoOperators_oneStandsByUntilTheOtherStops() throws Exception {
        String namespace = server.namespace("program");
        int firstPort = freePort();
        Program.Running first = start(namespace, firstPort);
        try (HttpClient http = HttpClient.newHttpClient()) {
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> metrics(http, firstPort).contains("granary_operator_leader 1.0"));
            int secondPort = freePort();
            Program.Running second = start(namespace, secondPort);
            try {
                assertThat(get(http, secondPort, "/readyz").statusCode()).isEqualTo(200);
                assertThat(metrics(http, secondPort)).contains("granary_operator_leader 0.0");
                first.stop();
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> metrics(http, secondPort).contains("granary_operator_leader 1.0"));
            } finally {
                second.stop();
            }
        }
        assertThat(failure.get()).isNull();
    }

    @Test
    void start_twoLeasesInOneNamespace_bothLead() throws Exception {
        String namespace = server.namespace("program");
        int firstPort = freePort();
        int secondPort = freePort();
        Program.Running first = start(namespace, firstPort);
        Program.Running second = start(namespace, secondPort, "other-operator");
        try (HttpClient http = HttpClient.newHttpClient()) {
            for (int port : new int[] {firstPort, secondPort}) {
                await().atMost(Duration.ofSeconds(30))
                        .until(() -> metrics(http, port).contains("granary_operator_leader 1.0"));
            }
        } finally {
            second.stop();
            first.stop();
        }
        assertThat(failure.get()).isNull();
    }

    private Program.Running start(String namespace, int port) throws Exception {
        return start(namespace, port, "granary-operator");
    }

    private Program.Running start(String namespace, int port, String lease) throws Exception {
        OperatorProgram program = new OperatorProgram(() -> server.clientAs(null));
        Config config = Config.load(
                program.schema(),
                null,
                Map.of(
                        "GRANARY_IMAGE",
                        "example.org/granary:1",
                        "GRANARY_OPERATOR_NAMESPACES",
                        namespace,
                        "GRANARY_OPERATOR_LEASE_NAME",
                        lease,
                        "GRANARY_OPERATOR_LEASE_NAMESPACE",
                        namespace,
                        "GRANARY_HTTP_HOST",
                        "127.0.0.1",
                        "GRANARY_HTTP_PORT",
                        Integer.toString(port)));
        return program.start(config, (reason, cause) -> failure.set(reason));
    }

    private static String metrics(HttpClient http, int port) throws IOException, InterruptedException {
        return get(http, port, "/metrics").body();
    }

    private static HttpResponse<String> get(HttpClient http, int port, String path)
            throws IOException, InterruptedException {
        URI uri = URI.create("http://127.0.0.1:" + port + path);
        return http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
