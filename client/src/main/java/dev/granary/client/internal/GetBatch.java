package dev.granary.client.internal;

import dev.granary.client.ChunkOutcome;
import dev.granary.net.FrameException;
import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RangeMessages.MovedRanges;
import dev.granary.overlay.Cid;
import dev.granary.overlay.Nid;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Reads many chunks. Groups them by owner, cuts the groups into requests, and has several requests under way at once.
 */
final class GetBatch implements OwnerPasses.Requests {

    private final BatchContext context;
    private final long[] cids;
    private final ChunkSink sink;
    private final long deadlineNanos;
    private final MovedChunks moved;

    GetBatch(BatchContext context, long[] cids, ChunkSink sink, long deadlineNanos) {
        this.context = context;
        this.cids = cids;
        this.sink = sink;
        this.deadlineNanos = deadlineNanos;
        this.moved = new MovedChunks(cids.length);
    }

    CompletableFuture<Void> run() {
        return OwnerPasses.run(context, () -> "a get of " + cids.length + " chunks", cids, moved, deadlineNanos, this);
    }

    @Override
    public void unowned(int index, ChunkOutcome outcome) {
        sink.missing(index, outcome);
    }

    @Override
    public void cut(int nid, int[] group, Consumer<Supplier<CompletableFuture<Void>>> requests) {
        int step = context.options().requestChunks();
        for (int from = 0; from < group.length; from += step) {
            int start = from;
            int end = Math.min(group.length, from + step);
            requests.accept(() -> slice(nid, group, start, end));
        }
    }

    /**
     * Asks for some chunks of an owner. When chunks are large, a reply may have fewer of them than requested; the batch
     * then asks for the rest.
     */
    private CompletableFuture<Void> slice(int nid, int[] group, int from, int to) {
        return Retry.run(
                        context.retry(),
                        () -> "a get of " + (to - from) + " chunks from " + Cid.toHex(cids[group[from]])
                                + " on, of storage peer " + Nid.toHex(nid),
                        deadlineNanos,
                        context.directory().newsOf(cids[group[from]]),
                        timeout -> context.callOwner(
                                cids[group[from]],
                                nid,
                                MessageType.GET,
                                out -> writeRequest(out, group, from, to),
                                in -> readReply(in, group, from, to),
                                timeout))
                .thenCompose(done -> from + done == to
                        ? CompletableFuture.completedFuture(null)
                        : slice(nid, group, from + done, to))
                .exceptionallyCompose(failure -> moved.orFail(failure, group, from, to));
    }

    private void writeRequest(ByteBuf out, int[] group, int from, int to) {
        out.writeIntLE(0).writeIntLE(to - from);
        for (int i = from; i < to; i++) {
            out.writeLongLE(cids[group[i]]);
        }
    }

    private int readReply(ByteBuf in, int[] group, int from, int to) {
        int done = in.readIntLE();
        if (done < 1 || done > to - from) {
            throw new FrameException("a get of " + (to - from) + " chunks was answered for " + done);
        }
        int results = in.readerIndex();
        int payload = results + Integer.BYTES * done;
        for (int i = 0; i < done; i++) {
            int index = group[from + i];
            int result = in.getIntLE(results + Integer.BYTES * i);
            if (result >= 0) {
                in.readerIndex(payload);
                sink.found(index, in, result);
                payload += result;
            } else if (result == -ChunkStatus.WRONG_OWNER) {
                context.directory().suspect(cids[index]);
                moved.add(index);
            } else {
                sink.missing(index, Outcomes.of(-result));
            }
        }
        in.readerIndex(payload);
        context.directory().learnMoved(MovedRanges.read(in));
        return done;
    }
}
