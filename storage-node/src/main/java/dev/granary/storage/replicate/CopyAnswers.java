package dev.granary.storage.replicate;

import dev.granary.env.Clock;
import dev.granary.net.message.CopyState;
import dev.granary.storage.replicate.Shipment.Part;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What answers of backups mean: changes are held, must be sent again, or the backup is of no use any more. Called by the
 * threads that receive. Thread-safe.
 */
final class CopyAnswers {

    /** A backup that says again and again that it is busy is too slow, after so many timeouts. */
    private static final int BUSY_TIMEOUTS = 4;

    private final Clock clock;
    private final long timeoutNanos;
    private final MemberChanges changes;

    CopyAnswers(Clock clock, long timeoutNanos, MemberChanges changes) {
        this.clock = clock;
        this.timeoutNanos = timeoutNanos;
        this.changes = changes;
    }

    /**
     * A backup has answered for a part of a request.
     *
     * @return whether it wants a pause
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
            // An answer from before the copy was opened again says nothing about it now.
            if (copy.gone || part.epoch() != copy.openEpoch) {
                return false;
            }
            switch (state.result()) {
                case OK -> over = held(copy, part, state);
                case GAP -> failure = rewind(copy, state.lastSequence());
                case BUSY -> {
                    busy = true;
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
                first = copy.fail();
                copy.broken |= !busy;
                over = copy.zone.advance();
            }
        } finally {
            copy.zone.unlock();
        }
        OwnedZone.release(over);
        if (fenced) {
            changes.fenced(copy.zone);
        } else if (failure != null) {
            changes.copyFailed(copy, failure, first);
        }
        return busy;
    }

    private List<HeldReply> held(ZoneCopy copy, Part part, CopyState state) {
        long sequence = Math.min(state.lastSequence(), copy.zone.last());
        copy.holds(sequence, clock.nanoTime());
        if (part.sync()) {
            copy.synced = Math.max(copy.synced, Math.min(part.last(), sequence));
        }
        if (sequence < part.last()) {
            copy.rewind();
        }
        return copy.zone.advance();
    }

    /** Sends again from where the backup is; says why that cannot be. */
    private static @Nullable String rewind(ZoneCopy copy, long lastSequence) {
        if (lastSequence < copy.acked) {
            return "has lost changes that it had";
        }
        copy.acked = Math.min(lastSequence, copy.zone.last());
        copy.rewind();
        return null;
    }

    /** A request has failed or was not answered. */
    void failed(Part part, @Nullable Throwable failure) {
        ZoneCopy copy = part.copy();
        boolean overdue;
        boolean first = false;
        List<HeldReply> over = List.of();
        copy.zone.lock();
        try {
            if (copy.gone || part.epoch() != copy.openEpoch) {
                return;
            }
            copy.rewind();
            overdue = copy.isOverdue(clock.nanoTime(), timeoutNanos);
            if (overdue && copy.fail()) {
                first = true;
                over = copy.zone.advance();
            }
        } finally {
            copy.zone.unlock();
        }
        OwnedZone.release(over);
        if (overdue) {
            String reason = failure == null ? "" : ": " + failure.getMessage();
            changes.copyFailed(copy, "does not answer" + reason, first);
        }
    }
}
