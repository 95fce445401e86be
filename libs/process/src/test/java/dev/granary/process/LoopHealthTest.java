package dev.granary.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.env.Loop;
import dev.granary.env.Loops;
import dev.granary.overlay.HostAddress;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a process shows of its loops, with a real thread, a real clock and a real HTTP port. */
@Timeout(60)
class LoopHealthTest {

    private static final long MILLI = 1_000_000;

    @TempDir
    Path directory = Path.of("");

    private final CollectorRegistry registry = new CollectorRegistry();

    @Test
    void healthz_aVitalLoopThrowsAgainAndAgain_is503WithItsNameUntilItDoesItsWork() throws Exception {
        AtomicBoolean failing = new AtomicBoolean(true);
        CountDownLatch failures = new CountDownLatch(20);
        try (NodeRuntime runtime = NodeRuntime.open(directory, "test", (reason, cause) -> {});
                HttpPort port = HttpPort.open(
                        new HostAddress("127.0.0.1", 0),
                        new Shown(runtime.environment().scheduler().loops(), registry));
                HttpClient client = HttpClient.newHttpClient()) {
            LoopMetrics.register(registry, runtime.environment().scheduler().loops());
            Loop loop = Loop.every(runtime.environment().scheduler(), "planted", 5 * MILLI, () -> {
                        failures.countDown();
                        if (failing.get()) {
                            throw new IllegalStateException("planted");
                        }
                    })
                    .vital(50 * MILLI);
            loop.beginAfter(0);
            failures.await();
            HttpResponse<String> stalled = get(client, port, "/healthz");
            String metrics = get(client, port, "/metrics").body();
            failing.set(false);

            assertThat(stalled.statusCode()).isEqualTo(503);
            assertThat(stalled.body()).contains("loop 'planted'");
            assertThat(registry.getSampleValue(
                            "granary_loop_failures_total", new String[] {"loop"}, new String[] {"planted"}))
                    .isGreaterThanOrEqualTo(19);
            assertThat(metrics).contains("granary_loop_overdue_seconds{loop=\"planted\",}");
            while (get(client, port, "/healthz").statusCode() != 200) {
                Thread.onSpinWait();
            }
        }
    }

    private static HttpResponse<String> get(HttpClient client, HttpPort port, String path)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port.port() + path))
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private record Shown(Loops loops, CollectorRegistry metrics) implements HttpContent {

        @Override
        public Optional<String> notAliveReason() {
            return loops.stalled();
        }

        @Override
        public Optional<String> notReadyReason() {
            return Optional.empty();
        }

        @Override
        public String statusJson() {
            return "{}";
        }
    }
}
