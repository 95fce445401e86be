package dev.granary.net.access;

import java.net.SocketAddress;
import java.util.concurrent.CompletableFuture;

/** The users of a node who may read its pages of HTTP (ADR 0359). Thread-safe. */
public interface PageReaders {

    /**
     * Finds out whether a user may read a page. Completes on any thread, and never with a failure. Whoever may not is
     * noted for auditors.
     *
     * @param user the name that the caller gives, as it was sent: a character for each byte
     * @param password in the same way
     * @param page its path, for auditors
     * @param client who asks, for auditors
     */
    CompletableFuture<Outcome> mayRead(String user, String password, String page, SocketAddress client);

    /** Whether a user may read. */
    enum Outcome {
        /** It may. */
        YES,
        /** There is no such user that is on, or its password is another one. */
        WRONG,
        /** The user has no permission, or no password that would prove who it is. */
        DENIED,
        /** Too many passwords are compared just now. */
        BUSY
    }
}
