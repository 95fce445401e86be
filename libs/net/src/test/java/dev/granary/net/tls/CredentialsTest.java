package dev.granary.net.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.env.SystemClock;
import dev.granary.net.Proof;
import io.netty.pkitesting.CertificateBuilder.Algorithm;
import io.netty.pkitesting.X509Bundle;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * {@link Credentials}, {@link PemText} and {@link CertificateIdentity}: what is in files, and what is wrong with it.
 */
class CredentialsTest {

    private final TestAuthority authority;

    @TempDir
    Path folder = Path.of("");

    CredentialsTest() throws Exception {
        this.authority = new TestAuthority("the CA");
    }

    private static Credentials load(TlsSettings settings) throws TlsException {
        return Credentials.of(settings, Credentials.read(settings), Instant.now());
    }

    private static void assertRefused(TlsSettings settings, String... words) {
        assertThatThrownBy(() -> load(settings))
                .isInstanceOf(TlsException.class)
                .hasMessageContainingAll(words);
        // A process does not start with them.
        assertThatThrownBy(() -> TlsContexts.open(settings, new SystemClock()))
                .isInstanceOf(TlsException.class)
                .hasMessageContainingAll(words);
    }

    private Path file(String name) {
        return folder.resolve(name);
    }

    @ParameterizedTest
    @EnumSource(names = {"ecp256", "ecp384", "rsa2048", "ed25519"})
    void load_keysOfEachKind_belongToTheirCertificates(Algorithm algorithm) throws Exception {
        TlsSettings settings = authority.write(folder, authority.issue(b -> b.algorithm(algorithm)));
        assertThat(load(settings).chain()).hasSize(1);
        assertThat(load(settings).expiry())
                .isBetween(
                        Instant.now().plus(Duration.ofDays(29)), Instant.now().plus(Duration.ofDays(31)));
    }

    @ParameterizedTest
    @EnumSource(names = {"ecp256", "rsa2048"})
    void load_olderFormsOfKeys_areReadAsWell(Algorithm algorithm) throws Exception {
        X509Bundle bundle = authority.issue(b -> b.algorithm(algorithm));
        TlsSettings settings = authority.write(folder, bundle);
        StringWriter text = new StringWriter();
        try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
            writer.writeObject(bundle.getKeyPair().getPrivate());
        }
        assertThat(text.toString()).containsAnyOf("BEGIN EC PRIVATE KEY", "BEGIN RSA PRIVATE KEY");
        Files.writeString(file("tls.key"), text.toString());
        assertThat(load(settings).key()).isEqualTo(bundle.getKeyPair().getPrivate());
    }

    @Test
    void load_filesThatAreMissing_areNamed() throws Exception {
        TlsSettings settings = authority.node(folder, "c", "storage");
        for (String name : new String[] {"tls.crt", "tls.key", "ca.crt"}) {
            String former = Files.readString(file(name));
            Files.delete(file(name));
            assertRefused(settings, file(name).toString(), "does not exist");
            Files.writeString(file(name), "not PEM");
            assertRefused(settings, file(name).toString(), "is not PEM", "BEGIN");
            Files.write(file(name), new byte[(1 << 20) + 1]);
            assertRefused(settings, file(name).toString(), "bytes");
            Files.writeString(file(name), former);
        }
        Files.delete(file("ca.crt"));
        Files.createDirectory(file("ca.crt"));
        assertRefused(settings, file("ca.crt").toString(), "cannot be read");
    }

    @Test
    void load_certificatesOutOfTheirTime_areRefused() throws Exception {
        Instant now = Instant.now();
        TlsSettings expired = authority.write(folder, authority.issue(b -> b.subject("CN=old")
                .notBefore(now.minusSeconds(100))
                .notAfter(now.minusSeconds(10))));
        assertRefused(expired, file("tls.crt").toString(), "has expired", "CN=old", "valid from");
        TlsSettings early = authority.write(
                folder, authority.issue(b -> b.notBefore(now.plusSeconds(100)).notAfter(now.plusSeconds(1000))));
        assertRefused(early, file("tls.crt").toString(), "is not valid yet");
        TlsSettings good = authority.node(folder, "c", "storage");
        X509Bundle oldCa = TestAuthority.builder()
                .notAfter(now.minusSeconds(10))
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
        Files.writeString(file("ca.crt"), oldCa.getCertificatePEM());
        assertRefused(good, file("ca.crt").toString(), "has expired certificates only");
        Files.writeString(file("ca.crt"), oldCa.getCertificatePEM() + authority.pem());
        assertThat(load(good).authorities()).hasSize(2);
    }

    @Test
    void load_keysThatDoNotFit_areRefused() throws Exception {
        TlsSettings settings = authority.node(folder, "c", "storage");
        Files.writeString(file("tls.key"), authority.issue(b -> b).getPrivateKeyPEM());
        assertRefused(
                settings,
                file("tls.key").toString(),
                "does not belong to",
                file("tls.crt").toString());
        Files.writeString(file("tls.key"), authority.issue(b -> b.rsa2048()).getPrivateKeyPEM());
        assertRefused(settings, file("tls.key").toString(), "has no EC key");
        Files.writeString(
                file("tls.key"), "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n");
        assertRefused(settings, file("tls.key").toString(), "has a password");
        Files.writeString(file("tls.crt"), "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
        assertRefused(settings, file("tls.crt").toString(), "cannot be read");
    }

    @Test
    void open_clientWithoutCertificate_acceptsNothing() throws Exception {
        try (TlsContexts tls = TlsContexts.open(authority.client(folder), new SystemClock())) {
            assertThat(tls.secondsToExpiry()).isNaN();
            assertThatThrownBy(() -> tls.accept(new io.netty.channel.embedded.EmbeddedChannel(), () -> {}))
                    .hasMessageContaining("without a certificate");
        }
        assertThatThrownBy(() -> new TlsSettings(folder, null, folder, null, TlsSettings.ClientAuthentication.REQUIRED))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private CertificateIdentity identity(String uri, String subject) throws Exception {
        return CertificateIdentity.of(authority
                .issue(b -> TestAuthority.withUri(b.subject(subject), uri))
                .getCertificate());
    }

    @Test
    void identity_namesOfCertificates_areRolesAndClusters() throws Exception {
        assertThat(identity("spiffe://Example.org/granary/c/super-peer/x-0", "CN=a"))
                .isEqualTo(new CertificateIdentity(
                        Proof.Role.SUPER_PEER, "example.org/c", "spiffe://Example.org/granary/c/super-peer/x-0"));
        assertThat(identity("spiffe://example.org/granary/c/operator", "CN=a").role())
                .isEqualTo(Proof.Role.OPERATOR);
        // Neither more than a role, nor another path, nor another scheme.
        for (String other : new String[] {
            "spiffe://example.org/granary/c/storages",
            "spiffe://example.org/ns/granary/c/storage",
            "https://example.org/granary/c/storage"
        }) {
            assertThat(identity(other, "CN=a,O=c"))
                    .isEqualTo(new CertificateIdentity(Proof.Role.CLIENT, null, "CN=a,O=c"));
        }
        assertThat(identity("https://example.org/", "O=c,OU=granary-storage").role())
                .isEqualTo(Proof.Role.STORAGE_PEER);
        // The name of a SPIFFE id is what counts where there are both.
        assertThat(identity("spiffe://example.org/granary/c/client", "OU=granary-storage")
                        .role())
                .isEqualTo(Proof.Role.CLIENT);
    }
}
