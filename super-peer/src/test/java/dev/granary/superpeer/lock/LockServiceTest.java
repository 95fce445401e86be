package dev.granary.superpeer.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.LockMessages.AcquireLock;
import dev.granary.net.message.LockMessages.AcquireLockReply;
import dev.granary.net.message.LockMessages.ReleaseLock;
import dev.granary.net.message.LockMessages.RenewLock;
import dev.granary.net.message.LockMessages.RenewLockReply;
import dev.granary.net.message.LockMessages.ShowLock;
import dev.granary.net.message.LockMessages.ShowLockReply;
import dev.granary.net.message.MessageType;
import dev.granary.overlay.Cid;
import dev.granary.superpeer.LoneNode;
import dev.granary.superpeer.SimulatedRing;
import dev.granary.superpeer.node.MemoryBudget;
import dev.granary.superpeer.node.SuperPeerMemory;
import dev.granary.superpeer.state.ArcCommand;
import dev.granary.superpeer.state.ArcResult;
import dev.granary.superpeer.state.arc.ArcState;
import dev.granary.superpeer.state.name.LockCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LockServiceTest {

    private static final long CID = Cid.of(0x8000, 5);
    private static final long LEASE = TimeUnit.SECONDS.toNanos(2);

    private final SimulatedRing ring = new SimulatedRing();

    private final LoneNode lone = new LoneNode();
    private final ArcState state = new ArcState();
    private final List<ArcCommand> committed = new ArrayList<>();
    private final List<Runnable> uncommitted = new ArrayList<>();
    private boolean committing = true;
    private boolean answersFor = true;
    private boolean hasRoom = true;

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

    // The service by itself, without Raft.

    @Test
    void acquire_noRoomInTheArc_isAnsweredAsIfTheLockWereTaken() {
        LockService service = serve();
        hasRoom = false;
        assertThat(lone.reply(MessageType.ACQUIRE_LOCK, wish(1, LEASE / 4))).isEqualTo(new AcquireLockReply(0, 0));
        assertThat(committed).isEmpty();
        hasRoom = true;
        assertThat(lone.reply(MessageType.ACQUIRE_LOCK, wish(1, 0)).token()).isEqualTo(1);
        lone.run(service::stop);
    }

    @Test
    void acquire_noRoomForOneThatWaits_isAnsweredAtOnceWithWhatIsLeftOfTheLease() {
        serve();
        lone.reply(MessageType.ACQUIRE_LOCK, wish(1, 0));
        MemoryBudget waiters = lone.node().memory().lockWaiters();
        waiters.set(waiters.limitBytes());
        CompletableFuture<AcquireLockReply> second = lone.ask(MessageType.ACQUIRE_LOCK, wish(2, LEASE));
        lone.runFor(LEASE / 10);
        assertThat(second).isCompleted();
        assertThat(second.join().token()).isZero();
        assertThat(second.join().remainingNanos()).isBetween(LEASE / 2, LEASE + LEASE / 50);
    }

    @Test
    void acquire_whileTheEndOfALeaseIsCommitted_isServedAfterIt() {
        serve();
        lone.reply(MessageType.ACQUIRE_LOCK, wish(1, 0));
        committing = false;
        lone.runFor(2 * LEASE);
        assertThat(committed).last().isInstanceOf(LockCommand.Release.class);
        CompletableFuture<AcquireLockReply> second = lone.ask(MessageType.ACQUIRE_LOCK, wish(2, 0));
        lone.runFor(LEASE);
        assertThat(second).as("the release is not committed yet").isNotDone();
        assertThat(lone.refusal(MessageType.RENEW_LOCK, new RenewLock(CID, 1)).code())
                .isEqualTo(ErrorCode.UNKNOWN_LEASE);
        assertThat(committed).as("one command at a time").hasSize(2);

        commitAll();

        assertThat(second.join()).isEqualTo(new AcquireLockReply(2, 0));
    }

    @Test
    void begin_locksOfAnEarlierLeader_areHeldForAWholeLeaseFromNowOn() {
        state.apply(new LockCommand.Acquire(CID, 1, LEASE));
        LockService service = serve();
        lone.runFor(10 * LEASE);
        assertThat(committed).as("nothing is watched before the begin").isEmpty();
        lone.run(service::begin);
        lone.runFor(LEASE);
        assertThat(lone.reply(MessageType.SHOW_LOCK, new ShowLock(CID)).token()).isEqualTo(1);
        lone.runFor(LEASE / 10);
        assertThat(lone.reply(MessageType.SHOW_LOCK, new ShowLock(CID))).isEqualTo(new ShowLockReply(0, 0, 0));
    }

    @Test
    void stop_requestsWait_areRefusedAndNoLeaseIsEnded() {
        LockService service = serve();
        lone.reply(MessageType.ACQUIRE_LOCK, wish(1, 0));
        CompletableFuture<AcquireLockReply> second = lone.ask(MessageType.ACQUIRE_LOCK, wish(2, LEASE));
        lone.runFor(LEASE / 10);
        assertThat(lone.node().memory().lockWaiters().bytes()).isEqualTo(SuperPeerMemory.WAITER_BYTES);
        lone.run(service::stop);
        lone.runFor(LEASE / 10);
        assertThat(SimulatedRing.errorOf(second).code()).isEqualTo(ErrorCode.SHUTTING_DOWN);
        assertThat(lone.node().memory().lockWaiters().bytes()).isZero();
        lone.runFor(5 * LEASE);
        assertThat(committed).hasSize(1);
    }

    @Test
    void requests_ofAnotherArc_areRefusedBeforeAnythingIsDone() {
        serve();
        answersFor = false;
        assertThat(lone.refusal(MessageType.ACQUIRE_LOCK, wish(1, 0)).code()).isEqualTo(ErrorCode.REDIRECT);
        assertThat(lone.refusal(MessageType.RENEW_LOCK, new RenewLock(CID, 1)).code())
                .isEqualTo(ErrorCode.REDIRECT);
        assertThat(lone.refusal(MessageType.RELEASE_LOCK, new ReleaseLock(CID, 1))
                        .code())
                .isEqualTo(ErrorCode.REDIRECT);
        assertThat(lone.refusal(MessageType.SHOW_LOCK, new ShowLock(CID)).code())
                .isEqualTo(ErrorCode.REDIRECT);
        assertThat(committed).isEmpty();
    }

    private static AcquireLock wish(long lockId, long waitNanos) {
        return new AcquireLock(CID, lockId, LEASE, waitNanos);
    }

    private LockService serve() {
        LockService service = new LockService(
                lone.node(),
                state,
                this::commit,
                (request, nid) -> {
                    if (!answersFor) {
                        request.fail(ErrorReply.redirect(SimulatedRing.address("s1"), 1, "another arc"));
                    }
                    return answersFor;
                },
                () -> hasRoom);
        lone.answer(MessageType.ACQUIRE_LOCK, service::acquire);
        lone.answer(MessageType.RENEW_LOCK, service::renew);
        lone.answer(MessageType.RELEASE_LOCK, service::release);
        lone.answer(MessageType.SHOW_LOCK, service::show);
        return service;
    }

    private CompletableFuture<ArcResult> commit(ArcCommand command) {
        committed.add(command);
        CompletableFuture<ArcResult> done = new CompletableFuture<>();
        uncommitted.add(() -> done.complete(state.apply(command)));
        if (committing) {
            lone.node().environment().scheduler().execute(this::applyAll);
        }
        return done;
    }

    /** The majority is there again. */
    private void commitAll() {
        committing = true;
        lone.run(this::applyAll);
        lone.runFor(LEASE / 10);
    }

    private void applyAll() {
        List<Runnable> all = List.copyOf(uncommitted);
        uncommitted.clear();
        all.forEach(Runnable::run);
    }
}
