package dev.granary.operator.observe;

import dev.granary.operator.certificate.Taken;

/** Asks a process of a cluster which certificates it shows and trusts. Thread-safe. */
@FunctionalInterface
public interface CertificateObserver {
    /**
     * Asks one process. It takes two seconds at most.
     *
     * @param host its address
     * @param port its HTTP port
     * @return what it says; a process that does not answer shows and trusts nothing
     */
    Taken.Answer ask(String host, int port);
}
