package dev.granary.storage.data;

import dev.granary.env.Clock;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.RangeMessages.MovedRanges;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.CidRange;
import dev.granary.storage.lease.Lease;
import dev.granary.storage.probe.StorageProbe;
import io.netty.buffer.ByteBuf;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Answers requests after a check of the lease, and counts the outcomes of their chunks. Thread-safe. */
final class Replies {

    private static final long NO_LEASE_RETRY_NANOS = 50_000_000;

    /** When a client asks again after an unknown outcome: the next owner of the chunks knows the outcome by then. */
    private static final long UNKNOWN_RETRY_NANOS = 50_000_000;

    private final Clock clock;
    private final Lease lease;
    private final ChunkMetrics metrics;

    Replies(Clock clock, Lease lease, ChunkMetrics metrics) {
        this.clock = clock;
        this.lease = lease;
        this.metrics = metrics;
    }

    boolean hasLease() {
        return lease.isValid();
    }

    long now() {
        return clock.nanoTime();
    }

    /** Records the duration of a request that began at {@code startNanos} and ends now. */
    void time(Operation operation, long startNanos) {
        metrics.time(operation, clock.nanoTime() - startNanos);
    }

    /** Answers with what was read, if the lease still stands. */
    void read(RpcRequest request, ByteBuf out, int done, int[] results) {
        if (lease.isValid()) {
            request.reply(out);
            countResults(done, results);
        } else {
            StorageProbe.LEASE_ENDED_IN_A_READ.hit();
            out.release();
            noLease(request, Operation.GET, done);
        }
    }

    /**
     * Answers with what was read and had to wait, if the lease still stands.
     *
     * @param refusal why it may not be shown, or null
     */
    void readHeld(RpcRequest request, ByteBuf out, int count, @Nullable ErrorReply refusal) {
        if (refusal == null && lease.isValid()) {
            request.reply(out);
            return;
        }
        out.release();
        StorageProbe.LEASE_ENDED_IN_A_READ.hitIf(refusal == null);
        if (refusal != null && refusal.code() == ErrorCode.RETRY_LATER) {
            refuse(request, Operation.GET, count, refusal);
        } else {
            noLease(request, Operation.GET, count);
        }
    }

    /**
     * Answers a change that was carried out, if the lease still stands. If it does not, nobody can say yet whether the
     * change will last.
     *
     * @param refusal why its outcome is not known, or null
     */
    void changed(RpcRequest request, Operation operation, ByteBuf out, @Nullable ErrorReply refusal) {
        if (refusal == null && lease.isValid()) {
            request.reply(out);
            return;
        }
        out.release();
        StorageProbe.LEASE_ENDED_IN_A_CHANGE.hitIf(refusal == null);
        String why = refusal != null
                ? refusal.message()
                : "the lease of this storage peer ended while it carried out the " + operation.label;
        // The completion lies beside the change (ADR 0094).
        request.fail(new ErrorReply(ErrorCode.UNKNOWN_OUTCOME, UNKNOWN_RETRY_NANOS, 0, null, why));
    }

    void noLease(RpcRequest request, Operation operation, int count) {
        StorageProbe.REQUEST_WITHOUT_LEASE.hit();
        refuse(
                request,
                operation,
                count,
                new ErrorReply(
                        ErrorCode.NO_LEASE,
                        NO_LEASE_RETRY_NANOS,
                        0,
                        null,
                        "this storage peer holds no lease and serves nothing"));
    }

    void refuse(RpcRequest request, Operation operation, int count, ErrorReply reason) {
        metrics.count(operation, Outcome.REFUSED, count);
        request.fail(reason);
    }

    void failed(Operation operation) {
        metrics.count(operation, Outcome.ERROR, 1);
    }

    /** Appends to a reply which peers own the chunks that this peer does not own. */
    static void tellMoved(ServedChunks chunks, Scratch scratch, int count, int wrongOwner, ByteBuf out) {
        boolean any = false;
        for (int i = 0; i < count && !any; i++) {
            any = scratch.results[i] == wrongOwner;
        }
        List<CidRange> moved = any ? chunks.ownership().movedRanges(scratch.cids, count) : List.of();
        if (!moved.isEmpty()) {
            StorageProbe.NEW_OWNER_TOLD.hit();
            MovedRanges.write(out, moved);
        }
    }

    /** Counts the results of a get. */
    void countResults(int done, int[] results) {
        int ok = 0;
        int absent = 0;
        for (int i = 0; i < done; i++) {
            int result = results[i];
            if (result >= 0) {
                ok++;
            } else if (ServedChunks.outcomeOf(-result) == Outcome.NOT_FOUND) {
                absent++;
            }
        }
        count(Operation.GET, done, ok, absent);
    }

    /** Counts the states of changed chunks. */
    void countStatuses(Operation operation, int count, int[] results) {
        int ok = 0;
        int absent = 0;
        for (int i = 0; i < count; i++) {
            switch (ServedChunks.outcomeOf(results[i])) {
                case OK -> ok++;
                case NOT_FOUND -> absent++;
                default -> {}
            }
        }
        count(operation, count, ok, absent);
    }

    private void count(Operation operation, int all, int ok, int absent) {
        metrics.count(operation, Outcome.OK, ok);
        metrics.count(operation, Outcome.NOT_FOUND, absent);
        metrics.count(operation, Outcome.REFUSED, all - ok - absent);
    }
}
