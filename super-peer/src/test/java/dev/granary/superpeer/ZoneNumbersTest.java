package dev.granary.superpeer;

import static dev.granary.superpeer.SimulatedRing.LEASE_NANOS;
import static dev.granary.superpeer.SimulatedRing.LID_BLOCK;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.LeaseMessages.CloseLease;
import dev.granary.net.message.LeaseMessages.OpenLease;
import dev.granary.net.message.LeaseMessages.PeerStatistics;
import dev.granary.net.message.LeaseMessages.RenewLease;
import dev.granary.net.message.LeaseMessages.ReserveLids;
import dev.granary.net.message.LeaseMessages.ReserveLidsReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RangeMessages.Lookup;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.overlay.HostAddress;
import dev.granary.superpeer.placement.ZonePlanner;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A storage peer has used all numbers for zones of its chunks: chunks that it then created would have no copies. */
class ZoneNumbersTest {

    private static final int NID = 0x8000;
    private static final HostAddress PEER = new HostAddress("p", 7500);
    private static final String LEFT = "granary_superpeer_zone_numbers_left";

    private final SimulatedRing ring = new SimulatedRing();
    private long limit = 1 + LID_BLOCK;
    private long reservedLimit;

    @BeforeEach
    void begin() {
        ring.start(SimulatedRing.withBackups(SimulatedRing.founder("s0", 1), 2));
        ring.awaitReady("s0");
        ring.call("s0", MessageType.OPEN_LEASE, opening(1));
        ErrorReply refusal;
        long blocks = ZonePlanner.MAX_ZONES;
        do {
            refusal = reserveAll(blocks);
            blocks /= 2;
        } while (blocks > 0);
        assertThat(refusal.code()).isEqualTo(ErrorCode.OUT_OF_MEMORY);
        assertThat(refusal.message()).contains("0x8000").contains("32767");
    }

    private static OpenLease opening(long incarnation) {
        return new OpenLease(NID, new UUID(7, 7), incarnation, "p", PEER, PEER, 4096, "", "", 0, null);
    }

    /** Reserves {@code blocks} blocks of LIDs again and again, and returns the first refusal. */
    private ErrorReply reserveAll(long blocks) {
        while (true) {
            // The blocks grow with what the peer has, as its zones do.
            long block = Math.clamp(Long.highestOneBit((limit - 1) / 16), LID_BLOCK, BackupZone.MAX_CHUNKS);
            ReserveLids wanted = new ReserveLids(NID, 1, limit, limit + blocks * block);
            CompletableFuture<ReserveLidsReply> reply =
                    ring.send(SimulatedRing.address("s0"), MessageType.RESERVE_LIDS, wanted);
            if (reply.isCompletedExceptionally()) {
                return SimulatedRing.errorOf(reply);
            }
            limit = reply.join().lidLimit();
            reservedLimit = limit;
            ring.call("s0", MessageType.RENEW_LEASE, renewal());
        }
    }

    private static RenewLease renewal() {
        return new RenewLease(NID, 1, 1, new PeerStatistics(0, 0, 0, 0, 4096, 0, 0));
    }

    @Test
    void reserveLids_noNumbersLeft_everyLidThatIsReservedHasAZone() {
        assertThat(ring.call("s0", MessageType.LOOKUP, new Lookup(Cid.of(NID, reservedLimit - 1)))
                        .range()
                        .placement()
                        .zone())
                .isEqualTo(BackupZone.id(NID, BackupZone.MAX_NUMBER));
        ring.runFor(LEASE_NANOS / 2);
        assertThat(ring.metric("s0", LEFT)).isZero();
    }

    @Test
    void openLease_noNumbersLeft_newIncarnationIsRefusedAndThePresentOneGoesOn() {
        assertThat(ring.call("s0", MessageType.OPEN_LEASE, opening(1)).lidLimit())
                .isEqualTo(limit);
        ring.call("s0", MessageType.CLOSE_LEASE, new CloseLease(NID, 1));
        ErrorReply refusal = ring.refusal("s0", MessageType.OPEN_LEASE, opening(2));
        assertThat(refusal.code()).isEqualTo(ErrorCode.BAD_REQUEST);
        assertThat(refusal.message()).contains("another disk");
    }
}
