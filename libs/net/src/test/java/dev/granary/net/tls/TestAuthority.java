package dev.granary.net.tls;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.RevocationServer;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.function.UnaryOperator;

/** A CA of tests. It writes certificates as Kubernetes does. */
final class TestAuthority {

    private final X509Bundle ca;

    TestAuthority(String name) throws Exception {
        this.ca = new CertificateBuilder()
                .ecp256()
                .subject("CN=" + name)
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
    }

    /** Returns the SPIFFE id of a member of a cluster. */
    static String spiffe(String cluster, String role) {
        return "spiffe://example.org/granary/" + cluster + "/" + role;
    }

    String pem() {
        return ca.getCertificatePEM();
    }

    X509Bundle issue(UnaryOperator<CertificateBuilder> details) throws Exception {
        return details.apply(builder()).buildIssuedBy(ca);
    }

    static CertificateBuilder builder() {
        Instant now = Instant.now();
        return new CertificateBuilder()
                .ecp256()
                .subject("CN=someone")
                .notBefore(now.minus(Duration.ofDays(1)))
                .notAfter(now.plus(Duration.ofDays(30)));
    }

    /** Returns a revocation list in PEM with these certificates and those of before. */
    String revoke(X509Bundle... certificates) throws Exception {
        RevocationServer lists = RevocationServer.getInstance();
        lists.register(ca);
        for (X509Bundle each : certificates) {
            lists.revoke(each, Instant.now().minusSeconds(1));
        }
        try (InputStream in = lists.getCrlUri(ca).toURL().openStream()) {
            return "-----BEGIN X509 CRL-----\n"
                    + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(in.readAllBytes())
                    + "\n-----END X509 CRL-----\n";
        }
    }

    /** Issues a certificate for a member of a cluster. */
    X509Bundle issueMember(String cluster, String role) throws Exception {
        return issue(builder -> withUri(builder, spiffe(cluster, role)));
    }

    /** Writes the files of a node into a new directory. */
    TlsSettings node(Path directory, String cluster, String role) throws Exception {
        return write(directory, issueMember(cluster, role));
    }

    static CertificateBuilder withUri(CertificateBuilder builder, String uri) {
        try {
            return builder.addSanUriName(uri);
        } catch (java.net.URISyntaxException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** Writes the files of a certificate, with this CA as the trusted one. */
    TlsSettings write(Path directory, X509Bundle certificate) throws IOException {
        Files.createDirectories(directory);
        TlsSettings settings = TlsSettings.ofDirectory(directory);
        Files.writeString(directory.resolve(TlsSettings.CERTIFICATE_NAME), certificate.getCertificatePathPEM());
        Files.writeString(directory.resolve(TlsSettings.KEY_NAME), certificate.getPrivateKeyPEM());
        Files.writeString(settings.ca(), pem());
        return settings;
    }

    /** Writes the files of a client that shows no certificate. */
    TlsSettings client(Path directory) throws IOException {
        Files.createDirectories(directory);
        Path file = Files.writeString(directory.resolve(TlsSettings.CA_NAME), pem());
        return TlsSettings.ofClient(file);
    }
}
