package dev.granary.superpeer.lease;

import static dev.granary.superpeer.SimulatedRing.LEASE_NANOS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.overlay.HostAddress;
import dev.granary.superpeer.LoneNode;
import dev.granary.superpeer.state.PeerRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** The leases of a running super-peer with its clock and its loop. */
class LeasesTest {

    private static final int A = 0x8000;
    private static final int B = 0x4000;
    private static final int C = 0xC000;
    private static final HostAddress ADDRESS = new HostAddress("p", 7500);
    private static final LeaseTerms TERMS = new LeaseTerms(LEASE_NANOS);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final LoneNode lone = new LoneNode();
    private final List<String> expired = new ArrayList<>();
    private int ticks;
    private final Leases leases = new Leases(lone.node(), () -> ticks++);

    private static PeerRecord peer(int nid, long incarnation, boolean closed, boolean parked) {
        return new PeerRecord(
                nid,
                new UUID(1, nid),
                incarnation,
                0,
                1,
                1,
                100,
                closed,
                parked,
                0,
                "p",
                ADDRESS,
                ADDRESS,
                1,
                "",
                "",
                null);
    }

    private static PeerRecord peer(int nid, long incarnation) {
        return peer(nid, incarnation, false, false);
    }

    private void begin(long longestNanos, PeerRecord... peers) {
        beginAfter(0, longestNanos, peers);
    }

    /** Begins some time after the last moment at which another super-peer may have granted a lease. */
    private void beginAfter(long passedNanos, long longestNanos, PeerRecord... peers) {
        lone.run(() -> leases.begin(
                List.of(peers),
                longestNanos,
                lone.node().nanoTime() - passedNanos,
                (nid, incarnation) -> expired.add(Integer.toHexString(nid) + "/" + incarnation)));
    }

    private long now(LongSupplier asked) {
        AtomicLong answer = new AtomicLong();
        lone.run(() -> answer.set(asked.getAsLong()));
        return answer.get();
    }

    private boolean renew(int nid, long incarnation) {
        return now(() -> leases.renew(nid, incarnation) ? 1 : 0) == 1;
    }

    @Test
    void begin_knownPeers_thoseThatMayHoldALeaseAreWaitedForInFull() {
        begin(0, peer(A, 7), peer(B, 8, true, false), peer(C, 9, false, true));
        assertThat(leases.isLive(A)).isTrue();
        assertThat(leases.isLive(B)).isFalse();
        assertThat(leases.isLive(C)).isFalse();
        assertThat(now(() -> leases.remainingNanos(A))).isEqualTo(TERMS.waitNanos());
        assertThat(now(() -> leases.remainingNanos(B)))
                .as("it gave its lease back")
                .isZero();
        assertThat(now(() -> leases.remainingNanos(C))).as("it is parked").isZero();
    }

    @Test
    void begin_longerLeasesMayBeOut_waitsForThese() {
        begin(3 * LEASE_NANOS, peer(A, 7));
        assertThat(now(() -> leases.remainingNanos(A))).isEqualTo(new LeaseTerms(3 * LEASE_NANOS).waitNanos());
        assertThat(renew(A, 7)).isTrue();
        assertThat(now(() -> leases.remainingNanos(A)))
                .as("a renewal does not end the wait for the older one")
                .isGreaterThan(3 * LEASE_NANOS);
    }

    @Test
    void begin_aMomentAfterTheLastGrantOfOthers_thatTimeHasBeenWaited() {
        lone.runFor(LEASE_NANOS);
        beginAfter(LEASE_NANOS / 10, 0, peer(A, 7));
        assertThat(now(() -> leases.remainingNanos(A))).isEqualTo(TERMS.waitNanos() - LEASE_NANOS / 10);
        lone.runFor(TERMS.waitNanos() - LEASE_NANOS / 10 + TimeUnit.MILLISECONDS.toNanos(2));
        assertThat(expired).containsExactly("8000/7");
    }

    @Test
    void begin_longAfterTheLastGrantOfOthers_peersHaveTimeToRenew() {
        lone.runFor(4 * LEASE_NANOS);
        beginAfter(3 * LEASE_NANOS, 0, peer(A, 7));
        assertThat(now(() -> leases.remainingNanos(A))).isEqualTo(TERMS.waitNanos() - LEASE_NANOS / 4);
    }

    @Test
    void tick_leaseThatNobodyRenews_expiresOnceAndIsTold() {
        begin(0, peer(A, 7), peer(B, 8));
        lone.runFor(LEASE_NANOS / 2);
        assertThat(renew(B, 8)).isTrue();

        lone.runFor(TERMS.waitNanos() - LEASE_NANOS / 2 + 2 * TERMS.tickNanos());

        assertThat(expired).containsExactly("8000/7");
        assertThat(leases.isLive(A)).isFalse();
        assertThat(leases.isLive(B)).isTrue();
        assertThat(lone.metric("granary_superpeer_leases_expired_total")).isEqualTo(1);
        assertThat(ticks).isGreaterThanOrEqualTo((int) (LEASE_NANOS / TERMS.tickNanos()) - 1);
    }

    @Test
    void tick_leaseThatEndsBetweenTwoRegularLooks_expiresWhenItEnds() {
        begin(0, peer(B, 8));
        long laterNanos = TERMS.tickNanos() / 3;
        lone.runFor(laterNanos);
        lone.run(() -> leases.grant(peer(A, 7)));

        lone.runFor(TERMS.waitNanos() - TimeUnit.MILLISECONDS.toNanos(1));
        assertThat(expired).containsExactly("4000/8");
        lone.runFor(TimeUnit.MILLISECONDS.toNanos(2));
        assertThat(expired).containsExactly("4000/8", "8000/7");
    }

    @Test
    void renew_afterItExpired_onlyItsIncarnationIsBack() {
        begin(0, peer(A, 7));
        lone.runFor(2 * LEASE_NANOS);
        assertThat(renew(A, 8)).isFalse();
        assertThat(renew(B, 7)).isFalse();
        assertThat(leases.isLive(A)).isFalse();
        assertThat(renew(A, 7)).isTrue();
        assertThat(leases.isLive(A)).isTrue();
        assertThat(expired).hasSize(1);
    }

    @Test
    void remainingForPeople_asTimePasses_fromTheLeaseToZero() {
        begin(0);
        lone.run(() -> leases.grant(peer(A, 7)));
        assertThat(leases.remainingForPeopleNanos(A)).isEqualTo(LEASE_NANOS);
        lone.runFor(LEASE_NANOS / 4);
        assertThat(leases.remainingForPeopleNanos(A)).isEqualTo(LEASE_NANOS - LEASE_NANOS / 4);
        lone.runFor(LEASE_NANOS);
        assertThat(leases.remainingForPeopleNanos(A)).isZero();
        assertThat(leases.remainingForPeopleNanos(B)).isZero();
        assertThat(lone.metric("granary_superpeer_leases_granted_total")).isEqualTo(1);
    }

    @Test
    void grant_nextIncarnation_takesThePlaceOfTheFormer() {
        begin(0, peer(A, 7));
        lone.run(() -> leases.grant(peer(A, 8)));
        assertThat(renew(A, 7)).isFalse();
        assertThat(renew(A, 8)).isTrue();
        assertThat(leases.isLive(A)).isTrue();
    }

    @Test
    void close_ofAFormerIncarnation_leavesTheLease() {
        begin(0, peer(A, 8));
        lone.run(() -> leases.close(peer(A, 7)));
        assertThat(leases.isLive(A)).isTrue();
        lone.run(() -> leases.close(peer(A, 8)));
        assertThat(leases.isLive(A)).isFalse();
        lone.runFor(2 * LEASE_NANOS);
        assertThat(expired).as("it was given back").isEmpty();
    }

    @Test
    void use_shorterLeases_whatIsOutIsWaitedForAsBefore() {
        begin(0, peer(A, 7));
        lone.run(() -> {
            leases.use(SECOND);
            leases.grant(peer(B, 8));
        });
        assertThat(now(() -> leases.remainingNanos(A))).isEqualTo(TERMS.waitNanos());
        assertThat(now(() -> leases.remainingNanos(B))).isEqualTo(new LeaseTerms(SECOND).waitNanos());
        lone.runFor(4 * SECOND);
        assertThat(expired).containsExactly("4000/8");
    }

    /** When the terms change, the next look was planned by the former terms. */
    @Test
    void use_shorterLeases_isNoPause() {
        begin(0);
        lone.run(() -> {
            leases.use(SECOND);
            leases.grant(peer(A, 7));
        });
        lone.runFor(3 * SECOND / 2);
        assertThat(lone.metric("granary_superpeer_pauses_total")).isZero();
        assertThat(expired).containsExactly("8000/7");
    }

    @Test
    void pause_longerThanTheLease_isCountedAndNobodyExpiresBeforeAFullWait() {
        begin(0, peer(A, 7));
        lone.runFor(SECOND);
        lone.machine().pause(3 * LEASE_NANOS);
        lone.runFor(3 * LEASE_NANOS + 1);
        long remaining = now(() -> leases.remainingNanos(A));
        assertThat(remaining).isBetween(TERMS.waitNanos() - SECOND, TERMS.waitNanos());
        assertThat(expired).isEmpty();
        assertThat(lone.metric("granary_superpeer_pauses_total")).isEqualTo(1);
    }

    @Test
    void stop_leaseThatRunsOut_isNotToldAnyMore() {
        begin(0, peer(A, 7));
        lone.run(leases::stop);
        int before = ticks;
        lone.runFor(3 * LEASE_NANOS);
        assertThat(expired).isEmpty();
        assertThat(ticks).isEqualTo(before);
    }
}
