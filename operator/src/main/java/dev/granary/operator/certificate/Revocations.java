package dev.granary.operator.certificate;

import dev.granary.operator.plan.TlsPlan;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The revocation lists that a Secret should have (ADR 0338). A list stays while it names what it should and a third of
 * its time is left, so that nothing is written and read again without need.
 *
 * <p>Invariant: once there are lists there always are, because a process takes lists that vanish for an error.
 */
final class Revocations {
    private static final int PART = 3;

    private Revocations() {}

    /** Returns the lists in PEM, one of each CA that is trusted; {@code null} for none. */
    static @Nullable String renewed(
            @Nullable String present, Authorities authorities, TlsPlan plan, Instant now, SecureRandom random) {
        if (present == null && plan.revoked().isEmpty()) {
            return null;
        }
        List<X509CRL> before = present == null ? List.of() : Pem.lists(present);
        List<X509CRL> after = new ArrayList<>();
        List<Authority> signing = new ArrayList<>(List.of(authorities.issuing()));
        if (authorities.next() != null) {
            signing.add(authorities.next());
        }
        for (Authority each : signing) {
            Duration lifetime = Duration.ofDays(plan.certificateDays());
            after.add(find(before, each.certificate())
                    .filter(list -> serials(list).equals(plan.revoked()) && hasTime(list, lifetime, now))
                    .orElseGet(() -> each.revoke(plan.revoked(), now, lifetime, random)));
        }
        if (authorities.former() != null) {
            // Its key is gone, and it will not be trusted for long.
            find(before, authorities.former()).ifPresent(after::add);
        }
        return Pem.ofLists(after);
    }

    private static Optional<X509CRL> find(List<X509CRL> lists, X509Certificate authority) {
        return lists.stream()
                .filter(list -> list.getIssuerX500Principal().equals(authority.getSubjectX500Principal())
                        && isSignedBy(list, authority))
                .findFirst();
    }

    private static boolean isSignedBy(X509CRL list, X509Certificate authority) {
        try {
            list.verify(authority.getPublicKey());
            return true;
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    private static Set<BigInteger> serials(X509CRL list) {
        return list.getRevokedCertificates() == null
                ? Set.of()
                : list.getRevokedCertificates().stream()
                        .map(entry -> entry.getSerialNumber())
                        .collect(Collectors.toSet());
    }

    private static boolean hasTime(X509CRL list, Duration lifetime, Instant now) {
        return list.getNextUpdate() != null
                && now.isBefore(list.getNextUpdate().toInstant().minus(lifetime.dividedBy(PART)));
    }
}
