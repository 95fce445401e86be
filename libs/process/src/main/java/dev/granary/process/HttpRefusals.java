package dev.granary.process;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.CounterMetricFamily;
import java.util.List;

/** What an HTTP port has refused since it was opened, by reason. Adding allocates nothing. Thread-safe. */
public final class HttpRefusals {

    /** Why a connection or a request was refused. Callers choose none of the labels. */
    enum Reason {
        /** There were too many connections, of all or of one address. */
        CONNECTIONS,
        /** The handshake of TLS has failed. */
        TLS,
        /** It was no request that the port takes: no HTTP, too large, with a body, or no GET and no HEAD. */
        REQUEST,
        /** The caller has shown neither a certificate that is enough nor a password. */
        UNPROVED,
        /** There is no user that is on and has this name and password. */
        PASSWORD,
        /** The user may not read pages. */
        PERMISSION,
        /** Too many passwords of the address were wrong, so that this one was not compared. */
        GUESSES,
        /** Too many passwords were being compared. */
        BUSY
    }

    private final EnumCounters<Reason> counters = new EnumCounters<>(Reason.class);

    HttpRefusals() {}

    void add(Reason reason) {
        counters.add(reason, 1);
    }

    /** Registers the metric. */
    public void register(CollectorRegistry registry) {
        Metrics.register(registry, () -> {
            CounterMetricFamily family = new CounterMetricFamily(
                    "granary_http_refused",
                    "Connections of the HTTP port that were refused because there were too many (connections) or"
                            + " because the handshake of TLS has failed (tls), and requests that were refused: because they"
                            + " are none that the port takes (request), because the caller has shown neither a certificate"
                            + " that is enough nor a password (unproved), because its password is wrong (password) or its"
                            + " user may not read pages (permission), or because too many passwords of its address were"
                            + " wrong (guesses) or too many were compared (busy).",
                    List.of("reason"));
            counters.addTo(family);
            return family;
        });
    }
}
