package dev.granary.operator.observe;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks by HTTP: {@code GET /status}. Prefers the answer of a super-peer that belongs to a cluster to one of a
 * super-peer that does not.
 */
public final class HttpClusterObserver implements ClusterObserver, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HttpClusterObserver.class);

    private final int port;
    private final PageReader pages = new PageReader();
    private final ObjectMapper json = new ObjectMapper();

    /**
     * Makes an observer.
     *
     * @param port HTTP port of every super-peer
     */
    public HttpClusterObserver(int port) {
        this.port = port;
    }

    @Override
    public Answer observe(HttpPlaces superPeers) {
        String reason = "no super-peer has an address yet";
        ClusterView withoutCluster = null;
        for (String host : superPeers.hosts()) {
            try {
                ClusterView view = ask(host, superPeers);
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
        pages.close();
    }

    private ClusterView ask(String host, HttpPlaces places) throws IOException, InterruptedException {
        boolean secured = places.secured().contains(host);
        if (secured && places.tls() == null) {
            throw new IOException("the operator has no certificate to show");
        }
        byte[] body = pages.read(host, port, "/status", secured ? places.tls() : null);
        try {
            ClusterView view = json.readValue(body, ClusterView.class);
            if (view.ring() == null || view.totals() == null || view.storagePeers() == null) {
                throw new IOException("/status lacks ring, storagePeers or totals");
            }
            return view;
        } catch (JsonProcessingException e) {
            throw new IOException("/status is not JSON: " + e.getOriginalMessage(), e);
        }
    }
}
