package dev.granary.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.env.SystemClock;
import dev.granary.net.tls.TlsContexts;
import dev.granary.net.tls.TlsSettings;
import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The certificates of a local cluster, made by {@link LocalTls}. */
class LocalTlsTest {

    @TempDir
    Path folder = Path.of("");

    private X509Certificate certificate(String role, String file) throws Exception {
        byte[] text = Files.readAllBytes(folder.resolve("tls").resolve(role).resolve(file));
        return (X509Certificate)
                CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(text));
    }

    @Test
    void make_newCluster_hasCertificatesOfOneCaForEachRoleAndKeepsThem() throws Exception {
        assertThat(LocalTls.exists(folder)).isFalse();
        LocalTls.make(folder);
        assertThat(LocalTls.exists(folder)).isTrue();
        X509Certificate ca = certificate("client", "ca.crt");
        for (String role : List.of("storage-node", "super-peer", "client")) {
            Path directory = folder.resolve("tls").resolve(role);
            // What a process does with them at its start: the key belongs to the certificate.
            TlsContexts.open(TlsSettings.ofDirectory(directory), new SystemClock())
                    .close();
            X509Certificate certificate = certificate(role, "tls.crt");
            certificate.verify(ca.getPublicKey());
            assertThat(certificate.getBasicConstraints()).as("no CA itself").isEqualTo(-1);
            String named = role.equals("storage-node") ? "storage" : role;
            assertThat(certificate.getSubjectAlternativeNames().toString())
                    .contains("spiffe://granary.local/granary/local/" + named)
                    .contains("127.0.0.1");
        }
        assertThat(ca.getBasicConstraints()).isZero();
        try (var left = Files.list(folder.resolve("tls"))) {
            assertThat(left).as("the store with the key of the CA is gone").hasSize(3);
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("tls"))))
                .isEqualTo("rwx------");

        X509Certificate before = certificate("client", "tls.crt");
        LocalTls.make(folder);
        assertThat(certificate("client", "tls.crt")).isEqualTo(before);
        assertThat(LocalTls.clientDirectory(folder))
                .isEqualTo(folder.resolve("tls").resolve("client"));
    }
}
