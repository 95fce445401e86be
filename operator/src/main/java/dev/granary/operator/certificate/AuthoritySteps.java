package dev.granary.operator.certificate;

import dev.granary.operator.plan.TlsPlan;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;

/** Decides when a cluster gets another CA, and when a change of the CA takes its next step. Thread-safe. */
public final class AuthoritySteps {
    private final SecureRandom random;

    /** @param random makes keys */
    public AuthoritySteps(SecureRandom random) {
        this.random = random;
    }

    /** Returns the first CA of a cluster. What a person may have wished before is done with it. */
    public Authorities first(String cluster, TlsPlan plan, Instant now) {
        return new Authorities(
                Authority.make(cluster, now, Duration.ofDays(plan.authorityDays()), random),
                null,
                null,
                now,
                plan.authorityWish());
    }

    /**
     * Returns the CAs after the step that is due, or the same when none is.
     *
     * @param cluster the cluster's name, for people
     * @param taken what the processes of the cluster show and trust now
     */
    public Authorities next(Authorities authorities, String cluster, TlsPlan plan, Taken taken, Instant now) {
        return switch (authorities.step()) {
            case STEADY ->
                isDue(authorities, plan, now)
                        ? authorities.begun(
                                Authority.make(cluster, now, Duration.ofDays(plan.authorityDays()), random),
                                now,
                                plan.authorityWish())
                        : authorities;
            case TRUSTING ->
                mayGoOn(authorities, plan, now) && taken.allTrust(authorities.trusted())
                        ? authorities.switched(now)
                        : authorities;
            case ISSUING ->
                mayGoOn(authorities, plan, now) && taken.allShowOneOf(authorities.issuing())
                        ? authorities.ended(now)
                        : authorities;
        };
    }

    /** A CA that is about to end is replaced while the last certificates that it can issue are still good. */
    private static boolean isDue(Authorities authorities, TlsPlan plan, Instant now) {
        String wish = plan.authorityWish();
        if (wish != null && !wish.equals(authorities.asked())) {
            return true;
        }
        Instant end = authorities.issuing().certificate().getNotAfter().toInstant();
        return now.plus(Duration.ofDays(2L * plan.certificateDays())).isAfter(end);
    }

    /** Those whom the operator does not see need time, too. */
    private static boolean mayGoOn(Authorities authorities, TlsPlan plan, Instant now) {
        return !now.isBefore(authorities.since().plus(Duration.ofMinutes(plan.graceMinutes())));
    }
}
