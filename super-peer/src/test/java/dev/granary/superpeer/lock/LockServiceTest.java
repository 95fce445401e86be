package dev.granary.superpeer.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.LockMessages.AcquireLock;
import dev.granary.net.message.LockMessages.AcquireLockReply;
import dev.granary.net.message.LockMessages.ReleaseLock;
import dev.granary.net.message.LockMessages.RenewLock;
import dev.granary.net.message.LockMessages.RenewLockReply;
import dev.granary.net.message.LockMessages.ShowLock;
import dev.granary.net.message.LockMessages.ShowLockReply;
import dev.granary.net.message.MessageType;
import dev.granary.overlay.Cid;
import dev.granary.superpeer.SimulatedRing;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LockServiceTest {

    private static final long CID = Cid.of(0x8000, 5);
    private static final long LEASE = TimeUnit.SECONDS.toNanos(2);

    private final SimulatedRing ring = new SimulatedRing();

    private AcquireLockReply acquire(long lockId, long waitNanos) {
        return ring.call("s0", MessageType.ACQUIRE_LOCK, new AcquireLock(CID, lockId, LEASE, waitNanos));
    }

    @Test
    void acquire_heldByAnother_isRefusedUntilReleased() {
        ring.startRing(1);
        assertThat(acquire(1, 0)).isEqualTo(new AcquireLockReply(1, 0));
        assertThat(acquire(1, 0)).as("the same wish again").isEqualTo(new AcquireLockReply(1, 0));
        AcquireLockReply refused = acquire(2, 0);
        assertThat(refused.token()).isZero();
        assertThat(refused.remainingNanos()).isBetween(LEASE / 2, LEASE + LEASE / 50);
        ring.call("s0", MessageType.RELEASE_LOCK, new ReleaseLock(CID, 1));
        ring.call("s0", MessageType.RELEASE_LOCK, new ReleaseLock(CID, 1));
        assertThat(acquire(2, 0)).isEqualTo(new AcquireLockReply(2, 0));
        ring.call("s0", MessageType.RELEASE_LOCK, new ReleaseLock(CID, 1));
        assertThat(acquire(3, 0).token()).as("an old token releases nothing").isZero();
    }

    @Test
    void acquire_leaseThatIsNotRenewed_passesOnAfterTheWaitAndNotBefore() {
        ring.startRing(1);
        acquire(1, 0);
        ring.runFor(LEASE);
        assertThat(acquire(2, 0).token()).isZero();
        ring.runFor(LEASE / 50 + TimeUnit.MILLISECONDS.toNanos(20));
        assertThat(acquire(2, 0).token()).isEqualTo(2);
        assertThat(ring.refusal("s0", MessageType.RENEW_LOCK, new RenewLock(CID, 1))
                        .code())
                .isEqualTo(ErrorCode.UNKNOWN_LEASE);
    }

    @Test
    void renew_inTime_keepsTheLock() {
        ring.startRing(1);
        acquire(1, 0);
        for (int i = 0; i < 5; i++) {
            ring.runFor(LEASE / 2);
            assertThat(ring.call("s0", MessageType.RENEW_LOCK, new RenewLock(CID, 1)))
                    .isEqualTo(new RenewLockReply(LEASE));
        }
        assertThat(ring.metric("s0", "granary_superpeer_locks")).isEqualTo(1);
        assertThat(ring.metric("s0", "granary_superpeer_names")).isZero();
        assertThat(acquire(2, 0).token()).isZero();
        ShowLockReply shown = ring.call("s0", MessageType.SHOW_LOCK, new ShowLock(CID));
        assertThat(shown.token()).isEqualTo(1);
        assertThat(shown.waiting())
                .as("one that asked without waiting keeps its place for a second")
                .isEqualTo(1);
        ring.runFor(TimeUnit.SECONDS.toNanos(10));
        assertThat(ring.call("s0", MessageType.SHOW_LOCK, new ShowLock(CID))).isEqualTo(new ShowLockReply(0, 0, 0));
    }

    @Test
    void acquire_waiting_isServedInTheOrderOfComing() {
        ring.startRing(1);
        acquire(1, 0);
        List<CompletableFuture<AcquireLockReply>> waiting = ring.sendTogether(
                "s0",
                MessageType.ACQUIRE_LOCK,
                List.of(new AcquireLock(CID, 2, LEASE, LEASE / 4), new AcquireLock(CID, 3, LEASE, LEASE / 4)));
        assertThat(waiting).allSatisfy(each -> assertThat(each.join().token()).isZero());
        ring.call("s0", MessageType.RELEASE_LOCK, new ReleaseLock(CID, 1));
        List<CompletableFuture<AcquireLockReply>> polls = ring.sendTogether(
                "s0",
                MessageType.ACQUIRE_LOCK,
                List.of(new AcquireLock(CID, 2, LEASE, LEASE), new AcquireLock(CID, 3, LEASE, 5 * LEASE / 4)));
        assertThat(polls.getFirst().join().token()).isEqualTo(2);
        assertThat(polls.getLast().join().token())
                .as("after the lease of the second")
                .isEqualTo(3);
    }

    @Test
    void restart_ofTheSuperPeer_keepsTheLockForAWholeLease() {
        ring.startRing(1);
        acquire(1, 0);
        ring.runFor(LEASE - LEASE / 10);
        ring.node("s0").kill();
        ring.start(SimulatedRing.founder("s0", 1));
        ring.awaitReady("s0");
        ring.runFor(LEASE / 2);
        assertThat(acquire(2, 0).token()).isZero();
        ring.runFor(LEASE);
        assertThat(acquire(2, 0)).isEqualTo(new AcquireLockReply(2, 0));
    }

    /** After an acknowledged unlock nobody holds the lock for the caller any more, whatever late requests arrive. */
    @Test
    void acquire_comesAgainAfterTheUnlock_takesNothing() {
        ring.startRing(1);
        acquire(1, 0);
        ring.call("s0", MessageType.RELEASE_LOCK, new ReleaseLock(CID, 1));
        AcquireLock late = new AcquireLock(CID, 1, LEASE, LEASE / 4);
        assertThat(ring.refusal("s0", MessageType.ACQUIRE_LOCK, late).code()).isEqualTo(ErrorCode.UNKNOWN_LEASE);
        assertThat(acquire(2, 0)).isEqualTo(new AcquireLockReply(2, 0));
        assertThat(ring.refusal("s0", MessageType.ACQUIRE_LOCK, late).code())
                .as("while another one holds the lock")
                .isEqualTo(ErrorCode.UNKNOWN_LEASE);
        ring.call("s0", MessageType.RELEASE_LOCK, new ReleaseLock(CID, 2));
        assertThat(ring.call("s0", MessageType.SHOW_LOCK, new ShowLock(CID))).isEqualTo(new ShowLockReply(0, 0, 0));
    }

    @Test
    void acquire_whatNoLockCanBe_isRefused() {
        ring.startRing(1);
        List<AcquireLock> wrong = List.of(
                new AcquireLock(Cid.of(0x0001, 1), 1, LEASE, 0),
                new AcquireLock(CID, 0, LEASE, 0),
                new AcquireLock(CID, 1, 1, 0),
                new AcquireLock(CID, 1, Long.MAX_VALUE, 0),
                new AcquireLock(CID, 1, LEASE, -1));
        for (AcquireLock acquire : wrong) {
            assertThat(ring.refusal("s0", MessageType.ACQUIRE_LOCK, acquire).code())
                    .isEqualTo(ErrorCode.BAD_REQUEST);
        }
    }
}
