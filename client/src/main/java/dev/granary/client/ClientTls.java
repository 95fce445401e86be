package dev.granary.client;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The files with which a client and its cluster prove themselves to each other, all PEM. They are read again when they
 * change. Immutable.
 *
 * @param ca the CAs whose nodes are trusted, one or more; nodes that {@code crl.pem} beside it revokes are not
 * @param certificate the client's certificate and those between it and the CA; null for none
 * @param key the certificate's private key, without a password; null exactly when there is no certificate
 */
public record ClientTls(
        Path ca, @Nullable Path certificate, @Nullable Path key) {

    public ClientTls {
        if ((certificate == null) != (key == null)) {
            throw new IllegalArgumentException("a certificate and its key are set together, or neither");
        }
    }

    /** Returns a client that trusts the CAs of a file, and shows no certificate: a cluster may refuse that. */
    public static ClientTls ofCa(Path ca) {
        return new ClientTls(ca, null, null);
    }

    /** Returns a client whose files are {@code tls.crt}, {@code tls.key} and {@code ca.crt} of a directory. */
    public static ClientTls ofDirectory(Path directory) {
        return new ClientTls(directory.resolve("ca.crt"), directory.resolve("tls.crt"), directory.resolve("tls.key"));
    }
}
