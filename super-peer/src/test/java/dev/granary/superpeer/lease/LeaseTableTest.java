package dev.granary.superpeer.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.superpeer.lease.LeaseTable.Expired;
import dev.granary.superpeer.lease.LeaseTable.Renewal;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LeaseTableTest {

    private static final int NID = 0x8000;
    private static final long FIRST = 11;
    private static final long SECOND = 22;

    private final LeaseTerms terms = new LeaseTerms(TimeUnit.SECONDS.toNanos(10));
    private final LeaseTable table = new LeaseTable(terms, 0);

    /** Looks up to a moment so often that the table notices no pause. */
    private List<Expired> runUntil(long fromNanos, long toNanos) {
        List<Expired> expired = new ArrayList<>();
        for (long now = fromNanos; now < toNanos; now += terms.tickNanos()) {
            assertThat(table.look(now)).isZero();
            expired.addAll(table.expire(now));
        }
        assertThat(table.look(toNanos)).isZero();
        expired.addAll(table.expire(toNanos));
        return expired;
    }

    @Test
    void waitNanos_anyLease_isLongerThanTheLeaseOnTheFastestClock() {
        for (long millis : new long[] {200, 1_000, 10_000, 300_000}) {
            LeaseTerms some = new LeaseTerms(TimeUnit.MILLISECONDS.toNanos(millis));
            assertThat(some.waitNanos()).isGreaterThan(some.leaseNanos() + some.leaseNanos() / 100);
            assertThat(some.tickNanos()).isLessThanOrEqualTo(some.leaseNanos() / 8);
            assertThat(some.pauseNanos()).isGreaterThan(some.tickNanos()).isLessThan(some.leaseNanos());
        }
    }

    @Test
    void leaseTerms_noLength_refused() {
        assertThatThrownBy(() -> new LeaseTerms(0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void expire_notRenewed_onlyAfterTheWholeWaitAndOnce() {
        table.grant(NID, FIRST, 0);
        assertThat(runUntil(0, terms.waitNanos() - 1)).isEmpty();
        assertThat(table.isLive(NID)).isTrue();
        assertThat(table.remainingNanos(NID, terms.waitNanos() - 1)).isEqualTo(1);
        assertThat(table.expire(terms.waitNanos())).containsExactly(new Expired(NID, FIRST));
        assertThat(table.expire(terms.waitNanos() + 1)).isEmpty();
        assertThat(table.isLive(NID)).isFalse();
        assertThat(table.remainingNanos(NID, terms.waitNanos())).isZero();
    }

    @Test
    void renew_expiredAndNotReplaced_resumes() {
        table.grant(NID, FIRST, 0);
        runUntil(0, terms.waitNanos());
        assertThat(table.renew(NID, FIRST, terms.waitNanos() + 5)).isEqualTo(Renewal.RESUMED);
        assertThat(table.isLive(NID)).isTrue();
    }

    @Test
    void renew_otherIncarnation_unknown() {
        table.grant(NID, FIRST, 0);
        assertThat(table.renew(NID, SECOND, 1)).isEqualTo(Renewal.UNKNOWN);
        assertThat(table.renew(0x4000, FIRST, 1)).isEqualTo(Renewal.UNKNOWN);
        assertThat(table.remainingNanos(NID, 1)).isEqualTo(terms.waitNanos() - 1);
    }

    @Test
    void grant_otherIncarnation_replaces() {
        table.grant(NID, FIRST, 0);
        table.grant(NID, SECOND, 100);
        assertThat(table.renew(NID, FIRST, 200)).isEqualTo(Renewal.UNKNOWN);
        assertThat(table.renew(NID, SECOND, 200)).isEqualTo(Renewal.RENEWED);
    }

    @Test
    void close_present_nothingToWaitFor() {
        table.grant(NID, FIRST, 0);
        table.close(NID, SECOND);
        assertThat(table.remainingNanos(NID, 1)).isPositive();
        table.close(NID, FIRST);
        assertThat(table.remainingNanos(NID, 1)).isZero();
        assertThat(table.isLive(NID)).isFalse();
    }

    @Test
    void look_afterPause_waitsInFullAgain() {
        table.grant(NID, FIRST, 0);
        long late = terms.waitNanos() * 3;
        assertThat(table.look(late)).isEqualTo(late);
        assertThat(table.expire(late)).isEmpty();
        assertThat(table.remainingNanos(NID, late)).isEqualTo(terms.waitNanos());
        assertThat(runUntil(late, late + terms.waitNanos() - 1)).isEmpty();
        assertThat(table.expire(late + terms.waitNanos())).containsExactly(new Expired(NID, FIRST));
    }

    @Test
    void look_afterPause_whatHadExpiredStaysExpired() {
        table.grant(NID, FIRST, 0);
        runUntil(0, terms.waitNanos());
        assertThat(table.look(terms.waitNanos() * 3)).isPositive();
        assertThat(table.isLive(NID)).isFalse();
        assertThat(table.remainingNanos(NID, terms.waitNanos() * 3)).isZero();
    }

    @Test
    void assume_longerLeaseOfBefore_waitedForEvenWhenRenewed() {
        long longWaitNanos = terms.waitNanos() * 2;
        table.assume(NID, FIRST, 0, longWaitNanos);
        assertThat(table.renew(NID, FIRST, 1)).isEqualTo(Renewal.RENEWED);
        assertThat(table.remainingNanos(NID, 1)).isEqualTo(longWaitNanos - 1);
        table.grant(NID, FIRST, 2);
        assertThat(table.remainingNanos(NID, 2)).isEqualTo(longWaitNanos - 2);
    }

    /**
     * The rule itself: whatever the grantor does and however it is paused, a peer that counts the lease on its own
     * clock from the moment of sending has always stopped when the grantor would let another incarnation in.
     */
    @Test
    void remaining_randomRenewalsPausesDriftAndDelays_neverZeroWhileThePeerServes() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int run = 0; run < 200; run++) {
            // The peer's clock runs up to 1 % slower, so the peer believes in its lease for longer.
            double peerRate = 0.9901 + random.nextDouble() * 0.02;
            LeaseTable grantor = new LeaseTable(terms, 0);
            TreeMap<Long, Long> inFlight = new TreeMap<>();
            grantor.grant(NID, FIRST, 0);
            double peerLeaseEnd = terms.leaseNanos() / peerRate;
            long now = 0;
            for (int step = 0; step < 400; step++) {
                now += random.nextInt(20) == 0
                        ? random.nextLong(terms.waitNanos() * 2)
                        : random.nextLong(terms.tickNanos());
                grantor.look(now);
                grantor.expire(now);
                if (random.nextInt(8) == 0) {
                    inFlight.put(now + random.nextLong(terms.leaseNanos()), now);
                }
                while (!inFlight.isEmpty() && inFlight.firstKey() <= now) {
                    long sentNanos = inFlight.pollFirstEntry().getValue();
                    if (grantor.renew(NID, FIRST, now) != Renewal.UNKNOWN) {
                        peerLeaseEnd = Math.max(peerLeaseEnd, sentNanos + terms.leaseNanos() / peerRate);
                    }
                }
                if (now < peerLeaseEnd) {
                    assertThat(grantor.remainingNanos(NID, now))
                            .as("seed %d, run %d, step %d", seed, run, step)
                            .isPositive();
                }
            }
        }
    }
}
