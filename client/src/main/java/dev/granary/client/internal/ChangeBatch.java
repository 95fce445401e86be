package dev.granary.client.internal;

import dev.granary.client.ChunkOutcome;
import dev.granary.net.FrameException;
import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MutationHeader;
import dev.granary.net.message.RangeMessages.MovedRanges;
import dev.granary.overlay.Cid;
import dev.granary.overlay.Nid;
import io.netty.buffer.ByteBuf;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Puts or deletes many chunks. Groups them by owner and cuts the groups into requests, each carried out once. */
final class ChangeBatch implements OwnerPasses.Requests {

    private final BatchContext context;
    private final long[] cids;
    private final @Nullable ChunkSource source;
    private final long deadlineNanos;
    private final ChunkOutcome[] outcomes;

    /** By index, the request id of each chunk that was sent and has no answer yet. */
    private final @Nullable ChangeRequest[] requests;

    private final MovedChunks moved;

    /**
     * @param source the new contents, one for each CID; null to delete
     */
    ChangeBatch(BatchContext context, long[] cids, @Nullable ChunkSource source, long deadlineNanos) {
        this.context = context;
        this.cids = cids;
        this.source = source;
        this.deadlineNanos = deadlineNanos;
        this.outcomes = new ChunkOutcome[cids.length];
        this.requests = new ChangeRequest[cids.length];
        this.moved = new MovedChunks(cids.length);
    }

    /** Runs the batch. The future gives the outcome of each chunk, in the order of the CIDs. */
    CompletableFuture<ChunkOutcome[]> run() {
        return OwnerPasses.run(context, this::what, cids, moved, deadlineNanos, this)
                .whenComplete((_, _) -> endAll())
                .thenApply(_ -> outcomes);
    }

    private String what() {
        String chunks = cids.length == 1 ? "chunk " + Cid.toHex(cids[0]) : cids.length + " chunks";
        return (source == null ? "a delete of " : "a put of ") + chunks;
    }

    @Override
    public void unowned(int index, ChunkOutcome outcome) {
        answer(index, outcome);
    }

    @Override
    public void cut(int nid, int[] group, Consumer<Supplier<CompletableFuture<Void>>> sink) {
        byRequest(group).forEach((request, chunks) -> {
            for (int from = 0; from < chunks.length; ) {
                int start = from;
                int end = endOfSlice(chunks, from);
                sink.accept(
                        () -> slice(nid, request.orElseGet(() -> begin(nid, chunks, start, end)), chunks, start, end));
                from = end;
            }
        });
    }

    /**
     * Returns the chunks of an owner by the request ids that they have already. Chunks without one have the empty key.
     */
    private Map<Optional<ChangeRequest>, int[]> byRequest(int[] group) {
        Map<Optional<ChangeRequest>, IntStream.Builder> builders = new LinkedHashMap<>();
        for (int index : group) {
            builders.computeIfAbsent(Optional.ofNullable(requests[index]), _ -> IntStream.builder())
                    .add(index);
        }
        Map<Optional<ChangeRequest>, int[]> chunks = new LinkedHashMap<>();
        builders.forEach(
                (request, builder) -> chunks.put(request, builder.build().toArray()));
        return chunks;
    }

    private ChangeRequest begin(int nid, int[] group, int from, int to) {
        ChangeRequest request = new ChangeRequest(context.session(nid), to - from);
        for (int i = from; i < to; i++) {
            requests[group[i]] = request;
        }
        return request;
    }

    /** Notes the answer of a chunk. */
    private void answer(int index, ChunkOutcome outcome) {
        outcomes[index] = outcome;
        ChangeRequest request = requests[index];
        if (request != null) {
            requests[index] = null;
            request.answered(1);
        }
    }

    /** Ends the batch: no chunk of it is sent again, whether it had its answer or not. */
    private void endAll() {
        for (int i = 0; i < requests.length; i++) {
            ChangeRequest request = requests[i];
            if (request != null) {
                requests[i] = null;
                request.answered(1);
            }
        }
    }

    private int endOfSlice(int[] group, int from) {
        int to = from;
        long bytes = 0;
        while (to < group.length && to - from < context.options().requestChunks()) {
            bytes += source == null ? Long.BYTES : source.sizeBytes(group[to]);
            if (to > from && bytes > context.options().requestBytes()) {
                break;
            }
            to++;
        }
        return to;
    }

    private CompletableFuture<Void> slice(int nid, ChangeRequest request, int[] group, int from, int to) {
        return Retry.run(
                        context.retry(),
                        () -> what() + " on storage peer " + Nid.toHex(nid),
                        deadlineNanos,
                        context.directory().newsOf(cids[group[from]]),
                        timeout -> context.callOwner(
                                cids[group[from]],
                                nid,
                                source == null ? MessageType.DELETE : MessageType.PUT,
                                out -> writeRequest(out, request, group, from, to),
                                in -> readReply(in, group, from, to),
                                timeout))
                .exceptionallyCompose(failure -> moved.orFail(failure, group, from, to));
    }

    private void writeRequest(ByteBuf out, ChangeRequest request, int[] group, int from, int to) {
        new MutationHeader(
                        request.sessionId(), request.sequence(), request.acked(), context.durabilityFlags(), to - from)
                .writeTo(out);
        for (int i = from; i < to; i++) {
            out.writeLongLE(cids[group[i]]);
        }
        for (int i = from; i < to && source != null; i++) {
            out.writeIntLE(source.sizeBytes(group[i]));
        }
        for (int i = from; i < to && source != null; i++) {
            source.write(group[i], out);
        }
    }

    private @Nullable Void readReply(ByteBuf in, int[] group, int from, int to) {
        int count = in.readIntLE();
        if (count != to - from) {
            throw new FrameException("a change of " + (to - from) + " chunks was answered for " + count);
        }
        for (int i = from; i < to; i++) {
            int index = group[i];
            int status = in.readUnsignedByte();
            if (status == ChunkStatus.WRONG_OWNER) {
                context.directory().suspect(cids[index]);
                moved.add(index);
            } else {
                answer(index, Outcomes.of(status));
            }
        }
        context.directory().learnMoved(MovedRanges.read(in));
        return null;
    }
}
