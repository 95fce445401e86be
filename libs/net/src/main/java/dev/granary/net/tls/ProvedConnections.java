package dev.granary.net.tls;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The open connections of a process whose other side has shown a certificate, so that they end when it is revoked.
 * Thread-safe.
 */
final class ProvedConnections {

    private final Set<TlsGuard> open = ConcurrentHashMap.newKeySet();
    private volatile RevocationLists revoked = RevocationLists.NONE;

    /** Notes a connection whose handshake has ended; lists may have changed meanwhile. */
    void add(TlsGuard guard) {
        open.add(guard);
        guard.closeIfRevoked(revoked);
    }

    /** Forgets a connection that has ended. */
    void remove(TlsGuard guard) {
        open.remove(guard);
    }

    /** Closes the connections of certificates that these lists name, now and when they are added later. */
    void revoke(RevocationLists lists) {
        revoked = lists;
        open.forEach(guard -> guard.closeIfRevoked(lists));
    }
}
