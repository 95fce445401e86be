package dev.granary.client;

import org.jspecify.annotations.Nullable;

/**
 * With what a client and its cluster prove themselves to each other, all PEM, for a program that has it from elsewhere
 * than files ({@link ClientTls}). It holds for as long as the client is open. Immutable.
 *
 * @param ca the certificates of the CAs whose nodes are trusted, one or more
 * @param certificate the client's certificate and those between it and the CA; null for none
 * @param key the certificate's private key, without a password; null exactly when there is no certificate
 */
public record ClientTlsText(
        String ca, @Nullable String certificate, @Nullable String key) {

    public ClientTlsText {
        if ((certificate == null) != (key == null)) {
            throw new IllegalArgumentException("a certificate and its key are set together, or neither");
        }
    }

    /** Without the key. */
    @Override
    public String toString() {
        return certificate == null ? "a client without a certificate" : "a client with a certificate";
    }
}
