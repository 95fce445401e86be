package dev.granary.operator.certificate;

import dev.granary.process.TlsPage;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which certificates the processes of a cluster show and trust now, each as its page {@code /tls} says. Immutable.
 *
 * @param answers of all processes that there should be
 */
public record Taken(List<Answer> answers) {
    /** Copies the answers. */
    public Taken {
        answers = List.copyOf(answers);
    }

    /**
     * What one process says.
     *
     * @param place its pod or address, for people
     * @param shown its certificate; null when it does not answer
     * @param trusted the fingerprints of the CAs that it trusts
     */
    public record Answer(String place, @Nullable Shown shown, Collection<String> trusted) {
        /** Copies the fingerprints. */
        public Answer {
            trusted = List.copyOf(trusted);
        }
    }

    /**
     * A certificate that a process shows.
     *
     * @param issuer the distinguished name of the CA, by RFC 2253
     * @param fingerprint the SHA-256 of the certificate
     */
    public record Shown(String issuer, String fingerprint) {}

    /** Whether each process trusts all of these CAs. */
    boolean allTrust(List<X509Certificate> authorities) {
        return firstThatDistrusts(authorities).isEmpty();
    }

    /** Whether each process shows a certificate of this CA. */
    boolean allShowOneOf(Authority authority) {
        return firstWithoutOneOf(authority).isEmpty();
    }

    /** Returns the first process that does not trust one of these CAs, or does not answer. */
    Optional<String> firstThatDistrusts(List<X509Certificate> authorities) {
        Collection<String> wanted =
                authorities.stream().map(TlsPage::fingerprint).collect(Collectors.toSet());
        return answers.stream()
                .filter(answer -> answer.shown() == null || !answer.trusted().containsAll(wanted))
                .map(Answer::place)
                .findFirst();
    }

    /** Returns the first process that shows no certificate of this CA, or does not answer. */
    Optional<String> firstWithoutOneOf(Authority authority) {
        // Names of CAs differ, see Authority#make.
        String issuer = authority.certificate().getSubjectX500Principal().getName();
        return answers.stream()
                .filter(answer ->
                        answer.shown() == null || !answer.shown().issuer().equals(issuer))
                .map(Answer::place)
                .findFirst();
    }

    /** Returns what the step of a change waits for, in words; empty when the processes hold nothing up. */
    public Optional<String> waitingFor(Authorities authorities) {
        return switch (authorities.step()) {
            case STEADY -> Optional.empty();
            case TRUSTING ->
                firstThatDistrusts(authorities.trusted()).map(place -> place + " does not trust the new CA yet");
            case ISSUING ->
                firstWithoutOneOf(authorities.issuing())
                        .map(place -> place + " does not show a certificate of the new CA yet");
        };
    }
}
