package dev.granary.operator.observe;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks by HTTP: {@code GET /status}. Prefers the answer of a super-peer that belongs to a cluster to one of a
 * super-peer that does not.
 */
public final class HttpClusterObserver implements ClusterObserver, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HttpClusterObserver.class);
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    private final int port;
    private final HttpClient http;
    private final ObjectMapper json = new ObjectMapper();

    /**
     * Makes an observer.
     *
     * @param port HTTP port of every super-peer
     */
    public HttpClusterObserver(int port) {
        this.port = port;
        this.http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(TIMEOUT)
                .build();
    }

    @Override
    public Answer observe(List<String> hosts) {
        String reason = "no super-peer has an address yet";
        ClusterView withoutCluster = null;
        for (String host : hosts) {
            try {
                ClusterView view = ask(host);
                if (view.clusterId() != null) {
                    return new Answer.Seen(view);
                }
                withoutCluster = view;
            } catch (IOException e) {
                reason = host + ": "
                        + Optional.ofNullable(e.getMessage())
                                .orElse(e.getClass().getSimpleName());
                LOG.atDebug().addKeyValue("address", host).setCause(e).log("a super-peer did not answer");
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return new Answer.Unreachable("interrupted");
            }
        }
        return withoutCluster != null ? new Answer.Seen(withoutCluster) : new Answer.Unreachable(reason);
    }

    @Override
    public void close() {
        http.close();
    }

    private ClusterView ask(String host) throws IOException, InterruptedException {
        String authority = host.contains(":") ? "[" + host + "]" : host;
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + authority + ":" + port + "/status"))
                .timeout(TIMEOUT)
                .build();
        HttpResponse<byte[]> response = http.send(request, HttpResponse.BodyHandlers.ofByteArray());
        if (response.statusCode() != 200) {
            throw new IOException("/status answered " + response.statusCode());
        }
        try {
            ClusterView view = json.readValue(response.body(), ClusterView.class);
            if (view.ring() == null || view.totals() == null || view.storagePeers() == null) {
                throw new IOException("/status lacks ring, storagePeers or totals");
            }
            return view;
        } catch (JsonProcessingException e) {
            throw new IOException("/status is not JSON: " + e.getOriginalMessage(), e);
        }
    }
}
