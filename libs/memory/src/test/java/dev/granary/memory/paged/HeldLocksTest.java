package dev.granary.memory.paged;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.memory.LockChoice;
import dev.granary.memory.LockFigures;
import dev.granary.memory.LockInterruptedException;
import dev.granary.memory.LockMode;
import dev.granary.memory.LockTimeoutException;
import dev.granary.memory.NotLockedException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Locks that callers hold, one case after the other. A test sees in the statistics that a thread waits. */
class HeldLocksTest {

    private static final long CID = 0x8000_0000_0000_0001L;
    private static final long OTHER = 0x8000_0000_0000_0002L;
    private static final long FOREVER = Long.MAX_VALUE;

    private final AtomicLong clockNanos = new AtomicLong();
    private final HeldLocks locks = new HeldLocks(clockNanos::get);
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    @AfterEach
    void everythingIsGone() {
        threads.shutdownNow();
        assertThat(locks.heldCount()).isZero();
        assertThat(locks.snapshot()).isEqualTo(new LockFigures(0, 0, 0, 0));
    }

    @Test
    void lock_forReadingByMany_isShared() {
        locks.lock(CID, LockMode.READ, 0);
        locks.lock(CID, LockMode.READ, 0);
        assertThat(locks.tryLock(CID, LockMode.WRITE)).isFalse();
        assertThat(locks.snapshot()).isEqualTo(new LockFigures(1, 0, 2, 0));
        locks.unlock(CID, LockMode.READ);
        assertThat(locks.tryLock(CID, LockMode.WRITE)).isFalse();
        assertThat(locks.isLocked(CID)).isTrue();
        locks.unlock(CID, LockMode.READ);
        assertThat(locks.isLocked(CID)).isFalse();
    }

    @Test
    void lock_forWriting_keepsEverybodyOut() {
        locks.lock(CID, LockMode.WRITE, 0);
        assertThat(locks.tryLock(CID, LockMode.READ)).isFalse();
        assertThat(locks.tryLock(CID, LockMode.WRITE)).isFalse();
        assertThat(locks.heldCount()).isOne();
        assertThat(locks.snapshot()).isEqualTo(new LockFigures(0, 1, 0, 0));
        locks.unlock(CID, LockMode.WRITE);
        assertThat(locks.tryLock(CID, LockMode.WRITE)).isTrue();
        locks.unlock(CID, LockMode.WRITE);
    }

    @Test
    void lock_ofAnotherChunk_isAnotherLock() {
        for (long cid = 1; cid <= 1000; cid++) {
            locks.lock(cid, LockMode.WRITE, 0);
        }
        assertThat(locks.heldCount()).isEqualTo(1000);
        for (long cid = 1; cid <= 1000; cid++) {
            assertThat(locks.isLocked(cid)).isTrue();
            locks.unlock(cid, LockMode.WRITE);
        }
    }

    @Test
    void lock_withoutTimeoutWhileHeld_isRefusedWithCidAndMode() {
        locks.lock(CID, LockMode.READ, 0);
        assertThatThrownBy(() -> locks.lock(CID, LockMode.WRITE, 0))
                .isInstanceOf(LockTimeoutException.class)
                .hasMessage("no WRITE lock on chunk 0x8000000000000001 after 0 ns: others hold it");
        locks.unlock(CID, LockMode.READ);
    }

    @Test
    void lock_withNegativeTimeout_isRefused() {
        assertThatThrownBy(() -> locks.lock(CID, LockMode.READ, -1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> LockChoice.read(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> LockChoice.write(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new LockChoice(null, 1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void unlock_withoutLockOrInTheOtherMode_isRefusedAndChangesNothing() {
        assertThatThrownBy(() -> locks.unlock(CID, LockMode.READ))
                .isInstanceOf(NotLockedException.class)
                .hasMessage("nobody holds a READ lock on chunk 0x8000000000000001");
        locks.lock(CID, LockMode.READ, 0);
        assertThatThrownBy(() -> locks.unlock(CID, LockMode.WRITE)).isInstanceOf(NotLockedException.class);
        assertThatThrownBy(() -> locks.unlock(OTHER, LockMode.READ)).isInstanceOf(NotLockedException.class);
        assertThat(locks.snapshot()).isEqualTo(new LockFigures(1, 0, 1, 0));
        locks.unlock(CID, LockMode.READ);
        assertThatThrownBy(() -> locks.unlock(CID, LockMode.READ)).isInstanceOf(NotLockedException.class);
    }

    @Test
    void unlock_byAnotherThread_givesTheLockBack() throws Exception {
        locks.lock(CID, LockMode.WRITE, 0);
        threads.submit(() -> locks.unlock(CID, LockMode.WRITE)).get();
        assertThat(locks.isLocked(CID)).isFalse();
    }

    @Test
    void lock_whileHeld_waitsUntilItIsHandedOver() throws Exception {
        locks.lock(CID, LockMode.WRITE, 0);
        Future<?> writer = waiting(CID, LockMode.WRITE, FOREVER, 1);
        locks.unlock(CID, LockMode.WRITE);
        writer.get();
        assertThat(locks.tryLock(CID, LockMode.READ)).isFalse();
        locks.unlock(CID, LockMode.WRITE);
    }

    @Test
    void lock_forReadingBehindAWaitingWriter_waitsItsTurn() throws Exception {
        locks.lock(CID, LockMode.READ, 0);
        Future<?> writer = waiting(CID, LockMode.WRITE, FOREVER, 1);
        assertThat(locks.tryLock(CID, LockMode.READ)).isFalse();
        Future<?> reader = waiting(CID, LockMode.READ, FOREVER, 2);
        locks.unlock(CID, LockMode.READ);
        writer.get();
        assertThat(reader.isDone()).isFalse();
        locks.unlock(CID, LockMode.WRITE);
        reader.get();
        locks.unlock(CID, LockMode.READ);
    }

    @Test
    void lock_byManyWaiters_isGrantedInTheirOrder() throws Exception {
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        List<Future<?>> waiters = new ArrayList<>();
        locks.lock(CID, LockMode.WRITE, 0);
        for (int i = 0; i < 20; i++) {
            int number = i;
            waiters.add(threads.submit(() -> {
                locks.lock(CID, LockMode.WRITE, FOREVER);
                order.add(number);
                locks.unlock(CID, LockMode.WRITE);
            }));
            awaitWaiting(i + 1);
        }
        locks.unlock(CID, LockMode.WRITE);
        for (Future<?> waiter : waiters) {
            waiter.get();
        }
        assertThat(order).isSorted().hasSize(20);
    }

    @Test
    void lock_whoseTimeIsUp_isRefusedAndLetsTheReadersBehindItPass() throws Exception {
        locks.lock(CID, LockMode.READ, 0);
        Future<?> writer = waiting(CID, LockMode.WRITE, 1_000_000, 1);
        Future<?> reader = waiting(CID, LockMode.READ, FOREVER, 2);
        clockNanos.set(2_000_000);
        assertThatThrownBy(writer::get)
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(LockTimeoutException.class)
                .hasMessageContaining("after 2000000 ns");
        reader.get();
        assertThat(locks.snapshot()).isEqualTo(new LockFigures(1, 0, 2, 0));
        locks.unlock(CID, LockMode.READ);
        locks.unlock(CID, LockMode.READ);
    }

    @Test
    void lock_whoseThreadIsInterrupted_isRefusedWithTheFlagKeptAndLeavesNothing() throws Exception {
        locks.lock(CID, LockMode.WRITE, 0);
        List<Boolean> flags = Collections.synchronizedList(new ArrayList<>());
        Thread waiter = Thread.ofPlatform().start(() -> {
            try {
                locks.lock(CID, LockMode.READ, FOREVER);
            } catch (LockInterruptedException e) {
                flags.add(Thread.currentThread().isInterrupted());
            }
        });
        awaitWaiting(1);
        waiter.interrupt();
        waiter.join();
        assertThat(flags).containsExactly(true);
        assertThat(locks.snapshot()).isEqualTo(new LockFigures(0, 1, 0, 0));
        locks.unlock(CID, LockMode.WRITE);
    }

    @Test
    void lock_ofAFreeChunkByAnInterruptedThread_isGranted() {
        Thread.currentThread().interrupt();
        try {
            locks.lock(CID, LockMode.WRITE, FOREVER);
            assertThat(Thread.interrupted()).isTrue();
        } finally {
            Thread.interrupted();
        }
        locks.unlock(CID, LockMode.WRITE);
    }

    private Future<?> waiting(long cid, LockMode mode, long timeoutNanos, int waitersThen) throws Exception {
        Future<?> waiter = threads.submit(() -> locks.lock(cid, mode, timeoutNanos));
        awaitWaiting(waitersThen);
        return waiter;
    }

    private void awaitWaiting(int count) throws InterruptedException {
        while (locks.snapshot().waiting() != count) {
            Thread.sleep(1);
        }
    }
}
