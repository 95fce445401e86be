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
 * @param crl the revocation lists of these CAs; null for none
 * @param clients whether callers that are no nodes must prove themselves to this process
 */
public record TlsSettings(
        @Nullable Path certificate,
        @Nullable Path key,
        Path ca,
        @Nullable Crl crl,
        ClientAuthentication clients) {

    /** The names that Kubernetes and cert-manager give to the files of a certificate. */
    public static final String CERTIFICATE_NAME = "tls.crt";

    /** See {@link #CERTIFICATE_NAME}. */
    public static final String KEY_NAME = "tls.key";

    /** See {@link #CERTIFICATE_NAME}. */
    public static final String CA_NAME = "ca.crt";

    /** The name of the file with revocation lists. */
    public static final String CRL_NAME = "crl.pem";

    /**
     * Where revocation lists are.
     *
     * @param required whether the file must be there from the start; otherwise nothing is revoked until it is
     */
    public record Crl(Path file, boolean required) {}

    /**
     * Returns where revocation lists are: in a file that is named, or else beside the CAs, if they are there.
     *
     * @param ca the file of the CAs
     * @param named a file that must exist; null for none
     */
    public static Crl crl(Path ca, @Nullable Path named) {
        return named == null ? new Crl(ca.resolveSibling(CRL_NAME), false) : new Crl(named, true);
    }

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

    /** Returns the settings of a node with files of the usual names in a directory; revocation lists may be missing. */
    public static TlsSettings ofDirectory(Path directory) {
        return new TlsSettings(
                directory.resolve(CERTIFICATE_NAME),
                directory.resolve(KEY_NAME),
                directory.resolve(CA_NAME),
                crl(directory.resolve(CA_NAME), null),
                ClientAuthentication.REQUIRED);
    }

    /** Returns the settings of a client that trusts a CA and shows no certificate. */
    public static TlsSettings ofClient(Path ca) {
        return new TlsSettings(null, null, ca, crl(ca, null), ClientAuthentication.REQUIRED);
    }

    /** Returns the same for other demands on clients. */
    public TlsSettings withClients(ClientAuthentication other) {
        return new TlsSettings(certificate, key, ca, crl, other);
    }
}
