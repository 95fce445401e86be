package dev.granary.operator.certificate;

import dev.granary.operator.plan.TlsPlan;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The content of the Secrets with the certificates of roles: {@code tls.crt}, {@code tls.key}, {@code ca.crt}, and the
 * last wish for another one that was followed. Thread-safe.
 */
public final class Certificates {
    /** The certificate. */
    public static final String CERTIFICATE = "tls.crt";

    /** Its private key. */
    public static final String KEY = "tls.key";

    /** The CAs that are trusted. */
    public static final String CA = "ca.crt";

    /** The revocation lists of these CAs. */
    public static final String LISTS = "crl.pem";

    private static final String ASKED = "asked";

    private final SecureRandom random;

    /** @param random makes keys */
    public Certificates(SecureRandom random) {
        this.random = random;
    }

    /**
     * Returns the content that a Secret should have now. The certificate stays while it is good.
     *
     * @param present the content that it has, empty for none
     */
    public Map<String, String> renewed(
            Map<String, String> present, Authorities authorities, Identity identity, TlsPlan plan, Instant now) {
        Map<String, String> content = new HashMap<>();
        content.put(CA, Pem.of(authorities.trusted()));
        if (isGood(present, authorities.issuing(), identity, plan, now)) {
            content.put(CERTIFICATE, present.get(CERTIFICATE));
            content.put(KEY, present.get(KEY));
        } else {
            Authority.Issued issued =
                    authorities.issuing().issue(identity, now, Duration.ofDays(plan.certificateDays()), random);
            content.put(CERTIFICATE, Pem.of(List.of(issued.certificate())));
            content.put(KEY, Pem.of(issued.key()));
        }
        String lists = Revocations.renewed(present.get(LISTS), authorities, plan, now, random);
        if (lists != null) {
            content.put(LISTS, lists);
        }
        if (plan.certificateWish() != null) {
            content.put(ASKED, plan.certificateWish());
        }
        return content;
    }

    private static boolean isGood(
            Map<String, String> present, Authority issuing, Identity identity, TlsPlan plan, Instant now) {
        X509Certificate certificate = certificate(present);
        String wish = plan.certificateWish();
        return certificate != null
                && present.containsKey(KEY)
                && issuing.hasIssued(certificate)
                && identity.isThatOf(certificate)
                && !isDue(certificate, now)
                && !plan.revoked().contains(certificate.getSerialNumber())
                && (wish == null || wish.equals(present.get(ASKED)));
    }

    /** Whether less than a third of its time is left. */
    static boolean isDue(X509Certificate certificate, Instant now) {
        return now.isAfter(withLeft(certificate, 3));
    }

    /** Whether less than a fifth of its validity is left. Issuers renew certificates before that. */
    public static boolean isLate(X509Certificate certificate, Instant now) {
        return now.isAfter(withLeft(certificate, 5));
    }

    /** Returns when only this part of its time will be left. */
    private static Instant withLeft(X509Certificate certificate, int part) {
        Instant end = certificate.getNotAfter().toInstant();
        return end.minus(
                Duration.between(certificate.getNotBefore().toInstant(), end).dividedBy(part));
    }

    /** Returns the certificate of a content; null when it has none that can be read. */
    public static @Nullable X509Certificate certificate(Map<String, String> content) {
        String text = content.get(CERTIFICATE);
        try {
            return text == null ? null : Pem.certificates(text).getFirst();
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
