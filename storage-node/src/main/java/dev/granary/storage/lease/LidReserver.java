package dev.granary.storage.lease;

import dev.granary.env.Clock;
import dev.granary.env.Futures;
import dev.granary.env.Loop;
import dev.granary.env.Scheduler;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.overlay.Cid;
import dev.granary.storage.probe.StorageProbe;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reserves LIDs ahead of need (SAFETY rule "LIDs and NIDs"). When less than half of the last block is left it asks for
 * the next one, so that creates do not wait. Thread-safe; requests run as tasks of the scheduler, one at a time.
 */
public final class LidReserver implements LidSupply {

    private static final Logger LOG = LoggerFactory.getLogger(LidReserver.class);

    private static final long RETRY_NANOS = 100_000_000;

    /** Longer than any answer of the super-peer takes. */
    private static final long ANSWER_LIMIT_NANOS = 20_000_000_000L;

    private final Clock clock;
    private final Loop loop;
    private final LongFunction<CompletableFuture<Long>> reserve;
    private final LongConsumer reserved;
    private final AtomicBoolean asking = new AtomicBoolean();
    private volatile long limit;
    private volatile long ahead;

    /** How many LIDs a refused create has wanted; the next block has at least this many. */
    private volatile long missed;

    private volatile long lidMark;
    private volatile @Nullable String usedUp;
    private volatile boolean stopped;
    private long notBeforeNanos;

    /**
     * Makes a reserver that has not started.
     *
     * @param reserve asks the super-peer for LIDs below a limit; completes on the scheduler
     * @param reserved gets each new limit, on the scheduler
     */
    public LidReserver(
            Clock clock, Scheduler scheduler, LongFunction<CompletableFuture<Long>> reserve, LongConsumer reserved) {
        this.clock = clock;
        this.loop = Loop.answered(scheduler, "lids", RETRY_NANOS, ANSWER_LIMIT_NANOS, this::ask)
                .vital();
        this.reserve = reserve;
        this.reserved = reserved;
        this.notBeforeNanos = clock.nanoTime();
    }

    /** Starts with the first block of LIDs, which came with the lease. */
    public void start(long firstLid, long lidLimit) {
        lidMark = firstLid;
        limit = firstLid;
        raiseLimit(lidLimit);
        askIfNeeded();
    }

    /** Returns the limit below which LIDs are reserved. */
    public long limit() {
        return limit;
    }

    /** Takes over a limit that came with another reply. */
    public void raiseLimit(long newLimit) {
        if (newLimit > limit) {
            // Blocks become larger with the number of chunks, and so does what is asked for ahead of need.
            ahead = Math.max(1, (newLimit - limit) / 2);
            missed = 0;
            usedUp = null;
            limit = newLimit;
            reserved.accept(newLimit);
        }
    }

    @Override
    public void created(long mark) {
        lidMark = mark;
        askIfNeeded();
    }

    @Override
    public void exhausted(int wantedCount) {
        // Other threads may have given LIDs since this mark was noted.
        lidMark = limit;
        missed = Math.max(missed, wantedCount);
        askIfNeeded();
    }

    @Override
    public @Nullable String usedUp() {
        return usedUp;
    }

    /** Stops asking for LIDs. */
    public void stop() {
        stopped = true;
    }

    private void askIfNeeded() {
        if (!stopped && limit - lidMark < ahead && limit <= Cid.MAX_LID && asking.compareAndSet(false, true)) {
            loop.beginAfter(0);
        }
    }

    private void ask() {
        if (stopped) {
            loop.stop();
            return;
        }
        long waitNanos = notBeforeNanos - clock.nanoTime();
        if (waitNanos > 0) {
            loop.again(waitNanos);
            return;
        }
        long wanted = Math.min(limit + Math.max(1, missed), Cid.MAX_LID + 1);
        var _ = reserve.apply(wanted).whenComplete((newLimit, failure) -> loop.part(() -> answered(newLimit, failure)));
    }

    private void answered(@Nullable Long newLimit, @Nullable Throwable failure) {
        if (newLimit != null) {
            raiseLimit(newLimit);
            LOG.atDebug().addKeyValue("lidLimit", newLimit).log("LIDs are reserved");
            StorageProbe.LIDS_RESERVED.hit();
        } else {
            notBeforeNanos = clock.nanoTime() + RETRY_NANOS;
            String reason = failure == null ? "" : failure.getMessage();
            boolean forGood = Futures.causeIfAny(failure) instanceof RemoteErrorException remote
                    && remote.code() == ErrorCode.OUT_OF_MEMORY;
            usedUp = forGood ? reason : null;
            LOG.atWarn().addKeyValue("reason", reason).log("no LIDs could be reserved, trying again");
            StorageProbe.LIDS_NOT_RESERVED.hit();
        }
        loop.stop();
        asking.set(false);
        askIfNeeded();
    }
}
