package dev.granary.storage.replicate;

import dev.granary.env.Clock;
import dev.granary.net.message.ReplicationMessages.CopyResult;
import dev.granary.net.message.ReplicationMessages.CopyState;
import dev.granary.storage.probe.StorageProbe;
import dev.granary.storage.replicate.Shipment.Part;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Decides what an answer of a backup means: the backup holds the batches, the owner must send them again, or the backup
 * is of no use any more. Called by the threads that receive answers. Thread-safe.
 */
final class CopyAnswers {

    /** A backup that keeps answering that it is busy counts as too slow after this many timeouts. */
    private static final int BUSY_TIMEOUTS = 4;

    /** A backup that answers but has not synced for this long is of no use for changes that must be synced. */
    private static final long SYNC_LIMIT_NANOS = 20_000_000_000L;

    private final Clock clock;
    private final long timeoutNanos;
    private final MemberChanges changes;

    CopyAnswers(Clock clock, long timeoutNanos, MemberChanges changes) {
        this.clock = clock;
        this.timeoutNanos = timeoutNanos;
        this.changes = changes;
    }

    /**
     * Takes the answer of a backup for a part of a request.
     *
     * @return whether the backup asks for a pause
     */
    boolean came(Part part, CopyState state) {
        ZoneCopy copy = part.copy();
        List<HeldReply> over = List.of();
        boolean busy = false;
        boolean fenced = false;
        boolean first = false;
        String failure = null;
        copy.zone.lock();
        try {
            // The answer is from before the copy was opened again, and says nothing about its present state.
            if (copy.gone || part.epoch() != copy.openEpoch) {
                StorageProbe.LATE_REPLICATION_ANSWER.hit();
                return false;
            }
            switch (state.result()) {
                case OK -> over = held(copy, part, state);
                case GAP -> failure = rewind(copy, state.lastSequence());
                case BUSY -> {
                    busy = true;
                    StorageProbe.BACKUP_BUSY.hit();
                    copy.rewind();
                    failure = copy.isOverdue(clock.nanoTime(), BUSY_TIMEOUTS * timeoutNanos) ? "is too slow" : null;
                }
                case FENCED -> {
                    fenced = state.epoch() > part.epoch();
                    failure = fenced ? null : "knows another epoch";
                }
                case UNKNOWN_ZONE -> failure = "has lost its copy";
                case FULL -> failure = "has no room on its disk";
                case FAILED -> failure = "cannot keep its log";
            }
            if (failure != null) {
                // A full disk keeps what it has; in all other cases what the backup had acknowledged is gone.
                boolean keeps = state.result() == CopyResult.FULL || state.result() == CopyResult.FENCED;
                first = busy ? copy.fail() : keeps ? copy.breakDown() : copy.lose();
                over = copy.zone.advance();
            }
        } finally {
            copy.zone.unlock();
        }
        OwnedZone.release(over);
        if (fenced) {
            StorageProbe.OWNER_FENCED.hit();
            changes.fenced(copy.zone);
        } else if (failure != null) {
            changes.copyFailed(copy, failure, first);
        }
        return busy;
    }

    private List<HeldReply> held(ZoneCopy copy, Part part, CopyState state) {
        long sequence = Math.min(state.lastSequence(), copy.zone.last());
        copy.holds(sequence, clock.nanoTime());
        if (sequence < part.last()) {
            copy.rewind();
        }
        return copy.zone.advance();
    }

    /** Sends again from behind {@code lastSequence}; returns why that is impossible, or null when it is done. */
    private static @Nullable String rewind(ZoneCopy copy, long lastSequence) {
        if (lastSequence < copy.acked) {
            return "has lost changes that it had";
        }
        StorageProbe.REPLICATION_REWOUND.hit();
        copy.acked = Math.min(lastSequence, copy.zone.last());
        copy.rewind();
        return null;
    }

    /** Takes the answer of a backup that was asked up to which sequence it holds a copy in which nothing changed. */
    void checked(Part part, CopyState state) {
        if (state.result() != CopyResult.OK) {
            StorageProbe.IDLE_COPY_LOST.hitIf(state.result() == CopyResult.UNKNOWN_ZONE);
            came(part, state);
        } else if (state.lastSequence() < part.last()) {
            came(part, new CopyState(state.zone(), CopyResult.GAP, state.epoch(), state.lastSequence()));
        }
    }

    /**
     * Takes the answer of a backup that was asked to sync.
     *
     * @return whether the backup has synced what it holds
     */
    boolean synced(Part part, CopyState state) {
        ZoneCopy copy = part.copy();
        if (state.result() != CopyResult.OK) {
            came(part, state);
            return false;
        }
        List<HeldReply> over = List.of();
        boolean first = false;
        boolean lost;
        copy.zone.lock();
        try {
            if (copy.gone || part.epoch() != copy.openEpoch) {
                return true;
            }
            lost = state.lastSequence() < part.last();
            if (lost) {
                first = copy.lose();
            } else {
                long sequence = Math.min(state.lastSequence(), copy.zone.last());
                copy.holds(sequence, clock.nanoTime());
                copy.syncedUpTo(sequence);
            }
            over = copy.zone.advance();
        } finally {
            copy.zone.unlock();
        }
        OwnedZone.release(over);
        if (lost) {
            changes.copyFailed(copy, "has lost changes that it had", first);
        }
        return !lost;
    }

    /** Notes that the backup was asked to sync and has not, for any reason; the backup may still be there. */
    void syncFailed(Part part, @Nullable Throwable failure) {
        failIf(part, copy -> copy.isSyncOverdue(clock.nanoTime(), SYNC_LIMIT_NANOS), "does not sync", failure);
    }

    /** Notes that the backup was asked to sync and has answered nothing at all for the timeout. */
    void silent(Part part) {
        failIf(part, copy -> true, "does not answer", null);
    }

    private void failIf(Part part, Predicate<ZoneCopy> isOverdue, String problem, @Nullable Throwable failure) {
        ZoneCopy copy = part.copy();
        boolean first = false;
        List<HeldReply> over = List.of();
        copy.zone.lock();
        try {
            if (copy.gone || part.epoch() != copy.openEpoch || !isOverdue.test(copy)) {
                return;
            }
            first = copy.fail();
            if (first) {
                over = copy.zone.advance();
            }
        } finally {
            copy.zone.unlock();
        }
        OwnedZone.release(over);
        String reason = failure == null ? "" : ": " + failure.getMessage();
        StorageProbe.BACKUP_TIMED_OUT.hitIf(first);
        changes.copyFailed(copy, problem + reason, first);
    }

    /** Notes that a request has failed or was not answered. */
    void failed(Part part, @Nullable Throwable failure) {
        failIf(
                part,
                copy -> {
                    copy.rewind();
                    return copy.isOverdue(clock.nanoTime(), timeoutNanos);
                },
                "does not answer",
                failure);
    }
}
