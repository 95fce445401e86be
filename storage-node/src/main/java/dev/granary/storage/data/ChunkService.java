package dev.granary.storage.data;

import dev.granary.env.Clock;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryException;
import dev.granary.memory.LidsExhaustedException;
import dev.granary.memory.MemoryStatistics;
import dev.granary.memory.OutOfChunkMemoryException;
import dev.granary.net.FrameException;
import dev.granary.net.message.ChunkLayouts;
import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MovedRanges;
import dev.granary.net.message.MutationHeader;
import dev.granary.net.message.ReportLoad;
import dev.granary.net.rpc.RequestHandler;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.CidRange;
import dev.granary.storage.lease.Lease;
import dev.granary.storage.lease.LidSupply;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers requests for chunks, on the I/O threads. Thread-safe.
 *
 * <p>Invariants: (1) nothing is read or changed without a valid lease; (2) the lease is looked at again after a value was
 * read and before it is shown (SAFETY rule "reads"); (3) a request id is carried out at most once (SAFETY rule
 * "retries"); (4) a request that is refused has changed nothing; (5) what is served of a chunk that is on its way to
 * another peer is what its {@link Transition} allows; a request that must wait keeps nothing busy.
 */
public final class ChunkService implements RequestHandler {

    private static final Logger LOG = LoggerFactory.getLogger(ChunkService.class);

    private static final int MAX_HOT_CHUNKS = 16;
    private static final long NO_LEASE_RETRY_NANOS = 50_000_000;
    private static final long NO_LIDS_RETRY_NANOS = 5_000_000;
    private static final long RUNNING_RETRY_NANOS = 1_000_000;
    private static final long PARKED_RETRY_NANOS = 2_000_000;
    private static final long FULL_RETRY_NANOS = 1_000_000_000;

    private final Clock clock;
    private final Lease lease;
    private final LidSupply lids;
    private final ChunkMetrics metrics;
    private final Parking parking;
    private final CompletedRequests completed;
    private final ThreadLocal<Scratch> scratches = ThreadLocal.withInitial(Scratch::new);
    private volatile @Nullable ServedChunks served;
    private final LockTokens tokens = new LockTokens();
    private final LoadSketch load = new LoadSketch();
    private volatile boolean draining;
    private volatile OperationGate gate = new OperationGate();

    /** Completes when nobody is behind the gates before the present one. */
    private CompletableFuture<Void> turnedOver = CompletableFuture.completedFuture(null);

    private boolean closed;

    /**
     * @param executor on which requests that had to wait go on
     */
    public ChunkService(Clock clock, Lease lease, LidSupply lids, ChunkMetrics metrics, Executor executor) {
        this.clock = clock;
        this.parking = new Parking(this, executor);
        this.lease = lease;
        this.lids = lids;
        this.metrics = metrics;
        this.completed = new CompletedRequests(clock, CompletedRequests.MAX_CLIENTS);
    }

    /** Serves the chunks of a memory from now on, while the lease is valid. Called once. */
    public void serve(ChunkMemory memory, Ownership ownership) {
        served = new ServedChunks(memory, ownership, tokens);
    }

    /** Whether new chunks are refused, because everything is leaving this peer. */
    public void setDraining(boolean value) {
        draining = value;
    }

    /** Whether everything is leaving this peer. */
    public boolean isDraining() {
        return draining;
    }

    /**
     * How busy this peer is, and with which chunks; to be called at equal intervals.
     *
     * @param intervalNanos the time between two calls
     */
    public ReportLoad takeLoad(int nid, long intervalNanos) {
        // What is halved each time adds up to two intervals' worth.
        double perSecond = 1e9 / (2.0 * intervalNanos);
        ReportLoad report =
                new ReportLoad(nid, (long) (load.uses() * perSecond), load.hottest(MAX_HOT_CHUNKS, perSecond));
        load.halve();
        return report;
    }

    /** The requests that were carried out, to take them along with chunks. */
    public RequestLuggage luggage() {
        return new RequestLuggage(completed, tokens);
    }

    /** Completes when all operations have ended that began before, on the thread of the last one. */
    public synchronized CompletableFuture<Void> turnOver() {
        if (closed) {
            return gate.close();
        }
        OperationGate old = gate;
        gate = new OperationGate();
        CompletableFuture<Void> left = old.close();
        turnedOver = CompletableFuture.allOf(turnedOver, left);
        return left;
    }

    /** Requests that had to wait are looked at again; to be called when a transition has changed. */
    public void wake() {
        parking.wake();
    }

    /** Forgets what is not needed any more; to be called every few minutes. */
    public void expire() {
        completed.expire();
    }

    /** What the memory holds; empty before it serves and once it is closed. */
    public Optional<MemoryStatistics> statistics() {
        ServedChunks chunks = served;
        OperationGate entered = chunks == null ? null : enter();
        if (chunks == null || entered == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(chunks.memory().statistics());
        } finally {
            entered.exit();
        }
    }

    /** The gate that lets an operation in now, or null when none does any more. */
    private @Nullable OperationGate enter() {
        while (true) {
            OperationGate present = gate;
            if (present.enter()) {
                return present;
            }
            if (present == gate) {
                return null;
            }
        }
    }

    /** Refuses everything from now on; the future completes when no operation uses the memory any more. */
    public CompletableFuture<Void> close() {
        CompletableFuture<Void> left;
        synchronized (this) {
            closed = true;
            left = CompletableFuture.allOf(turnedOver, gate.close());
        }
        wake();
        return left;
    }

    @Override
    public void handle(RpcRequest request) {
        Operation operation = Operation.of(request.type());
        if (operation == null) {
            request.fail(
                    ErrorCode.BAD_REQUEST, "'" + MessageType.nameOf(request.type()) + "' is not for a storage peer");
            return;
        }
        OperationGate entered = enter();
        if (entered == null) {
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
            entered.exit();
            metrics.time(operation, clock.nanoTime() - startNanos);
        }
    }

    /** Handles a request that had to wait. */
    void handleAgain(RpcRequest request) {
        try {
            handle(request);
        } catch (FrameException | IndexOutOfBoundsException e) {
            request.fail(ErrorCode.BAD_REQUEST, String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).log("a request that had waited failed");
            request.fail(ErrorCode.INTERNAL, String.valueOf(e.getMessage()));
        }
    }

    private void get(RpcRequest request, ServedChunks chunks) {
        ByteBuf in = request.payload();
        int start = in.readerIndex();
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
        int stamp = parking.stamp();
        if (chunks.ownership().mustWait(scratch.cids, count, false)) {
            request.payload().readerIndex(start);
            park(request, Operation.GET, stamp, count);
            return;
        }
        ByteBuf out = request.startReply(GetReader.hintBytes(count));
        boolean written = false;
        try {
            int done = new GetReader(chunks, scratch, count, out).read();
            load.note(scratch.cids, count, scratch);
            tellMoved(chunks, scratch, done, -ChunkStatus.WRONG_OWNER, out);
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
        int start = in.readerIndex();
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
        int stamp = parking.stamp();
        if (chunks.ownership().mustWait(scratch.cids, count, true)) {
            request.payload().readerIndex(start);
            park(request, Operation.FENCE, stamp, count);
            return;
        }
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
        int start = in.readerIndex();
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
        boolean create = operation == Operation.CREATE;
        int stamp = parking.stamp();
        if (create
                ? chunks.ownership().mustCreatesWait()
                : chunks.ownership().mustWait(scratch.cids, header.count(), true)) {
            request.payload().readerIndex(start);
            park(request, operation, stamp, header.count());
            return;
        }
        Admission admission = completed.begin(
                header.clientId(),
                header.sequence(),
                header.ackedSequence(),
                scratch.cids,
                create ? 0 : header.count(),
                scratch.results);
        switch (admission.kind()) {
            case NEW -> carryOut(request, operation, chunks, header, scratch);
            case REPEAT -> repeat(request, operation, header, scratch, admission);
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

    /** Puts a request aside until it is known who owns its chunks, unless too many are put aside. */
    private void park(RpcRequest request, Operation operation, int stamp, int count) {
        if (!parking.park(request, stamp)) {
            refuse(
                    request,
                    operation,
                    count,
                    ErrorReply.retryLater(PARKED_RETRY_NANOS, "chunks of this storage peer are just moving"));
        }
    }

    /** Says behind a reply who has those chunks that this peer does not own. */
    private static void tellMoved(ServedChunks chunks, Scratch scratch, int count, int wrongOwner, ByteBuf out) {
        boolean any = false;
        for (int i = 0; i < count && !any; i++) {
            any = scratch.results[i] == wrongOwner;
        }
        List<CidRange> moved = any ? chunks.ownership().movedRanges(scratch.cids, count) : List.of();
        if (!moved.isEmpty()) {
            MovedRanges.write(out, moved);
        }
    }

    private void repeat(
            RpcRequest request, Operation operation, MutationHeader header, Scratch scratch, Admission admission) {
        Completion known = Objects.requireNonNull(admission.known());
        ByteBuf out = request.startReply(ChunkChanges.replyBytes(operation, header.count()));
        if (operation == Operation.CREATE) {
            out.writeBytes(known.answer());
        } else {
            out.writeIntLE(header.count());
            for (int i = 0; i < header.count(); i++) {
                out.writeByte(scratch.results[i]);
            }
        }
        reply(request, operation, out);
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
            chunks.ownership().noteChanged(scratch.cids, header.count());
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
        complete(operation, header, scratch, out, payloadStart);
        countStatuses(operation, header.count(), scratch);
        load.note(scratch.cids, header.count(), scratch);
        if (operation != Operation.CREATE) {
            tellMoved(chunks, scratch, header.count(), ChunkStatus.WRONG_OWNER, out);
        }
        reply(request, operation, out);
    }

    private void complete(Operation operation, MutationHeader header, Scratch scratch, ByteBuf out, int payloadStart) {
        Completion completion;
        if (operation == Operation.CREATE) {
            byte[] answer = new byte[out.writerIndex() - payloadStart];
            out.getBytes(payloadStart, answer);
            completion = Completion.ofCreate(answer);
        } else {
            completion = Completion.ofChange(scratch.cids, scratch.results, header.count());
        }
        if (completion == null) {
            completed.abandon(header.clientId(), header.sequence());
        } else {
            completed.complete(header.clientId(), header.sequence(), completion);
        }
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
        if (draining) {
            return ErrorReply.of(
                    ErrorCode.DRAINING, "this storage peer takes no new chunks: all it has is going to others");
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
