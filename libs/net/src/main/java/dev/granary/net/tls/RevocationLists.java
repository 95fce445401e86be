package dev.granary.net.tls;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CRL;
import java.security.cert.CRLReason;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateRevokedException;
import java.security.cert.X509CRL;
import java.security.cert.X509CRLEntry;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The certificates that CAs have revoked, by their revocation lists (RFC 5280, section 5). Immutable.
 *
 * <p>A list whose time is over goes on to count: what it names stays revoked, and what it does not name stays good,
 * since a CA that is late must not stop a cluster. {@link #nextUpdate} tells when a new one is due.
 */
final class RevocationLists {

    /** Nothing is revoked. */
    static final RevocationLists NONE = new RevocationLists(List.of());

    private static final Logger LOG = LoggerFactory.getLogger(RevocationLists.class);
    private static final String BEGIN = "-----BEGIN X509 CRL-----";

    private final List<X509CRL> lists;

    private RevocationLists(List<X509CRL> lists) {
        this.lists = List.copyOf(lists);
    }

    /**
     * Reads lists in PEM, none from a text without any. Lists of CAs that are not trusted do not count.
     *
     * @param file for messages
     * @throws TlsException when one cannot be read, or was not signed by the CA that it names
     */
    static RevocationLists of(String text, Path file, List<X509Certificate> authorities) throws TlsException {
        if (!text.contains(BEGIN)) {
            if (!text.isBlank()) {
                throw new TlsException("the revocation file " + file + " has no '" + BEGIN + "', and is not empty");
            }
            return NONE;
        }
        List<X509CRL> lists = new ArrayList<>();
        try {
            for (CRL each : CertificateFactory.getInstance("X.509")
                    .generateCRLs(new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1)))) {
                if (each instanceof X509CRL list && isTrusted(list, file, authorities)) {
                    lists.add(list);
                }
            }
        } catch (GeneralSecurityException e) {
            throw new TlsException("the revocation file " + file + " cannot be read: " + e.getMessage(), e);
        }
        return new RevocationLists(lists);
    }

    private static boolean isTrusted(X509CRL list, Path file, List<X509Certificate> authorities) throws TlsException {
        boolean known = false;
        for (X509Certificate authority : authorities) {
            if (authority.getSubjectX500Principal().equals(list.getIssuerX500Principal())) {
                known = true;
                if (isSignedBy(list, authority)) {
                    return true;
                }
            }
        }
        if (known) {
            throw new TlsException("the revocation file " + file + " has a list that its CA '"
                    + list.getIssuerX500Principal().getName() + "' has not signed");
        }
        LOG.warn(
                "the revocation file {} has a list of the CA '{}', which is not trusted; it does not count",
                file,
                list.getIssuerX500Principal().getName());
        return false;
    }

    private static boolean isSignedBy(X509CRL list, X509Certificate authority) {
        try {
            list.verify(authority.getPublicKey());
            return true;
        } catch (GeneralSecurityException e) {
            LOG.debug("a revocation list was not signed by '{}'", authority.getSubjectX500Principal(), e);
            return false;
        }
    }

    /** Returns whether no list counts. */
    boolean isEmpty() {
        return lists.isEmpty();
    }

    /** Returns how many certificates are revoked. */
    int count() {
        return lists.stream()
                .mapToInt(list -> list.getRevokedCertificates() == null
                        ? 0
                        : list.getRevokedCertificates().size())
                .sum();
    }

    /** Returns when the first of the lists should be replaced; null when there is none, or none says so. */
    @Nullable
    Instant nextUpdate() {
        return lists.stream()
                .map(X509CRL::getNextUpdate)
                .filter(Objects::nonNull)
                .map(Date::toInstant)
                .min(Instant::compareTo)
                .orElse(null);
    }

    /** Returns whether a certificate was revoked. */
    boolean isRevoked(X509Certificate certificate) {
        return entry(certificate) != null;
    }

    /** @throws CertificateRevokedException when one of the certificates was revoked */
    void check(X509Certificate[] chain) throws CertificateRevokedException {
        for (X509Certificate certificate : chain) {
            X509CRLEntry entry = entry(certificate);
            if (entry != null) {
                CRLReason reason = entry.getRevocationReason();
                throw new CertificateRevokedException(
                        entry.getRevocationDate(),
                        reason == null ? CRLReason.UNSPECIFIED : reason,
                        certificate.getIssuerX500Principal(),
                        Map.of());
            }
        }
    }

    private @Nullable X509CRLEntry entry(X509Certificate certificate) {
        for (X509CRL list : lists) {
            if (list.getIssuerX500Principal().equals(certificate.getIssuerX500Principal())) {
                X509CRLEntry entry = list.getRevokedCertificate(certificate.getSerialNumber());
                if (entry != null) {
                    return entry;
                }
            }
        }
        return null;
    }
}
