package dev.granary.client;

import java.util.ServiceLoader;

/**
 * Opens clients. Connects the interfaces of this package with the implementation (ADR 0220). Applications call {@link
 * GranaryClient#connect}.
 */
public interface ClientProvider {

    /** Opens a client and waits until it has found the cluster. If it finds none, closes what it has opened. */
    AsyncGranaryClient connect(ClientOptions options);

    /** Returns the provider that comes with the client. */
    static ClientProvider installed() {
        return ServiceLoader.load(ClientProvider.class, ClientProvider.class.getClassLoader())
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no " + ClientProvider.class.getName()
                        + " is on the module path or class path; granary-client.jar has one: a repackaged jar must keep its"
                        + " META-INF/services"));
    }
}
