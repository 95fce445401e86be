package dev.granary.net.tls;

import dev.granary.net.Proof;
import dev.granary.net.tls.TlsSettings.ClientAuthentication;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * TLS 1.3 of the JDK for programs that read the pages of nodes by HTTP (ADR 0359). As everywhere, an address is not
 * identity: whoever shows a certificate of a storage peer or a super-peer that a trusted CA has issued is a node.
 * Thread-safe.
 */
public final class NodeTrust extends X509ExtendedTrustManager {

    private static final String VERSION = "TLSv1.3";

    private final RevokingTrustManager trusting;
    private final @Nullable CertificateIdentity own;

    private NodeTrust(RevokingTrustManager trusting, @Nullable CertificateIdentity own) {
        this.trusting = trusting;
        this.own = own;
    }

    /**
     * Returns what connections are made with.
     *
     * @param certificate of the caller, and those between it and the CA, in PEM; null for none
     * @param key its private key, in PEM; null exactly when there is no certificate
     * @param ca the CAs that are trusted, in PEM
     * @throws TlsException saying which of the three cannot be used
     */
    public static SSLContext ofTexts(@Nullable String certificate, @Nullable String key, String ca, Instant now)
            throws TlsException {
        Path nowhere = Path.of("given as text");
        return context(
                new TlsSettings(
                        certificate == null ? null : nowhere,
                        key == null ? null : nowhere,
                        nowhere,
                        null,
                        ClientAuthentication.REQUIRED),
                new Credentials.Content(certificate, key, ca, null),
                now);
    }

    /**
     * Returns the same for files, with the revocation lists beside the CAs if there are some.
     *
     * @throws TlsException naming the file that cannot be used
     */
    public static SSLContext ofFiles(@Nullable Path certificate, @Nullable Path key, Path ca, Instant now)
            throws TlsException {
        TlsSettings settings =
                new TlsSettings(certificate, key, ca, TlsSettings.crl(ca, null), ClientAuthentication.REQUIRED);
        return context(settings, Credentials.read(settings), now);
    }

    private static SSLContext context(TlsSettings settings, Credentials.Content content, Instant now)
            throws TlsException {
        Credentials credentials = Credentials.of(settings, content, now);
        try {
            NodeTrust trust = new NodeTrust(
                    RevokingTrustManager.of(credentials.authorities(), credentials.revoked()),
                    credentials.chain().isEmpty()
                            ? null
                            : CertificateIdentity.of(credentials.chain().getFirst()));
            SSLContext context = SSLContext.getInstance(VERSION);
            context.init(keys(credentials), new TrustManager[] {trust}, null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new TlsException("TLS cannot be made with the certificate: " + e.getMessage(), e);
        }
    }

    private static KeyManager[] keys(Credentials credentials) throws GeneralSecurityException, IOException {
        if (credentials.key() == null) {
            return new KeyManager[0];
        }
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry(
                "own", credentials.key(), new char[0], credentials.chain().toArray(Certificate[]::new));
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, new char[0]);
        return factory.getKeyManagers();
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
        trusting.checkServerTrusted(chain, type);
        CertificateIdentity shown = CertificateIdentity.of(chain[0]);
        if (shown.role() != Proof.Role.STORAGE_PEER && shown.role() != Proof.Role.SUPER_PEER) {
            throw new CertificateException("'" + shown.subject() + "' is no node of Granary");
        }
        String problem = shown.provedTo(own).problem();
        if (problem != null) {
            throw new CertificateException(problem);
        }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        checkServerTrusted(chain, type);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        checkServerTrusted(chain, type);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
        throw new CertificateException("this side calls, and accepts nobody");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        checkClientTrusted(chain, type);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        checkClientTrusted(chain, type);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return trusting.getAcceptedIssuers();
    }
}
