package dev.granary.operator.certificate;

import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The CAs of a cluster. Usually it is one. A change takes two steps, so that at every moment each process trusts what
 * the others show:
 *
 * <pre>
 *             trusted by all         certificates are of
 * STEADY      issuing                issuing
 * TRUSTING    issuing and next       issuing               until each process trusts next
 * ISSUING     former and issuing     issuing, was next     until each process shows one of issuing
 * STEADY      issuing                issuing
 * </pre>
 *
 * <p>Invariants: (1) there is not both a next and a former CA; (2) what issues is trusted. Immutable.
 *
 * @param issuing the CA that issues
 * @param next the CA that will; null when no change has begun
 * @param former the certificate of the CA that has issued before; null when no change goes on
 * @param since when the present step began
 * @param asked the last wish of a person for another CA that was followed, null for none
 */
public record Authorities(
        Authority issuing,
        @Nullable Authority next,
        @Nullable X509Certificate former,
        Instant since,
        @Nullable String asked) {

    private static final String CERTIFICATE = "tls.crt";
    private static final String KEY = "tls.key";
    private static final String NEXT_CERTIFICATE = "next.crt";
    private static final String NEXT_KEY = "next.key";
    private static final String FORMER_CERTIFICATE = "former.crt";
    private static final String SINCE = "since";
    private static final String ASKED = "asked";

    /** Checks the first invariant. */
    public Authorities {
        if (next != null && former != null) {
            throw new IllegalArgumentException("a change of the CA cannot begin before the last one has ended");
        }
    }

    /** The steps of a change. */
    public enum Step {
        /** No change goes on. */
        STEADY("Steady"),
        /** A new CA is trusted, and issues nothing yet. */
        TRUSTING("Trusting"),
        /** The new CA issues, and the former one is still trusted. */
        ISSUING("Issuing");

        private final String text;

        Step(String text) {
            this.text = text;
        }

        /** Returns its name in a status. */
        public String text() {
            return text;
        }
    }

    /** Returns the step of the present. */
    public Step step() {
        return next != null ? Step.TRUSTING : former != null ? Step.ISSUING : Step.STEADY;
    }

    /** Returns whose certificates are to be trusted, the issuing one's first. */
    public List<X509Certificate> trusted() {
        List<X509Certificate> all = new ArrayList<>();
        all.add(issuing.certificate());
        if (next != null) {
            all.add(next.certificate());
        }
        if (former != null) {
            all.add(former);
        }
        return List.copyOf(all);
    }

    /** Returns this with a CA that is to follow. */
    Authorities begun(Authority successor, Instant now, @Nullable String wish) {
        return new Authorities(issuing, successor, null, now, wish);
    }

    /** Returns this with the next CA issuing. */
    Authorities switched(Instant now) {
        return new Authorities(Objects.requireNonNull(next), null, issuing.certificate(), now, asked);
    }

    /** Returns this without the former CA. */
    Authorities ended(Instant now) {
        return new Authorities(issuing, null, null, now, asked);
    }

    /** Returns the content of a Secret, which {@link #of} reads. */
    public Map<String, String> toTexts() {
        Map<String, String> texts = new HashMap<>();
        texts.put(CERTIFICATE, Pem.of(List.of(issuing.certificate())));
        texts.put(KEY, Pem.of(issuing.key()));
        if (next != null) {
            texts.put(NEXT_CERTIFICATE, Pem.of(List.of(next.certificate())));
            texts.put(NEXT_KEY, Pem.of(next.key()));
        }
        if (former != null) {
            texts.put(FORMER_CERTIFICATE, Pem.of(List.of(former)));
        }
        texts.put(SINCE, since.toString());
        if (asked != null) {
            texts.put(ASKED, asked);
        }
        return texts;
    }

    /**
     * Returns the CAs in the content of a Secret.
     *
     * @throws IllegalArgumentException when it is not such a content
     */
    public static Authorities of(Map<String, String> texts) {
        Authority issuing = authority(texts, CERTIFICATE, KEY);
        if (issuing == null) {
            throw new IllegalArgumentException("there is no " + CERTIFICATE + " and " + KEY);
        }
        String former = texts.get(FORMER_CERTIFICATE);
        String since = texts.get(SINCE);
        return new Authorities(
                issuing,
                authority(texts, NEXT_CERTIFICATE, NEXT_KEY),
                former == null ? null : Pem.certificates(former).getFirst(),
                since == null ? issuing.certificate().getNotBefore().toInstant() : Instant.parse(since),
                texts.get(ASKED));
    }

    private static @Nullable Authority authority(Map<String, String> texts, String certificate, String key) {
        String certificateText = texts.get(certificate);
        String keyText = texts.get(key);
        return certificateText == null || keyText == null
                ? null
                : new Authority(Pem.certificates(certificateText).getFirst(), Pem.key(keyText));
    }
}
