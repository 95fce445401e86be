package dev.granary.operator.certificate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.operator.plan.TlsPlan;
import dev.granary.process.TlsPage;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A change of the CA, step by step, with processes that take their files when they like. */
class AuthorityStepsTest {
    private static final Instant NOW = Instant.parse("2026-11-27T06:00:00Z");
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final Taken NOBODY = new Taken(List.of());

    private final AuthoritySteps steps = new AuthoritySteps(RANDOM);
    private final Certificates certificates = new Certificates(RANDOM);

    private static TlsPlan plan(int graceMinutes, @Nullable String wish) {
        return new TlsPlan(
                "required", false, true, null, List.of(), null, 90, 1825, graceMinutes, Set.of(), null, wish);
    }

    private Authorities next(Authorities now, TlsPlan plan, Taken taken, Instant at) {
        return steps.next(now, "shop.social", plan, taken, at);
    }

    /** The file of a certificate, and a file of CAs. */
    private record Pair(String certificate, String authorities) {}

    private static final Map<Pair, Boolean> TRUSTED = new HashMap<>();

    /** A process with the files that it has taken. */
    private static final class Peer {
        private final Role role;
        private Map<String, String> files;

        Peer(Role role, Map<String, String> files) {
            this.role = role;
            this.files = files;
        }

        X509Certificate shown() {
            return Objects.requireNonNull(Certificates.certificate(files));
        }

        List<X509Certificate> trusted() {
            return Pem.certificates(Objects.requireNonNull(files.get(Certificates.CA)));
        }

        /** Signatures are costly to check: each pair of files once. */
        boolean trusts(Peer other) {
            Pair pair = new Pair(text(other, Certificates.CERTIFICATE), text(this, Certificates.CA));
            return TRUSTED.computeIfAbsent(pair, ignored -> signedBy(other.shown(), trusted()));
        }

        private static String text(Peer peer, String file) {
            return Objects.requireNonNull(peer.files.get(file));
        }

        private static boolean signedBy(X509Certificate certificate, List<X509Certificate> authorities) {
            return authorities.stream().anyMatch(ca -> {
                try {
                    certificate.verify(ca.getPublicKey());
                    return true;
                } catch (java.security.GeneralSecurityException e) {
                    return false;
                }
            });
        }

        Taken.Answer answer() {
            return new Taken.Answer(
                    role.text(),
                    new Taken.Shown(shown().getIssuerX500Principal().getName(), TlsPage.fingerprint(shown())),
                    trusted().stream().map(TlsPage::fingerprint).toList());
        }
    }

    private Map<Role, Map<String, String>> secrets(
            Map<Role, Map<String, String>> before, Authorities authorities, TlsPlan plan, Instant at) {
        Map<Role, Map<String, String>> after = new HashMap<>();
        for (Role role : Role.values()) {
            after.put(
                    role,
                    certificates.renewed(
                            before.getOrDefault(role, Map.of()),
                            authorities,
                            Identity.of("shop", "social", role, List.of()),
                            plan,
                            at));
        }
        return after;
    }

    /**
     * Processes take what their Secrets have at random moments, one file set at a time, and are made anew. After each
     * event all of them must trust what all others show.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void next_processesThatTakeFilesLate_alwaysTrustEachOther(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        TlsPlan plan = plan(0, null);
        Authorities authorities = steps.first("shop.social", plan, NOW);
        Map<Role, Map<String, String>> secrets = secrets(Map.of(), authorities, plan, NOW);
        List<Peer> peers = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            Role role = i < 2 ? Role.SUPER_PEER : Role.STORAGE;
            peers.add(new Peer(role, Objects.requireNonNull(secrets.get(role))));
        }
        Set<Authorities.Step> seen = EnumSet.noneOf(Authorities.Step.class);
        int changes = 0;
        Instant at = NOW;
        for (int event = 0; event < 300; event++) {
            at = at.plusSeconds(30);
            if (random.nextInt(40) == 0) {
                plan = plan(0, "wish " + event);
            }
            if (random.nextInt(4) == 0) {
                Authorities after = next(
                        authorities,
                        plan,
                        new Taken(peers.stream().map(Peer::answer).toList()),
                        at);
                changes += authorities.step() == Authorities.Step.ISSUING && after.step() == Authorities.Step.STEADY
                        ? 1
                        : 0;
                authorities = Authorities.of(after.toTexts());
                assertThat(authorities).isEqualTo(after);
                secrets = secrets(secrets, authorities, plan, at);
            }
            Peer one = peers.get(random.nextInt(peers.size()));
            if (random.nextInt(3) > 0) {
                one.files = Objects.requireNonNull(secrets.get(one.role));
            }
            seen.add(authorities.step());
            for (Peer a : peers) {
                for (Peer b : peers) {
                    assertThat(a.trusts(b))
                            .as("seed %d, event %d, step %s", seed, event, authorities.step())
                            .isTrue();
                }
            }
        }
        assertThat(seen).containsExactlyInAnyOrder(Authorities.Step.values());
        assertThat(changes).as("changes of the CA").isPositive();
    }

    @Test
    void next_wishOfAPerson_isFollowedOnce() {
        TlsPlan wished = plan(0, "a");
        Authorities first = steps.first("shop.social", plan(0, null), NOW);
        Authorities begun = next(first, wished, NOBODY, NOW);
        Authorities ended = next(next(begun, wished, NOBODY, NOW), wished, NOBODY, NOW);

        assertThat(next(first, plan(0, null), NOBODY, NOW)).isEqualTo(first);
        assertThat(begun.step()).isEqualTo(Authorities.Step.TRUSTING);
        assertThat(ended.step()).isEqualTo(Authorities.Step.STEADY);
        assertThat(ended.issuing()).isEqualTo(begun.next()).isNotEqualTo(first.issuing());
        assertThat(next(ended, wished, NOBODY, NOW)).as("it is done").isEqualTo(ended);
        assertThat(next(ended, plan(0, "b"), NOBODY, NOW).step()).isEqualTo(Authorities.Step.TRUSTING);
        assertThat(next(steps.first("shop.social", wished, NOW), wished, NOBODY, NOW)
                        .step())
                .as("a wish from before the first CA")
                .isEqualTo(Authorities.Step.STEADY);
    }

    @Test
    void next_caThatEndsSoon_isReplacedWhileItsCertificatesAreStillGood() {
        TlsPlan plan = plan(0, null);
        Authorities first = steps.first("shop.social", plan, NOW);
        Instant early = NOW.plus(Duration.ofDays(1825 - 181));

        assertThat(next(first, plan, NOBODY, early)).isEqualTo(first);
        Authorities begun = next(first, plan, NOBODY, early.plus(Duration.ofDays(2)));
        assertThat(begun.step()).isEqualTo(Authorities.Step.TRUSTING);
        assertThat(Objects.requireNonNull(begun.next())
                        .certificate()
                        .getNotAfter()
                        .toInstant())
                .isEqualTo(early.plus(Duration.ofDays(2 + 1825)));
    }

    @Test
    void next_graceOfClients_isWaitedForInBothSteps() {
        TlsPlan plan = plan(10, "a");
        Authorities trusting = next(steps.first("shop.social", plan(10, null), NOW), plan, NOBODY, NOW);
        Instant soon = NOW.plus(Duration.ofMinutes(9));
        Instant later = NOW.plus(Duration.ofMinutes(10));

        assertThat(next(trusting, plan, NOBODY, soon)).isEqualTo(trusting);
        Authorities issuing = next(trusting, plan, NOBODY, later);
        assertThat(issuing.step()).isEqualTo(Authorities.Step.ISSUING);
        assertThat(next(issuing, plan, NOBODY, later.plus(Duration.ofMinutes(9))))
                .isEqualTo(issuing);
        assertThat(next(issuing, plan, NOBODY, later.plus(Duration.ofMinutes(10)))
                        .step())
                .isEqualTo(Authorities.Step.STEADY);
    }

    @Test
    void next_aProcessThatDoesNotAnswer_holdsTheChangeUpAndIsNamed() {
        TlsPlan plan = plan(0, "a");
        Authorities trusting = next(steps.first("shop.social", plan(0, null), NOW), plan, NOBODY, NOW);
        Taken silent = new Taken(List.of(new Taken.Answer("10.0.0.7:7501", null, List.of())));

        assertThat(next(trusting, plan, silent, NOW)).isEqualTo(trusting);
        assertThat(silent.waitingFor(trusting)).hasValue("10.0.0.7:7501 does not trust the new CA yet");
        Authorities issuing = next(trusting, plan, NOBODY, NOW);
        assertThat(next(issuing, plan, silent, NOW)).isEqualTo(issuing);
        assertThat(silent.waitingFor(issuing)).hasValueSatisfying(text -> assertThat(text)
                .contains("10.0.0.7:7501", "does not show a certificate of the new CA"));
        assertThat(NOBODY.waitingFor(issuing)).isEmpty();
    }

    @Test
    void of_contentThatIsNoCa_isRefused() {
        Authorities first = steps.first("shop.social", plan(0, null), NOW);
        assertThatThrownBy(() -> Authorities.of(Map.of())).isInstanceOf(IllegalArgumentException.class);
        Map<String, String> broken = new HashMap<>(first.toTexts());
        broken.put("tls.key", "no key");
        assertThatThrownBy(() -> Authorities.of(broken)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Authorities(
                        first.issuing(), first.issuing(), first.issuing().certificate(), NOW, null))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void renewed_goodCertificate_staysUntilAThirdOfItsTimeIsLeft() {
        TlsPlan plan = plan(0, null);
        Authorities authorities = steps.first("shop.social", plan, NOW);
        Identity identity = Identity.of("shop", "social", Role.STORAGE, List.of());
        Map<String, String> first = certificates.renewed(Map.of(), authorities, identity, plan, NOW);

        assertThat(certificates.renewed(first, authorities, identity, plan, NOW.plus(Duration.ofDays(59))))
                .isEqualTo(first);
        assertThat(certificates.renewed(first, authorities, identity, plan, NOW.plus(Duration.ofDays(61))))
                .isNotEqualTo(first);
        Map<String, String> garbled = new HashMap<>(first);
        garbled.put(Certificates.CERTIFICATE, "no PEM");
        assertThat(certificates.renewed(garbled, authorities, identity, plan, NOW))
                .isNotEqualTo(garbled)
                .isNotEqualTo(first);
        Identity more = Identity.of("shop", "social", Role.STORAGE, List.of("redis.example.org"));
        assertThat(certificates.renewed(first, authorities, more, plan, NOW)).isNotEqualTo(first);
        TlsPlan wished = new TlsPlan("required", false, true, null, List.of(), null, 90, 1825, 0, Set.of(), "a", null);
        Map<String, String> renewed = certificates.renewed(first, authorities, identity, wished, NOW);
        assertThat(renewed.get(Certificates.CERTIFICATE)).isNotEqualTo(first.get(Certificates.CERTIFICATE));
        assertThat(certificates.renewed(renewed, authorities, identity, wished, NOW))
                .isEqualTo(renewed);
    }

    @Test
    void isLate_lessThanAFifthIsLeft_isSo() {
        Authority authority = Authority.make("shop.social", NOW, Duration.ofDays(100), RANDOM);
        assertThat(Certificates.isLate(authority.certificate(), NOW.plus(Duration.ofDays(79))))
                .isFalse();
        assertThat(Certificates.isLate(authority.certificate(), NOW.plus(Duration.ofDays(81))))
                .isTrue();
    }
}
