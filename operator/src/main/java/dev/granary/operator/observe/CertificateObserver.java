package dev.granary.operator.observe;

import dev.granary.client.ClientTlsText;
import dev.granary.operator.certificate.Taken;
import org.jspecify.annotations.Nullable;

/** Asks a process of a cluster which certificates it shows and trusts. Thread-safe. */
@FunctionalInterface
public interface CertificateObserver {
    /**
     * Asks one process. It takes two seconds at most.
     *
     * @param host its address
     * @param port its HTTP port
     * @param tls with what the operator proves itself; {@code null} for a port without TLS
     * @return what it says; a process that does not answer shows and trusts nothing
     */
    Taken.Answer ask(String host, int port, @Nullable ClientTlsText tls);
}
