package dev.granary.e2e.load.redis;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * How a client of Redis gets in: with TLS or without, and as whom. Immutable.
 *
 * @param ca the file of the CAs that are trusted, read for each connection; null without TLS
 * @param user the name of the user; null for the default one
 * @param passwords the passwords, tried in this order, as an application has two of them while one replaces the other;
 *     empty exactly when there is no user
 */
record Access(@Nullable Path ca, @Nullable String user, List<String> passwords) {

    /** Without TLS, as the user of those who say nothing. */
    static final Access OPEN = new Access(null, null, List.of());

    /**
     * Returns what the arguments of a program say.
     *
     * @param certificates the folder with {@code ca.crt}; null without TLS
     * @param login {@code user:password} or {@code user:password,password}; null for none
     */
    static Access of(@Nullable Path certificates, @Nullable String login) {
        int colon = login == null ? -1 : login.indexOf(':');
        if (login != null && colon < 1) {
            throw new IllegalArgumentException("a login is USER:PASSWORD[,PASSWORD]");
        }
        return new Access(
                certificates == null ? null : certificates.resolve("ca.crt"),
                login == null ? null : login.substring(0, colon),
                login == null ? List.of() : List.of(login.substring(colon + 1).split(",")));
    }

    /** Returns the connection with TLS, when there is to be TLS. The name of the host must be in the certificate. */
    Socket secured(Socket socket, String host, int port) throws IOException {
        if (ca == null) {
            return socket;
        }
        SSLSocket secured = (SSLSocket) context(ca).getSocketFactory().createSocket(socket, host, port, true);
        SSLParameters parameters = secured.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        secured.setSSLParameters(parameters);
        secured.startHandshake();
        return secured;
    }

    private static SSLContext context(Path ca) throws IOException {
        try (InputStream in = Files.newInputStream(ca)) {
            KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null, null);
            int count = 0;
            for (Certificate certificate :
                    CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                trusted.setCertificateEntry("ca" + count++, certificate);
            }
            TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            managers.init(trusted);
            SSLContext context = SSLContext.getInstance("TLSv1.3");
            context.init(null, managers.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException(ca + " cannot be used: " + e.getMessage(), e);
        }
    }
}
