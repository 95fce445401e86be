package dev.granary.net.tls;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Which files a process proves itself with and trusts, all PEM. Immutable.
 *
 * @param certificate the certificate of this process, and behind it those between it and the CA; null for a client
 *     that proves nothing
 * @param key its private key without a password: PKCS #8, or the older forms of RSA and EC keys; null exactly when
 *     there is no certificate
 * @param ca the certificates of one or more CAs, each of which is trusted
 * @param clients whether callers that are no nodes must prove themselves to this process
 */
public record TlsSettings(
        @Nullable Path certificate, @Nullable Path key, Path ca, ClientAuthentication clients) {

    /** The names that Kubernetes and cert-manager give to the files of a certificate. */
    public static final String CERTIFICATE_NAME = "tls.crt";

    /** See {@link #CERTIFICATE_NAME}. */
    public static final String KEY_NAME = "tls.key";

    /** See {@link #CERTIFICATE_NAME}. */
    public static final String CA_NAME = "ca.crt";

    /** Whether callers show certificates. */
    public enum ClientAuthentication {
        /** Whoever shows none is refused. */
        REQUIRED,
        /** Whoever shows none is a plain client; one that is shown must be good. */
        OPTIONAL,
        /** None is asked for. Nodes are asked nevertheless, where nodes call. */
        NONE
    }

    public TlsSettings {
        if ((certificate == null) != (key == null)) {
            throw new IllegalArgumentException("a certificate and its key are set together, or neither");
        }
    }

    /** Returns the settings of a node whose files have the usual names in one directory. */
    public static TlsSettings ofDirectory(Path directory) {
        return new TlsSettings(
                directory.resolve(CERTIFICATE_NAME),
                directory.resolve(KEY_NAME),
                directory.resolve(CA_NAME),
                ClientAuthentication.REQUIRED);
    }

    /** Returns the settings of a client that trusts a CA and shows no certificate. */
    public static TlsSettings ofClient(Path ca) {
        return new TlsSettings(null, null, ca, ClientAuthentication.REQUIRED);
    }

    /** Returns the same for other demands on clients. */
    public TlsSettings withClients(ClientAuthentication other) {
        return new TlsSettings(certificate, key, ca, other);
    }
}
