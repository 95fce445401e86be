package dev.granary.net.tls;

import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/** Trusts certificates of some CAs, but for those that were revoked. Thread-safe. */
final class RevokingTrustManager extends X509ExtendedTrustManager {

    private final X509ExtendedTrustManager trusting;
    private final RevocationLists revoked;

    private RevokingTrustManager(X509ExtendedTrustManager trusting, RevocationLists revoked) {
        this.trusting = trusting;
        this.revoked = revoked;
    }

    /** Makes one. */
    static RevokingTrustManager of(List<X509Certificate> authorities, RevocationLists revoked) throws TlsException {
        try {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            for (int i = 0; i < authorities.size(); i++) {
                store.setCertificateEntry(Integer.toString(i), authorities.get(i));
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            for (TrustManager each : factory.getTrustManagers()) {
                if (each instanceof X509ExtendedTrustManager trusting) {
                    return new RevokingTrustManager(trusting, revoked);
                }
            }
            throw new TlsException("this Java runtime trusts no X.509 certificates");
        } catch (GeneralSecurityException | IOException e) {
            throw new TlsException("the CAs cannot be trusted: " + e.getMessage(), e);
        }
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
        trusting.checkClientTrusted(chain, type);
        revoked.check(chain);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        trusting.checkClientTrusted(chain, type, socket);
        revoked.check(chain);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        trusting.checkClientTrusted(chain, type, engine);
        revoked.check(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
        trusting.checkServerTrusted(chain, type);
        revoked.check(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        trusting.checkServerTrusted(chain, type, socket);
        revoked.check(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        trusting.checkServerTrusted(chain, type, engine);
        revoked.check(chain);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return trusting.getAcceptedIssuers();
    }
}
