package dev.granary.operator.certificate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.env.SystemClock;
import dev.granary.net.tls.TlsContexts;
import dev.granary.net.tls.TlsSettings;
import dev.granary.operator.plan.TlsPlan;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The revocation lists of a Secret, over changes of what is revoked and of the CA. */
class RevocationsTest {
    private static final Instant NOW = Instant.parse("2026-11-27T06:00:00Z");
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final BigInteger ONE = BigInteger.valueOf(0x0a1b);
    private static final BigInteger TWO = BigInteger.valueOf(0xff);

    private final Authority authority = authority();
    private final Authorities steady = new Authorities(authority, null, null, NOW, null);

    private static Authority authority() {
        return Authority.make("shop.social", NOW, Duration.ofDays(1825), RANDOM);
    }

    private static TlsPlan plan(Set<BigInteger> revoked) {
        return new TlsPlan("required", false, true, null, List.of(), null, 90, 1825, 10, revoked, null, null);
    }

    private static @Nullable String renewed(
            @Nullable String present, Authorities authorities, Set<BigInteger> revoked, Instant now) {
        return Revocations.renewed(present, authorities, plan(revoked), now, RANDOM);
    }

    private static List<X509CRL> lists(@Nullable String text) {
        return Pem.lists(Objects.requireNonNull(text));
    }

    @Test
    void renewed_nothingWasEverRevoked_thereIsNoList() {
        assertThat(renewed(null, steady, Set.of(), NOW)).isNull();
    }

    @Test
    void renewed_sameNumbers_listStaysUntilAThirdOfItsTimeIsLeft() throws Exception {
        String first = renewed(null, steady, Set.of(ONE, TWO), NOW);
        X509CRL list = lists(first).getFirst();
        list.verify(authority.certificate().getPublicKey());
        assertThat(list.getRevokedCertificates())
                .extracting(entry -> entry.getSerialNumber())
                .containsExactlyInAnyOrder(ONE, TWO);
        assertThat(renewed(first, steady, Set.of(TWO, ONE), NOW.plus(Duration.ofDays(59))))
                .isEqualTo(first);
        Instant late = NOW.plus(Duration.ofDays(61));
        String second = renewed(first, steady, Set.of(ONE, TWO), late);
        assertThat(lists(second).getFirst().getNextUpdate().toInstant()).isEqualTo(late.plus(Duration.ofDays(90)));
    }

    @Test
    void renewed_numbersComeAndGo_listFollowsAndIsEmptyAtLast() {
        String text = renewed(null, steady, Set.of(ONE), NOW);
        text = renewed(text, steady, Set.of(ONE, TWO), NOW);
        assertThat(lists(text).getFirst().getRevokedCertificates()).hasSize(2);
        text = renewed(text, steady, Set.of(), NOW);
        assertThat(lists(text)).singleElement().satisfies(list -> assertThat(list.getRevokedCertificates())
                .isNullOrEmpty());
        assertThat(renewed("no lists", steady, Set.of(ONE), NOW)).contains("BEGIN X509 CRL");
    }

    @Test
    void renewed_caChanges_eachTrustedOneHasItsList() {
        Authority next = authority();
        String text = renewed(null, steady, Set.of(ONE), NOW);
        X509CRL old = lists(text).getFirst();
        Authorities trusting = steady.begun(next, NOW, "wish");
        text = renewed(text, trusting, Set.of(ONE), NOW);
        assertThat(lists(text)).hasSize(2).first().isEqualTo(old);
        Authorities issuing = trusting.switched(NOW);
        text = renewed(text, issuing, Set.of(ONE), NOW);
        assertThat(lists(text)).hasSize(2).last().isEqualTo(old);
        text = renewed(text, issuing.ended(NOW), Set.of(ONE), NOW);
        assertThat(lists(text)).singleElement().satisfies(list -> assertThat(list.getIssuerX500Principal())
                .isEqualTo(next.certificate().getSubjectX500Principal()));
    }

    @Test
    void renewed_certificateOfARoleIsRevoked_roleGetsAnotherOne() {
        Certificates certificates = new Certificates(RANDOM);
        Identity identity = Identity.of("shop", "social", Role.CLIENT, List.of());
        Map<String, String> before = certificates.renewed(Map.of(), steady, identity, plan(Set.of()), NOW);
        assertThat(before).doesNotContainKey(Certificates.LISTS);
        X509Certificate lost = Objects.requireNonNull(Certificates.certificate(before));
        TlsPlan revoking = plan(Set.of(lost.getSerialNumber()));
        Map<String, String> after = certificates.renewed(before, steady, identity, revoking, NOW);
        assertThat(Certificates.certificate(after)).isNotEqualTo(lost);
        assertThat(lists(after.get(Certificates.LISTS)).getFirst().isRevoked(lost))
                .isTrue();
        assertThat(certificates.renewed(after, steady, identity, revoking, NOW)).isEqualTo(after);
    }

    /** What the operator writes, read as a process reads it. */
    @Test
    void renewed_contentOfASecret_isUnderstoodByProcesses(@TempDir Path directory) throws Exception {
        Instant now = Instant.now();
        Authority today = Authority.make("shop.social", now, Duration.ofDays(30), RANDOM);
        Identity identity = Identity.of("shop", "social", Role.STORAGE, List.of());
        Map<String, String> content = new Certificates(RANDOM)
                .renewed(
                        Map.of(), new Authorities(today, null, null, now, null), identity, plan(Set.of(ONE, TWO)), now);
        for (Map.Entry<String, String> file : content.entrySet()) {
            Files.writeString(directory.resolve(file.getKey()), file.getValue());
        }
        try (TlsContexts contexts = TlsContexts.open(TlsSettings.ofDirectory(directory), new SystemClock())) {
            assertThat(contexts.revokedCertificates()).isEqualTo(2);
            assertThat(contexts.secondsToNextLists())
                    .isBetween(
                            Duration.ofDays(89).toSeconds() * 1.0,
                            Duration.ofDays(90).toSeconds() * 1.0);
        }
    }
}
