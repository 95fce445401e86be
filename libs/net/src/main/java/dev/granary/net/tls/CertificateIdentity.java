package dev.granary.net.tls;

import dev.granary.net.Proof;
import dev.granary.net.Proof.Role;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import org.jspecify.annotations.Nullable;

/**
 * Who a certificate says that its owner is (docs/formats/certificates.md). It is a SPIFFE id among the subject's
 * alternative names:
 *
 * <pre>{@code
 * spiffe://<trust domain>/granary/<cluster name>/<role>[/<anything>]
 * }</pre>
 *
 * or, where no such name can be had, the subject's {@code OU=granary-<role>} and, for the cluster, {@code O}. The roles
 * are {@code storage}, {@code super-peer}, {@code operator}, {@code monitor} and {@code client}. Other certificates are
 * those of clients of any cluster.
 *
 * @param role what it is
 * @param cluster the cluster that it is this in, with the trust domain in front; null for any
 * @param subject for people
 */
record CertificateIdentity(Role role, @Nullable String cluster, String subject) {

    private static final Pattern SPIFFE =
            Pattern.compile("spiffe://([^/]+)/granary/([^/]+)/(storage|super-peer|operator|monitor|client)(/.*)?");

    private static final Pattern UNIT = Pattern.compile("granary-(storage|super-peer|operator|monitor|client)");

    /** {@code uniformResourceIdentifier} of a GeneralName (RFC 5280 section 4.2.1.6). */
    private static final int URI_NAME = 6;

    static CertificateIdentity of(X509Certificate certificate) {
        for (String uri : uris(certificate)) {
            Matcher spiffe = SPIFFE.matcher(uri);
            if (spiffe.matches()) {
                return new CertificateIdentity(
                        role(spiffe.group(3)), spiffe.group(1).toLowerCase(Locale.ROOT) + "/" + spiffe.group(2), uri);
            }
        }
        return ofSubject(certificate.getSubjectX500Principal().getName());
    }

    private static List<String> uris(X509Certificate certificate) {
        Collection<List<?>> names;
        try {
            names = certificate.getSubjectAlternativeNames();
        } catch (CertificateParsingException e) {
            return List.of();
        }
        return names == null
                ? List.of()
                : names.stream()
                        .filter(name -> name.getFirst().equals(URI_NAME))
                        .map(name -> String.valueOf(name.get(1)))
                        .toList();
    }

    private static CertificateIdentity ofSubject(String subject) {
        Role role = Role.CLIENT;
        String cluster = null;
        try {
            for (Rdn part : new LdapName(subject).getRdns()) {
                Matcher unit = UNIT.matcher(String.valueOf(part.getValue()));
                if (part.getType().equalsIgnoreCase("OU") && unit.matches()) {
                    role = role(unit.group(1));
                } else if (part.getType().equalsIgnoreCase("O")) {
                    cluster = "O=" + part.getValue();
                }
            }
        } catch (InvalidNameException e) {
            return new CertificateIdentity(Role.CLIENT, null, subject);
        }
        // An organization alone is nothing of Granary's.
        return new CertificateIdentity(role, role == Role.CLIENT ? null : cluster, subject);
    }

    private static Role role(String name) {
        return switch (name) {
            case "storage" -> Role.STORAGE_PEER;
            case "super-peer" -> Role.SUPER_PEER;
            case "operator" -> Role.OPERATOR;
            case "monitor" -> Role.MONITOR;
            default -> Role.CLIENT;
        };
    }

    /**
     * Returns what this proves to a process.
     *
     * @param own who that process is; null when it has no certificate
     */
    Proof provedTo(@Nullable CertificateIdentity own) {
        String problem = null;
        if (own != null && own.cluster != null && cluster != null && !own.cluster.equals(cluster)) {
            problem = "its certificate is for '" + cluster + "', the one of this process for '" + own.cluster + "'";
        }
        return new Proof(role, subject, problem);
    }
}
