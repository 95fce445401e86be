package dev.granary.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.client.DeadlineExceededException;
import dev.granary.client.GranaryException;
import dev.granary.client.LockLostException;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.LockMessages.ReleaseLock;
import dev.granary.net.message.LockMessages.RenewLock;
import dev.granary.net.message.LockMessages.RenewLockReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.Cid;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class HeldLockTest {

    private static final long CID = Cid.of(ScriptedCluster.STORAGE_NID, 5);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long LEASE = 10 * SECOND;

    private final ScriptedCluster cluster = new ScriptedCluster();
    private final BatchContext context = cluster.client(
                    ScriptedCluster.options().withDeadline(Duration.ofSeconds(5)))
            .context();
    private final HeldLock lock = new HeldLock(context, CID, 7, LEASE, now());
    private final List<String> asked = new ArrayList<>();

    private long now() {
        return context.retry().clock().nanoTime();
    }

    private void renewals(Consumer<RpcRequest> answer) {
        cluster.superPeer = request -> {
            if (request.type() != MessageType.RENEW_LOCK.code()) {
                return false;
            }
            RenewLock asking = request.read(MessageType.RENEW_LOCK);
            asked.add(Cid.lid(asking.cid()) + " " + asking.token());
            answer.accept(request);
            return true;
        };
    }

    private void renew() {
        cluster.await(lock.renew());
    }

    @Test
    void isHeld_asTheLeaseRunsOut_untilItsEndCountedFromTheRequest() {
        assertThat(lock.isHeld()).isTrue();
        assertThat(lock.remaining()).isEqualTo(Duration.ofNanos(LEASE));
        assertThat(lock.lease()).isEqualTo(Duration.ofNanos(LEASE));
        cluster.runFor(LEASE - SECOND);
        assertThat(lock.remaining()).isEqualTo(Duration.ofNanos(SECOND));
        cluster.runFor(SECOND - 1);
        assertThat(lock.isHeld()).isTrue();
        cluster.runFor(1);
        assertThat(lock.isHeld()).isFalse();
        cluster.runFor(SECOND);
        assertThat(lock.remaining()).isZero();
    }

    @Test
    void renew_inTime_isHeldForTheLengthThatWasGrantedFromTheRequestOn() {
        renewals(request -> request.reply(new RenewLockReply(4 * LEASE)));
        cluster.runFor(SECOND);
        long before = now();
        renew();
        long after = now();
        assertThat(asked).containsExactly("5 7");
        assertThat(lock.lease()).isEqualTo(Duration.ofNanos(4 * LEASE));
        assertThat(lock.remaining().toNanos()).isBetween(4 * LEASE - (after - before), 4 * LEASE - 1);
    }

    @Test
    void renew_shorterLeaseThanWhatIsLeft_doesNotTakeItAway() {
        renewals(request -> request.reply(new RenewLockReply(SECOND)));
        renew();
        assertThat(lock.lease()).isEqualTo(Duration.ofNanos(SECOND));
        assertThat(lock.remaining().toNanos()).isGreaterThan(LEASE - SECOND);
    }

    @Test
    void renew_whatHasEndedMeanwhile_isLostAndStaysAsItWas() {
        renewals(request -> request.fail(ErrorCode.UNKNOWN_LEASE, "the lock has ended"));
        assertThatThrownBy(this::renew)
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOf(LockLostException.class);
        assertThat(lock.remaining().toNanos()).isLessThan(LEASE);
        assertThat(asked).as("it is not asked for again").hasSize(1);
    }

    @Test
    void renew_otherRefusal_isNoLoss() {
        renewals(request -> request.fail(ErrorCode.BAD_REQUEST, "no"));
        assertThatThrownBy(this::renew).cause().isInstanceOf(GranaryException.class);
        assertThatThrownBy(this::renew).cause().isNotInstanceOf(LockLostException.class);
        assertThat(lock.isHeld()).isTrue();
    }

    @Test
    void renew_superPeerIsSilent_endsAtTheDeadline() {
        renewals(request -> {});
        long before = now();
        assertThatThrownBy(this::renew).cause().isInstanceOf(DeadlineExceededException.class);
        assertThat(now() - before).isBetween(5 * SECOND, 6 * SECOND);
        assertThat(asked).hasSizeGreaterThan(1);
    }

    @Test
    void unlock_atOnce_isNotHeldEvenBeforeTheAnswer() {
        List<ReleaseLock> released = new ArrayList<>();
        cluster.superPeer = request -> {
            if (request.type() != MessageType.RELEASE_LOCK.code()) {
                return false;
            }
            released.add(request.read(MessageType.RELEASE_LOCK));
            request.reply(new Empty());
            return true;
        };
        var unlocked = lock.unlock();
        assertThat(lock.isHeld()).isFalse();
        assertThat(lock.remaining()).isZero();
        cluster.await(unlocked);
        assertThat(released).containsExactly(new ReleaseLock(CID, 7));
    }

    @Test
    void unlock_thenALateRenewal_isNotHeldAgain() {
        renewals(request -> request.reply(new RenewLockReply(LEASE)));
        var renewed = lock.renew();
        var _ = lock.unlock();
        cluster.await(renewed);
        assertThat(lock.isHeld()).isFalse();
        assertThat(lock.remaining()).isZero();
    }

    @Test
    void putAndDelete_underTheLock_areSentWithItsToken() {
        cluster.await(lock.put(new byte[3]));
        cluster.await(lock.delete());
        assertThat(cluster.changes)
                .extracting(ScriptedCluster.Change::type)
                .containsExactly(MessageType.PUT, MessageType.DELETE);
        assertThat(lock.cid()).isEqualTo(CID);
        assertThat(lock.token()).isEqualTo(7);
    }
}
