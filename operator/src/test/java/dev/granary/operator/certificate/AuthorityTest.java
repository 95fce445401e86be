package dev.granary.operator.certificate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertPathValidator;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateParsingException;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a CA issues is what the JDK and the processes of a cluster take for good. */
class AuthorityTest {
    private static final Instant NOW = Instant.parse("2026-11-27T06:00:00Z");
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Authority authority = Authority.make("shop.social", NOW, Duration.ofDays(100), RANDOM);

    private static void validate(Authority by, X509Certificate certificate, Instant at) throws Exception {
        PKIXParameters parameters = new PKIXParameters(Set.of(new TrustAnchor(by.certificate(), null)));
        parameters.setRevocationEnabled(false);
        parameters.setDate(Date.from(at));
        CertPathValidator.getInstance("PKIX")
                .validate(CertificateFactory.getInstance("X.509").generateCertPath(List.of(certificate)), parameters);
    }

    private static List<String> names(X509Certificate certificate) throws CertificateParsingException {
        return certificate.getSubjectAlternativeNames().stream()
                .map(name -> String.valueOf(name.get(1)))
                .toList();
    }

    @Test
    void issue_eachRole_isValidAndSaysRoleAndCluster() throws Exception {
        for (Role role : Role.values()) {
            Identity identity = Identity.of("shop", "social", role, List.of());
            Authority.Issued issued = authority.issue(identity, NOW, Duration.ofDays(9), RANDOM);
            validate(authority, issued.certificate(), NOW);
            assertThat(identity.isThatOf(issued.certificate())).isTrue();
            assertThat(authority.hasIssued(issued.certificate())).isTrue();
            assertThat(names(issued.certificate()))
                    .startsWith("spiffe://cluster.local/granary/shop.social/" + role.text());
            assertThat(issued.certificate().getSubjectX500Principal().getName())
                    .contains("OU=granary-" + role.text() + ",O=shop.social");
            Signature signature = Signature.getInstance("SHA256withECDSA");
            signature.initSign(issued.key());
            byte[] signed = signature.sign();
            signature.initVerify(issued.certificate());
            assertThat(signature.verify(signed)).as("the key belongs to it").isTrue();
        }
    }

    @Test
    void issue_timeOfACertificate_endsWithItOrWithTheCa() {
        Identity identity = Identity.of("shop", "social", Role.CLIENT, List.of());
        X509Certificate usual =
                authority.issue(identity, NOW, Duration.ofDays(9), RANDOM).certificate();
        X509Certificate late = authority
                .issue(identity, NOW.plus(Duration.ofDays(95)), Duration.ofDays(9), RANDOM)
                .certificate();

        assertThat(usual.getNotAfter().toInstant()).isEqualTo(NOW.plus(Duration.ofDays(9)));
        assertThat(late.getNotAfter().toInstant()).isEqualTo(NOW.plus(Duration.ofDays(100)));
        assertThatThrownBy(() -> validate(authority, usual, NOW.plus(Duration.ofDays(10))))
                .isInstanceOf(CertPathValidatorException.class);
    }

    @Test
    void issue_storagePeers_haveTheNamesThatClientsOfRedisCompare() throws Exception {
        Identity identity =
                Identity.of("shop", "social", Role.STORAGE, List.of("*.redis.example.org", "192.0.2.7", "2001:db8::7"));
        X509Certificate certificate =
                authority.issue(identity, NOW, Duration.ofDays(9), RANDOM).certificate();

        assertThat(names(certificate))
                .contains(
                        "spiffe://cluster.local/granary/shop.social/storage",
                        "*.social-storage.shop.svc",
                        "social-redis.shop.svc",
                        "social-redis.shop.svc.cluster.local",
                        "localhost",
                        "*.redis.example.org",
                        "192.0.2.7");
        assertThat(identity.isThatOf(certificate))
                .as("addresses of the sixth version have several forms")
                .isTrue();
        assertThat(Identity.of("shop", "social", Role.STORAGE, List.of("192.0.2.8"))
                        .isThatOf(certificate))
                .isFalse();
        assertThat(Identity.of("shop", "other", Role.STORAGE, List.of()).isThatOf(certificate))
                .isFalse();
    }

    @Test
    void hasIssued_anotherCaOfTheSameCluster_hasAnotherNameAndKey() {
        Authority other = Authority.make("shop.social", NOW, Duration.ofDays(100), RANDOM);
        X509Certificate certificate = authority
                .issue(Identity.of("shop", "social", Role.CLIENT, List.of()), NOW, Duration.ofDays(9), RANDOM)
                .certificate();

        assertThat(other.hasIssued(certificate)).isFalse();
        assertThat(other.certificate().getSubjectX500Principal())
                .isNotEqualTo(authority.certificate().getSubjectX500Principal());
        assertThatThrownBy(() -> validate(other, certificate, NOW)).isInstanceOf(CertPathValidatorException.class);
    }

    @Test
    void issue_certificateOfARole_signsNoOthers() {
        Authority.Issued issued = authority.issue(
                Identity.of("shop", "social", Role.STORAGE, List.of()), NOW, Duration.ofDays(9), RANDOM);
        assertThat(issued.certificate().getBasicConstraints()).isEqualTo(-1);
        assertThat(authority.certificate().getBasicConstraints()).isZero();
        assertThat(issued.toString() + authority).doesNotContain("PRIVATE");
    }

    @Test
    void pem_certificatesAndKeys_areReadBack() {
        Authority other = Authority.make("shop.social", NOW, Duration.ofDays(100), RANDOM);
        List<X509Certificate> both = List.of(authority.certificate(), other.certificate());

        assertThat(Pem.certificates(Pem.of(both))).isEqualTo(both);
        assertThat(Pem.key(Pem.of(authority.key()))).isEqualTo(authority.key());
        assertThatThrownBy(() -> Pem.certificates("")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Pem.key(Pem.of(both)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("PKCS #8");
    }
}
