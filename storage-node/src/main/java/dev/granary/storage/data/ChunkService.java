package dev.granary.storage.data;

import dev.granary.env.Clock;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryException;
import dev.granary.memory.LidsExhaustedException;
import dev.granary.memory.MemoryStatistics;
import dev.granary.memory.OutOfChunkMemoryException;
import dev.granary.net.FrameException;
import dev.granary.net.message.ChunkLayouts;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MutationHeader;
import dev.granary.net.rpc.RequestHandler;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.storage.lease.Lease;
import dev.granary.storage.lease.LidSupply;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Answers requests for chunks, on the I/O threads. Thread-safe.
 *
 * <p>Invariants: (1) nothing is read or changed without a valid lease; (2) the lease is looked at again after a value was
 * read and before it is shown (SAFETY rule "reads"); (3) a request id is carried out at most once (SAFETY rule
 * "retries"); (4) a request that is refused has changed nothing.
 */
public final class ChunkService implements RequestHandler {

    private static final long NO_LEASE_RETRY_NANOS = 50_000_000;
    private static final long NO_LIDS_RETRY_NANOS = 5_000_000;
    private static final long RUNNING_RETRY_NANOS = 1_000_000;
    private static final long FULL_RETRY_NANOS = 1_000_000_000;

    private final Clock clock;
    private final Lease lease;
    private final LidSupply lids;
    private final ChunkMetrics metrics;
    private final OperationGate gate = new OperationGate();
    private final CompletedRequests completed;
    private final ThreadLocal<Scratch> scratches = ThreadLocal.withInitial(Scratch::new);
    private volatile @Nullable ServedChunks served;

    public ChunkService(Clock clock, Lease lease, LidSupply lids, ChunkMetrics metrics) {
        this.clock = clock;
        this.lease = lease;
        this.lids = lids;
        this.metrics = metrics;
        this.completed = new CompletedRequests(clock, CompletedRequests.MAX_CLIENTS);
    }

    /** Serves the chunks of a memory from now on, while the lease is valid. Called once. */
    public void serve(ChunkMemory memory, long firstLid) {
        served = new ServedChunks(memory, firstLid, new LockTokens());
    }

    /** Forgets what is not needed any more; to be called every few minutes. */
    public void expire() {
        completed.expire();
    }

    /** What the memory holds; empty before it serves and once it is closed. */
    public Optional<MemoryStatistics> statistics() {
        ServedChunks chunks = served;
        if (chunks == null || !gate.enter()) {
            return Optional.empty();
        }
        try {
            return Optional.of(chunks.memory().statistics());
        } finally {
            gate.exit();
        }
    }

    /** Refuses everything from now on; the future completes when no operation uses the memory any more. */
    public CompletableFuture<Void> close() {
        return gate.close();
    }

    @Override
    public void handle(RpcRequest request) {
        Operation operation = Operation.of(request.type());
        if (operation == null) {
            request.fail(
                    ErrorCode.BAD_REQUEST, "'" + MessageType.nameOf(request.type()) + "' is not for a storage peer");
            return;
        }
        if (!gate.enter()) {
            metrics.count(operation, Outcome.REFUSED, 1);
            request.fail(ErrorCode.SHUTTING_DOWN, "this storage peer is stopping");
            return;
        }
        long startNanos = clock.nanoTime();
        try {
            ServedChunks chunks = served;
            if (chunks == null || !lease.isValid()) {
                noLease(request, operation, 1);
            } else if (operation == Operation.GET) {
                get(request, chunks);
            } else if (operation == Operation.FENCE) {
                fence(request, chunks);
            } else {
                change(request, operation, chunks);
            }
        } catch (ChunkChanges.TooLargeException e) {
            metrics.count(operation, Outcome.ERROR, 1);
            request.fail(ErrorCode.TOO_LARGE, String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            // The caller of this handler answers with the right error.
            metrics.count(operation, Outcome.ERROR, 1);
            throw e;
        } finally {
            gate.exit();
            metrics.time(operation, clock.nanoTime() - startNanos);
        }
    }

    private void get(RpcRequest request, ServedChunks chunks) {
        ByteBuf in = request.payload();
        if (in.readIntLE() != 0) {
            throw new FrameException("a get has no flags yet");
        }
        int count = requireCount(in.readIntLE());
        if (in.readableBytes() != (long) count * Long.BYTES) {
            throw new FrameException(count + " CIDs in " + in.readableBytes() + " bytes");
        }
        Scratch scratch = scratches.get();
        scratch.reserve(count);
        Segments.readLongs(in, scratch.cids, count);
        ByteBuf out = request.startReply(GetReader.hintBytes(count));
        boolean written = false;
        try {
            int done = new GetReader(chunks, scratch, count, out).read();
            written = true;
            if (lease.isValid()) {
                request.reply(out);
                countResults(done, scratch);
            } else {
                out.release();
                noLease(request, Operation.GET, count);
            }
        } finally {
            if (!written) {
                out.release();
            }
        }
    }

    /** Shows tokens to their chunks. Nothing else changes, so that a repeated request may be carried out again. */
    private void fence(RpcRequest request, ServedChunks chunks) {
        ByteBuf in = request.payload();
        if (in.readIntLE() != 0) {
            throw new FrameException("a fence has no flags yet");
        }
        int count = requireCount(in.readIntLE());
        if (in.readableBytes() != 2L * count * Long.BYTES) {
            throw new FrameException(count + " CIDs and tokens in " + in.readableBytes() + " bytes");
        }
        Scratch scratch = scratches.get();
        scratch.reserve(count);
        Segments.readLongs(in, scratch.cids, count);
        ChunkChanges.readTokens(in, scratch, count);
        ByteBuf out = request.startReply(Integer.BYTES + count);
        ChunkChanges.fence(chunks, count, scratch, out);
        if (lease.isValid()) {
            countStatuses(Operation.FENCE, count, scratch);
            request.reply(out);
        } else {
            out.release();
            noLease(request, Operation.FENCE, count);
        }
    }

    private void change(RpcRequest request, Operation operation, ServedChunks chunks) {
        ByteBuf in = request.payload();
        MutationHeader header = MutationHeader.read(in);
        requireCount(header.count());
        if (header.clientId() == 0
                || header.sequence() < 1
                || header.ackedSequence() < 0
                || header.ackedSequence() >= header.sequence()) {
            throw new FrameException("client %x, sequence %d, acknowledged %d are no request id"
                    .formatted(header.clientId(), header.sequence(), header.ackedSequence()));
        }
        Scratch scratch = scratches.get();
        ChunkChanges.check(operation, header, in, scratch);
        Admission admission = completed.begin(header.clientId(), header.sequence(), header.ackedSequence());
        switch (admission.kind()) {
            case NEW -> carryOut(request, operation, chunks, header, scratch);
            case REPEAT ->
                reply(
                        request,
                        operation,
                        request.startReply(admission.answer().length).writeBytes(admission.answer()));
            case RUNNING ->
                refuse(
                        request,
                        operation,
                        header.count(),
                        ErrorReply.retryLater(RUNNING_RETRY_NANOS, "this very request is being carried out"));
            case FORGOTTEN ->
                refuse(
                        request,
                        operation,
                        header.count(),
                        ErrorReply.of(
                                ErrorCode.UNKNOWN_OUTCOME,
                                "the request may have been carried out before, its answer is not known any more"));
            case FULL ->
                refuse(
                        request,
                        operation,
                        header.count(),
                        ErrorReply.retryLater(
                                FULL_RETRY_NANOS,
                                "this storage peer remembers the requests of too many clients at the moment"));
        }
    }

    /** Carries out a request that was admitted as new, and says to the table what became of it, whatever happens. */
    private void carryOut(
            RpcRequest request, Operation operation, ServedChunks chunks, MutationHeader header, Scratch scratch) {
        ByteBuf out = request.startReply(ChunkChanges.replyBytes(operation, header.count()));
        int payloadStart = out.writerIndex();
        ErrorReply refusal = null;
        boolean known = false;
        try {
            refusal = apply(request.payload(), operation, chunks, header, scratch, out);
            known = true;
        } finally {
            if (!known) {
                completed.lose(header.clientId(), header.sequence());
            }
            if (!known || refusal != null) {
                out.release();
            }
        }
        if (refusal != null) {
            completed.abandon(header.clientId(), header.sequence());
            refuse(request, operation, header.count(), refusal);
            return;
        }
        byte[] answer = new byte[out.writerIndex() - payloadStart];
        out.getBytes(payloadStart, answer);
        completed.complete(header.clientId(), header.sequence(), answer);
        countStatuses(operation, header.count(), scratch);
        reply(request, operation, out);
    }

    /** Changes the memory and writes the reply, or changes nothing and returns why. */
    private @Nullable ErrorReply apply(
            ByteBuf in, Operation operation, ServedChunks chunks, MutationHeader header, Scratch scratch, ByteBuf out) {
        if (operation == Operation.PUT) {
            ChunkChanges.put(chunks, header, in, scratch, out);
            return null;
        }
        if (operation == Operation.DELETE) {
            ChunkChanges.delete(chunks, header, scratch, out);
            return null;
        }
        try {
            ChunkChanges.create(chunks, header, in, scratch, out);
            Arrays.fill(scratch.results, 0, header.count(), 0);
            lids.created(chunks.memory().lidMark());
            return null;
        } catch (LidsExhaustedException e) {
            lids.exhausted(header.count());
            return ErrorReply.retryLater(NO_LIDS_RETRY_NANOS, "more LIDs are being reserved");
        } catch (OutOfChunkMemoryException e) {
            return ErrorReply.of(ErrorCode.OUT_OF_MEMORY, String.valueOf(e.getMessage()));
        } catch (ChunkMemoryException e) {
            return ErrorReply.of(ErrorCode.INTERNAL, String.valueOf(e.getMessage()));
        }
    }

    /**
     * Answers a change that was carried out, if the lease still stands. If it does not, nobody can say yet whether the
     * change will last.
     */
    private void reply(RpcRequest request, Operation operation, ByteBuf out) {
        if (lease.isValid()) {
            request.reply(out);
            return;
        }
        out.release();
        request.fail(
                ErrorCode.UNKNOWN_OUTCOME,
                "the lease of this storage peer ended while it carried out the " + operation.label);
    }

    private void noLease(RpcRequest request, Operation operation, int count) {
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

    private void refuse(RpcRequest request, Operation operation, int count, ErrorReply reason) {
        metrics.count(operation, Outcome.REFUSED, count);
        request.fail(reason);
    }

    private void countResults(int done, Scratch scratch) {
        int ok = 0;
        int absent = 0;
        for (int i = 0; i < done; i++) {
            int result = scratch.results[i];
            if (result >= 0) {
                ok++;
            } else if (ServedChunks.outcomeOf(-result) == Outcome.NOT_FOUND) {
                absent++;
            }
        }
        count(Operation.GET, done, ok, absent);
    }

    private void countStatuses(Operation operation, int count, Scratch scratch) {
        int ok = 0;
        int absent = 0;
        for (int i = 0; i < count; i++) {
            switch (ServedChunks.outcomeOf(scratch.results[i])) {
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

    private static int requireCount(int count) {
        if (count < 0 || count > ChunkLayouts.MAX_COUNT) {
            throw new FrameException("a request for " + count + " chunks is outside 0.." + ChunkLayouts.MAX_COUNT);
        }
        return count;
    }
}
