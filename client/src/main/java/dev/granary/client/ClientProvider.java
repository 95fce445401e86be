package dev.granary.client;

import java.util.ServiceLoader;

/**
 * Opens clients: what lies between the interfaces of this package and the network (ADR 0220). Applications call {@link
 * GranaryClient#connect}.
 */
public interface ClientProvider {

    /** Opens a client and waits until it has found the cluster; closes what it opened when it finds none. */
    AsyncGranaryClient connect(ClientOptions options);

    /** The provider that comes with the client. */
    static ClientProvider installed() {
        return ServiceLoader.load(ClientProvider.class, ClientProvider.class.getClassLoader())
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no " + ClientProvider.class.getName()
                        + " is on the module path or class path; granary-client.jar has one: a repackaged jar must keep its"
                        + " META-INF/services"));
    }
}
